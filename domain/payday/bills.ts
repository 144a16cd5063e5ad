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
