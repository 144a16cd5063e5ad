import type { ProblemKind } from '../problem.ts';

export const CREDENTIAL_PROBLEMS = {
  'no-payment-history': {
    status: 422,
    title: 'No bill counts for a credential',
    explanation:
      'The owner has no bill that counts in this period and these categories. A bill counts if its payments to one account in a month come to £1 or more and are final, and if somebody vouches for the payee. The field payments_left_out says how many payments went to other payees.',
    whatToDo:
      'Choose a longer period, leave out the categories, or wait until a payment is final. If payments were left out, ask the operator to confirm their payees.',
  },
  'credential-revoked': {
    status: 409,
    title: 'The credential is revoked',
    explanation: 'A revoked credential cannot be exported in a form that is meant to be shown to others.',
    whatToDo: 'Export the credential as JSON for your records, or generate a new credential.',
  },
  'credential-expired': {
    status: 409,
    title: 'The credential has expired',
    explanation: 'An expired credential cannot be exported in a form that is meant to be shown to others.',
    whatToDo: 'Generate a new credential. You can still export the expired credential as JSON for your records.',
  },
  'credential-damaged': {
    status: 500,
    title: 'The credential was tampered with',
    explanation: 'The stored credential no longer matches its signature, so the service does not return it.',
    whatToDo: 'Tell the operator the id of the credential, and generate a new credential.',
  },
} as const satisfies Record<string, ProblemKind>;
