import { DomainError, invalidInput } from './errors.ts';
import type { Extraction, ReadFailure, Reading, ReviewReason } from './legacy/reading.ts';
import { pence, type Pence } from './money.ts';

/** `parsed` and `failed` are final, except that a document can still be erased. */
export type DocumentStatus = 'processing' | 'parsed' | 'failed' | 'erased';

/** Below this confidence, a person should check the value. */
export const REVIEW_BELOW = 0.9;
/** Below this confidence, a value cannot be used as income. */
export const USE_FROM = 0.8;

export function doubtsOf(extraction: Pick<Extraction, 'confidence' | 'pension_deducted' | 'pension_doubted'>) {
  const { confidence, pension_deducted, pension_doubted } = extraction;
  const reasons: ReviewReason[] = [];
  if (confidence < REVIEW_BELOW) reasons.push('low-confidence');
  const isUnsure = pension_deducted !== null && pension_deducted.confidence < REVIEW_BELOW;
  if (isUnsure || pension_doubted === true) reasons.push('pension-uncertain');
  return reasons;
}

/** How many times a reading may start. After this many crashes, the document counts as failed. */
export const MOST_READS = 5;

export const MOST_IN_PROGRESS = { owner: 5, application: 20 } as const;

/** Per worker. At most one of these documents is from the same application or person. */
export const READ_AT_ONCE = 2;

export interface DocumentFailure {
  code: ReadFailure;
  detail: string;
}

export const GIVEN_UP: DocumentFailure = {
  code: 'unreadable',
  detail:
    'The document could not be read after several attempts. Erase the document and upload a better scan, if possible as a PDF.',
};

/** Slightly less than the workflow's time limit. */
const GIVE_UP_AFTER_MS = 5.5 * 3_600_000;

export function requireTried({ uploaded_at }: { uploaded_at: string }, now: Date): void {
  if (now.getTime() - Date.parse(uploaded_at) >= GIVE_UP_AFTER_MS) return;
  throw invalidInput(
    '/doc_id',
    'names a document that the service is still trying to read. It gives up five and a half hours after the upload at the earliest',
  );
}

/** Such documents do not show what one person was paid in one period. */
const NO_INCOME: readonly ReviewReason[] = ['register', 'several-payslips', 'specimen'];

/** The net pay. @throws DomainError `document-confidence-too-low`. */
export function incomeOf(reading: Pick<Reading, 'net_pay' | 'confidence' | 'review_reasons'>): Pence {
  const { net_pay, confidence, review_reasons } = reading;
  const doubt = review_reasons.find((reason) => NO_INCOME.includes(reason));
  const least = doubt === undefined ? Math.min(confidence, net_pay?.confidence ?? 0) : 0;
  if (net_pay !== null && net_pay.value > 0 && least >= USE_FROM) return pence(net_pay.value);
  const detail =
    net_pay === null || net_pay.value <= 0
      ? 'No net pay was found on the document. Send the income as gross_pay instead.'
      : doubt !== undefined
        ? `The document does not prove the pay of one person (${doubt}). Send the income as gross_pay instead.`
        : `The document was read with a confidence of ${least}, but at least ${USE_FROM} is needed to use its net pay as income. Send the income as gross_pay instead.`;
  throw new DomainError('document-confidence-too-low', detail, {
    confidence: least,
    required: USE_FROM,
    net_pay: net_pay?.value ?? null,
  });
}
