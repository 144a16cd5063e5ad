import type { Pence } from './money.ts';

/** ISO 20022 payment status codes as UK Open Banking 4.0 uses them for a variable recurring payment. */
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

/** Why the bank rejected or returned a payment: an ISO 20022 reason such as `AC04`, and the bank's own text. */
export interface BankReason {
  code: string;
  detail: string;
}

/** An order to the bank. One per payment and attempt; the pair is the bank's idempotency key. */
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
 * - `accepted`: the bank has it and gave it an id. `status` says how far it is; a rejection may come this way too. If
 *   it was submitted again, `returned` says that the money has come back meanwhile.
 * - `refused`: the bank answered that it will not take this instruction; no money moved.
 * - `not-accepted`: it certainly never took it (no connection, 429, 503); trying again and cancelling are both safe.
 * - `unknown`: it was sent and got no clear answer, so money may have moved. Only asking again can tell.
 *
 * `refused` and `not-accepted` speak only of that one call: after an `unknown` one they do not prove that no money
 * moved.
 */
export type SubmitOutcome =
  | (Omit<BankPayment, 'returned'> & { kind: 'accepted'; returned?: BankPayment['returned'] })
  | { kind: 'refused'; reason: BankReason }
  | { kind: 'not-accepted'; detail: string }
  | { kind: 'unknown'; detail: string };

/** A payment in the bank's current view. `returned` is set once settled money has come back. */
export interface BankPayment {
  bankPaymentId: string;
  status: BankStatus;
  reason: BankReason | null;
  returned: { at: string; reason: BankReason } | null;
}

/** Something happened to this payment at the bank; ask for it by id to learn what. Acknowledge by `eventId`. */
export interface BankEvent {
  eventId: string;
  bankPaymentId: string;
}

/** The bank as a port, with one adapter: UK Open Banking variable recurring payments. */
export interface Bank {
  /**
   * Submits an instruction. Safe to repeat with the same payment and attempt for 24 hours. Never throws for an outage.
   */
  submitPayment(instruction: BankInstruction): Promise<SubmitOutcome>;
  /** @throws if the bank cannot be reached or does not know the id. */
  readPayment(bankPaymentId: string): Promise<BankPayment>;
  /**
   * Acknowledges the events in `acknowledge`. Then returns the unacknowledged ones, oldest first, at most `limit`, and
   * waits up to `waitMs` for one.
   */
  pollEvents(request: { acknowledge: readonly string[]; limit: number; waitMs: number }): Promise<BankEvent[]>;
  /** Whether the bank answers. @throws with the reason if it does not. */
  check(): Promise<void>;
}
