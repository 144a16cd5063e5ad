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

/** `other` is an agreement outside of sweeping and the commercial scheme, as with the sandbox bank. */
export type VrpType = 'sweeping' | 'commercial' | 'other';

/** Six and eight digits. */
export interface PayeeAccount {
  name: string;
  sortCode: string;
  accountNumber: string;
}

/**
 * `paymentId` and `attempt` together are the bank's idempotency key. `agreed` is what the person's consent says. It is null for the
 * house account, whose consent names no payee.
 */
export interface BankInstruction {
  paymentId: string;
  attempt: number;
  amount: Pence;
  currency: 'GBP';
  reference: string | null;
  payee: PayeeAccount;
  agreed: { payee: PayeeAccount; vrpType: VrpType } | null;
}

/**
 * The result of one call. An earlier `unknown` call for the same attempt may still have moved money.
 * - `accepted`: `status` can already be a rejection.
 * - `refused`: the bank refused this call, and the call moved no money.
 * - `over-limit`: the bank refused this call, because the payment is beyond the limits of the consent.
 * - `no-consent`: the bank did not process this call, because it does not take the consent or its token. Ask about the consent.
 * - `not-accepted`: the bank did not process this call, for example with 429 or 503, and takes none before `until`.
 * - `unknown`: money may have moved. Only another request to the bank can show whether money moved.
 */
export type SubmitOutcome =
  | (Omit<BankPayment, 'returned'> & { kind: 'accepted'; returned?: BankPayment['returned'] })
  | { kind: 'refused'; reason: BankReason }
  | { kind: 'over-limit' | 'no-consent'; detail: string }
  | { kind: 'not-accepted'; detail: string; until: Date | null }
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
