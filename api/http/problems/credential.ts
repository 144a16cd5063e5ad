import type { ProblemKind } from '../problem.ts';

/** Refusals of credentials. */
export const CREDENTIAL_PROBLEMS = {
  'no-payment-history': {
    status: 422,
    title: 'There are no bills to judge by',
    explanation:
      'The owner has no bill in the period and the categories: payments of £1 or more in a month that are concluded, to a payee for whom somebody vouches. `payments_left_out` says how many payments went to other payees.',
    whatToDo:
      'Look further back, leave categories out, or wait until a payment is concluded. Where payments were left out, ask the operator to confirm their payees.',
  },
  'credential-revoked': {
    status: 409,
    title: 'The credential is revoked',
    explanation: 'A revoked credential is not handed out in a form that is made to be shown.',
    whatToDo: 'Export it as JSON for the record, or generate a new one.',
  },
  'credential-expired': {
    status: 409,
    title: 'The credential has expired',
    explanation: 'An expired credential is not handed out in a form that is made to be shown.',
    whatToDo: 'Generate a new one; JSON is still to be had for the record.',
  },
  'credential-damaged': {
    status: 500,
    title: 'The credential was tampered with',
    explanation: 'The stored credential is not as this service signed it, so that it is not handed out.',
    whatToDo: 'Tell the operator its id, and generate a new one.',
  },
} as const satisfies Record<string, ProblemKind>;
