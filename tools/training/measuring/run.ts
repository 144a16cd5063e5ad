import type { ReadOutcome } from '../../../domain/legacy/reading.ts';
import { REVIEW_BELOW } from '../../../domain/documents.ts';
import { progress } from '../../bench/report.ts';
import { checksOf, timedRead, withWarmReader, type Checked } from '../../payslips/checks.ts';
import type { AnyForm } from '../../payslips/forms.ts';
import { makeFrom } from '../../payslips/index.ts';
import { MEASURING } from './index.ts';
import { makeNegative, NEGATIVES, type Answer } from './negatives.ts';

export const CONDITIONS: readonly AnyForm[] = ['text', 'scan', 'photo', 'fax', 'screenshot'];
/** How many files of each kind in `NEGATIVES` are read. */
const NEGATIVE_SEEDS = 2;

export interface RunOptions {
  /** The first seed. */
  seed: number;
  /** For each layout and condition. */
  count: number;
  conditions: readonly AnyForm[];
  /** `others` means the files that are not single payslips. */
  layouts: readonly string[];
}

interface Timed {
  name: string;
  condition: AnyForm;
  ms: number;
  peakMb: number | undefined;
}

export interface ReadDocument extends Timed {
  checks: Checked[];
  needsReview: boolean;
  /** The code of the failure if the document was not read. */
  failure: string | undefined;
}

export interface ReadNegative extends Timed {
  isRight: boolean;
  /** The reader's outcome, in words. */
  said: string;
}

export interface AllRead {
  documents: ReadDocument[];
  negatives: ReadNegative[];
}

/** Reads the documents in the reader's own process. */
export async function readAll(options: RunOptions): Promise<AllRead> {
  const { seed: first, count, conditions } = options;
  const all: AllRead = { documents: [], negatives: [] };
  await withWarmReader(async (reader) => {
    for (const layout of MEASURING.filter(({ name }) => options.layouts.includes(name))) {
      for (const condition of conditions) {
        for (let seed = first; seed < first + count; seed++) {
          const { bytes, truth } = await makeFrom(layout, seed, condition);
          const { outcome, ms, peakMb } = await timedRead(reader, bytes);
          const failure = outcome.kind === 'failed' ? outcome.code : undefined;
          all.documents.push({ name: `${layout.name} ${seed}`, condition, ms, peakMb, failure, checks: checksOf(truth, outcome), needsReview: needsReview(outcome) }); // prettier-ignore
        }
      }
      progress(`${all.documents.length} documents`);
    }
    for (const negative of options.layouts.includes('others') ? NEGATIVES : []) {
      for (let seed = first; seed < first + NEGATIVE_SEEDS; seed++) {
        const { bytes, form } = await makeNegative(negative, seed);
        const { outcome, ms, peakMb } = await timedRead(reader, bytes);
        const said = outcome.kind === 'failed' ? `${outcome.code}: ${outcome.detail}` : `read, ${reviewReasons(outcome).join(' and ') || 'no reason'}`; // prettier-ignore
        all.negatives.push({ name: `${negative.name} ${seed}`, condition: form, ms, peakMb, isRight: isRight(negative.answer, outcome), said }); // prettier-ignore
      }
    }
  });
  return all;
}

function isRight({ failed, reasons, detail }: Answer, outcome: ReadOutcome): boolean {
  if (outcome.kind === 'failed') return failed && outcome.code === 'no-payslip-found' && (detail?.test(outcome.detail) ?? true); // prettier-ignore
  return reviewReasons(outcome).some((reason) => reasons.includes(reason));
}

function needsReview(outcome: ReadOutcome): boolean {
  return outcome.kind === 'failed' || outcome.reading.confidence < REVIEW_BELOW || reviewReasons(outcome).length > 0;
}

/** An old reader's outcome lacks the reasons. */
function reviewReasons(outcome: ReadOutcome): readonly string[] {
  if (outcome.kind === 'failed') return [];
  const { review_reasons: reasons = [] } = { ...outcome, ...outcome.reading } as { review_reasons?: readonly string[] };
  return reasons;
}
