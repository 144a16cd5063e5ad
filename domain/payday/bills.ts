import type { ErrorCode } from '../errors.ts';

/** Why a payday left an entry out. Callers see the codes. */
export const LEFT_OUT = [
  'not-covered',
  'vault-short',
  'bank-not-connected',
  'exceeds-consent-limit',
  'exceeds-payment-limit',
  'email-not-verified',
  'authority-ended',
  'starts-next-month',
  'unknown-provider',
  'income-not-evidenced',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

/** Null for an error that says nothing about the payment of a bill. */
export function leftOutFor(code: ErrorCode): LeftOut | null {
  if (code === 'bank-consent-ended') return 'bank-not-connected';
  return REFUSALS.find((reason) => reason === code) ?? null;
}

/** The errors of `executePayment` that a payday shows as they are. */
const REFUSALS = LEFT_OUT.filter((reason) => !['not-covered', 'vault-short', 'starts-next-month'].includes(reason));
