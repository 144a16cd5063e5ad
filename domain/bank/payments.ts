import type { Pence } from '../money.ts';

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

/** An ISO 20022 reason such as `AC04`, with the bank's text. */
export interface BankReason {
  code: string;
  detail: string;
}

/** `paymentId` and `attempt` together are the bank's idempotency key. */
export interface BankInstruction {
  paymentId: string;
  attempt: number;
  amount: Pence;
  currency: 'GBP';
  reference: string | null;
  payee: { name: string; sortCode: string; accountNumber: string };
}

/**
 * The result of one call. An earlier `unknown` call for the same attempt may still have moved money.
 * - `accepted`: `status` can already be a rejection.
 * - `refused`: the bank refused this call, and the call moved no money.
 * - `not-accepted`: the bank did not process this call, for example with 401, 429 or 503.
 * - `unknown`: money may have moved. Only another request to the bank can show whether money moved.
 */
export type SubmitOutcome =
  | (Omit<BankPayment, 'returned'> & { kind: 'accepted'; returned?: BankPayment['returned'] })
  | { kind: 'refused'; reason: BankReason }
  | { kind: 'not-accepted'; detail: string }
  | { kind: 'unknown'; detail: string };

/** `returned` is set if settled money came back. */
export interface BankPayment {
  bankPaymentId: string;
  status: BankStatus;
  reason: BankReason | null;
  returned: { at: string; reason: BankReason } | null;
}

/** `instruction` is null if the bank names no payment of this service. */
export interface BankRecord extends BankPayment {
  instruction: Pick<BankInstruction, 'paymentId' | 'attempt'> | null;
}

/** Says that something has changed. Read the payment or consent to learn what changed. */
export type BankEvent =
  | { eventId: string; kind: 'payment'; bankPaymentId: string }
  | { eventId: string; kind: 'consent'; consentRef: string; what: ConsentChange };

/** The consent was revoked, or it is about other accounts than before. */
export type ConsentChange = 'revoked' | 'accounts-changed';
