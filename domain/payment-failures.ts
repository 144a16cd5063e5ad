import type { PaymentFailure } from './payments.ts';

/* Why the service itself fails a payment that moved no money. Callers see `code` and `detail`. */

export const ACCOUNT_DISABLED: PaymentFailure = {
  code: 'account-disabled',
  detail: 'The account of the person is disabled.',
  retryable: true,
};

export const PAYEE_GONE: PaymentFailure = {
  code: 'unknown-provider',
  detail: 'The payee was removed before the payment was sent.',
  retryable: false,
};

export const OUT_OF_REACH: PaymentFailure = {
  code: 'owner-of-another-application',
  detail: 'The caller who requested the payment is no longer allowed to act for the owner.',
  retryable: true,
};

export const NOT_EVIDENCED: PaymentFailure = {
  code: 'income-not-evidenced',
  detail: "The owner's asserted income does not cover the payment.",
  retryable: true,
};

export const PAYS_BY_CONNECTION: PaymentFailure = {
  code: 'bank-not-connected',
  detail: 'The person pays from their own bank now, so the house account no longer pays.',
  retryable: true,
};

export const BEYOND_CONSENT: PaymentFailure = {
  code: 'exceeds-consent-limit',
  detail: "The payment is beyond what the person's consent allows this month.",
  retryable: true,
};

export const SPLIT_PAUSED: PaymentFailure = {
  code: 'split-paused',
  detail: 'The standing split that scheduled the payment is paused.',
  retryable: true,
};

export const NO_CONSENT: PaymentFailure = {
  code: 'CONSENT',
  detail:
    "The person's consent at the bank cannot be used at the moment. Let the person authorise a connection, and retry.",
  retryable: true,
};

export const OVER_LIMIT: PaymentFailure = {
  code: 'LIMIT',
  detail: 'The bank refused the payment, because it is beyond the limits of the consent.',
  retryable: true,
};

export const OTHER_ACCOUNT: PaymentFailure = {
  code: 'unknown-provider',
  detail: 'The payee has another account than the one that the person agreed to pay.',
  retryable: false,
};
