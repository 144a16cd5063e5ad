import type { Pence } from './money.ts';

/** ISO 20022 status codes, as UK Open Banking 4.0 uses them for variable recurring payments. */
export const BANK_STATUSES = [
  'RCVD',
  'PDNG',
  'ACTC',
  'ACCP',
  'ACFC',
  'ACSP',
  'ACWC',
  'ACWP',
  'ACSC',
  'ACCC',
  'RJCT',
  'BLCK',
  'CANC',
] as const;
export type BankStatus = (typeof BANK_STATUSES)[number];

/**
 * Why the bank refused, rejected, blocked or returned a payment: an ISO 20022 reason such as `AC04`, with the bank's
 * text.
 */
export interface BankReason {
  code: string;
  detail: string;
}

/** A payment order to the bank. The payment's id and the attempt's number together are the bank's idempotency key. */
export interface BankInstruction {
  paymentId: string;
  attempt: number;
  amount: Pence;
  currency: 'GBP';
  reference: string | null;
  providerId: string;
  payee: { name: string; sortCode: string; accountNumber: string };
}

/**
 * The result of submitting an instruction.
 * - `accepted`: the bank has the instruction and gave it an id. `status` can already be a rejection. After a
 *   resubmission, `returned` is true if the money has already come back.
 * - `refused`: the bank refused this call, and the call moved no money.
 * - `not-accepted`: the bank did not process the call, for example without a connection, or with 401, 429 or 503.
 *   Retrying and cancelling are both safe.
 * - `unknown`: the call got no clear response, so money may have moved. Only another request to the bank can show
 *   whether money moved.
 *
 * `refused` and `not-accepted` describe only this call. An earlier `unknown` call for the same attempt may still have
 * moved money.
 */
export type SubmitOutcome =
  | (Omit<BankPayment, 'returned'> & { kind: 'accepted'; returned?: BankPayment['returned'] })
  | { kind: 'refused'; reason: BankReason }
  | { kind: 'not-accepted'; detail: string }
  | { kind: 'unknown'; detail: string };

/** A payment as the bank sees it now. `returned` is true if settled money came back. */
export interface BankPayment {
  bankPaymentId: string;
  status: BankStatus;
  reason: BankReason | null;
  returned: { at: string; reason: BankReason } | null;
}

/**
 * Says that a payment has changed at the bank. Read the payment to learn what changed. Acknowledge the event with its
 * `eventId`.
 */
export interface BankEvent {
  eventId: string;
  bankPaymentId: string;
}

export interface Bank {
  /**
   * Submits a payment. Safe to repeat for 24 hours with the same payment and attempt. Does not throw if the bank is
   * unreachable.
   */
  submitPayment(instruction: BankInstruction): Promise<SubmitOutcome>;
  /** @throws if the bank is unreachable or does not know the id. */
  readPayment(bankPaymentId: string): Promise<BankPayment>;
  /** Acknowledges events, and returns unacknowledged events, oldest first. Waits up to `waitMs` for an event. */
  pollEvents(request: { acknowledge: readonly string[]; limit: number; waitMs: number }): Promise<BankEvent[]>;
  /** @throws with the reason if the bank does not respond. */
  check(): Promise<void>;
}
