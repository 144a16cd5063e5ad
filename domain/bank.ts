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

/** Why the bank rejected or returned a payment: an ISO 20022 reason such as `AC04`, and the bank's words for it. */
export interface BankReason {
  code: string;
  detail: string;
}

/** What we ask the bank to do. One per payment and attempt; the pair is the bank's idempotency key. */
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
 * What came of handing an instruction over.
 * - `accepted`: the bank has it and gave it an id; `status` says how far it is (a rejection may come this way too), and
 *   `returned`, where it was asked for again, that the money has come back meanwhile.
 * - `refused`: the bank answered that it will not take this instruction; nothing moved.
 * - `not-accepted`: it certainly never took it (no connection, 429, 503); trying again, and cancelling, are both safe.
 * - `unknown`: it was sent and no clear answer came; it may have moved money. Only asking again tells.
 *
 * `refused` and `not-accepted` speak of that one call only: after an `unknown` one they do not prove that it moved nothing.
 */
export type SubmitOutcome =
  | (Omit<BankPayment, 'returned'> & { kind: 'accepted'; returned?: BankPayment['returned'] })
  | { kind: 'refused'; reason: BankReason }
  | { kind: 'not-accepted'; detail: string }
  | { kind: 'unknown'; detail: string };

/** A payment as the bank tells it now. `returned` is set once settled money has come back. */
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

/** The bank as the service sees it: a port with one adapter, UK Open Banking variable recurring payments. */
export interface Bank {
  /** Hands an instruction over. Safe to repeat with the same payment and attempt for 24 hours. Never throws for an outage. */
  submitPayment(instruction: BankInstruction): Promise<SubmitOutcome>;
  /** @throws when the bank cannot be reached or does not know the id. */
  readPayment(bankPaymentId: string): Promise<BankPayment>;
  /** Events not acknowledged yet, oldest first, at most `limit`; first acknowledges those in `acknowledge`. Waits up to `waitMs` for one. */
  pollEvents(request: { acknowledge: readonly string[]; limit: number; waitMs: number }): Promise<BankEvent[]>;
  /** Whether the bank answers. @throws with the reason when it does not. */
  check(): Promise<void>;
}
