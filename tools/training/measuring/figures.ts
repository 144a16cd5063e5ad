import { percentile } from '../../bench/statistics.ts';
import { CONFIDENT, groupOf, GROUPS, percent, type Checked, type Group } from '../../payslips/checks.ts';
import type { AnyForm } from '../../payslips/forms.ts';
import type { AllRead, ReadDocument } from './run.ts';

/** `count` items of `of`. */
export interface Share {
  count: number;
  of: number;
}

export interface ConditionFigures {
  condition: AnyForm | 'all';
  documents: number;
  right: Record<Group, Share>;
  confident: Share;
  confidentlyWrong: Share;
  /** Documents with a wrong pension that no person would review. */
  unseenPensions: number;
  medianMs: number;
  p95Ms: number;
}

export interface Figures {
  conditions: ConditionFigures[];
  negatives: Share;
  /** Null if the system does not report peak memory. */
  peakMb: number | null;
}

export function figuresOf({ documents, negatives }: AllRead): Figures {
  const conditions = [...new Set(documents.map(({ condition }) => condition))];
  const each = conditions.map((one) => of(one, documents.filter(({ condition }) => condition === one))); // prettier-ignore
  const peaks = [...documents, ...negatives].flatMap(({ peakMb }) => peakMb ?? []);
  return {
    conditions: documents.length > 0 ? [...each, of('all', documents)] : [],
    negatives: share(negatives, ({ isRight }) => isRight),
    peakMb: peaks.length > 0 ? Math.max(...peaks) : null,
  };
}

function of(condition: AnyForm | 'all', documents: readonly ReadDocument[]): ConditionFigures {
  const checks = documents.flatMap((document) => document.checks);
  const within = (group: Group) => checks.filter(({ field }) => groupOf(field) === group);
  const amounts = within('amounts').filter(({ got }) => got !== null);
  const isConfident = ({ confidence }: Checked) => confidence >= CONFIDENT;
  const times = documents.map(({ ms }) => ms);
  const right = (group: Group) => share(within(group), ({ isRight }) => isRight);
  const isUnseen = ({ needsReview, checks: fields }: ReadDocument) =>
    !needsReview && fields.some(({ field, isRight }) => field === 'pension_deducted' && !isRight);
  return {
    condition,
    documents: documents.length,
    right: { amounts: right('amounts'), employer: right('employer'), period: right('period') },
    confident: share(amounts.filter(({ isRight }) => isRight), isConfident),
    confidentlyWrong: share(amounts.filter(isConfident), ({ isRight }) => !isRight),
    unseenPensions: documents.filter(isUnseen).length,
    medianMs: percentile(times, 50),
    p95Ms: percentile(times, 95),
  }; // prettier-ignore
}

function share<T>(all: readonly T[], is: (one: T) => boolean): Share {
  return { count: all.filter(is).length, of: all.length };
}

const shareText = ({ count, of: all }: Share) => (all === 0 ? 'none' : `${percent(count / all)} (${count} of ${all})`);

/** `faults` also lists the errors. */
export function asText({ conditions, negatives, peakMb }: Figures, read: AllRead, faults: boolean): string {
  const blocks = conditions.map((one) => [
    `${one.condition}: ${one.documents} documents`,
    ...GROUPS.map((group) => `  ${group} right: ${shareText(one.right[group])}`),
    `  right amounts with confidence >= ${CONFIDENT}: ${shareText(one.confident)}`,
    `  amounts with confidence >= ${CONFIDENT} that are wrong: ${shareText(one.confidentlyWrong)}`,
    `  wrong pensions without a review: ${one.unseenPensions}`,
    `  time: median ${one.medianMs.toFixed(0)} ms, 95th percentile ${one.p95Ms.toFixed(0)} ms`,
  ]);
  const rest = [`no payslip, or several: ${shareText(negatives)} right`, `peak memory: ${peakMb === null ? 'unknown' : `${peakMb.toFixed(0)} MB`}`]; // prettier-ignore
  return [...blocks, rest, ...(faults ? [faultsOf(read)] : [])].map((lines) => lines.join('\n')).join('\n\n');
}

function faultsOf({ documents, negatives }: AllRead): string[] {
  const wrong = documents.flatMap(({ name, condition, failure, checks }) => {
    if (failure !== undefined) return [`${name} ${condition}: not read: ${failure}`];
    const bad = checks.filter(({ isRight }) => !isRight);
    return bad.map(({ field, expected, got, confidence }) => `${name} ${condition}: ${field} is ${JSON.stringify(expected)}, read ${JSON.stringify(got)} (${confidence})`); // prettier-ignore
  });
  const others = negatives.filter(({ isRight }) => !isRight);
  return ['What was wrong:', ...wrong, ...others.map(({ name, condition, said }) => `${name} ${condition}: ${said}`)];
}
