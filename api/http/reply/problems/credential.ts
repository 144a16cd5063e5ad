import type { ProblemKind } from './kind.ts';

export const CREDENTIAL_PROBLEMS = {
  'no-payment-history': {
    status: 422,
    title: 'No bills count towards a credential',
    explanation:
      'The owner has no bill that counts in this period and these categories. A bill consists of all payments to one account in one month, and counts if it comes to £1 or more. A payment counts only if somebody vouches for the payee. It must also have completed, have failed with its due date over, or have been retried after its due date. The field payments_left_out is the number of payments that do not count because nobody vouches for their payees.',
    whatToDo:
      'Choose a longer period, leave out the categories, or wait until a payment completes. If payments were left out, ask the operator to vouch for their payees.',
  },
  'credential-revoked': {
    status: 409,
    title: 'The credential is revoked',
    explanation: 'A revoked credential cannot be exported in a format that is meant to be shown to others.',
    whatToDo: 'Generate a new credential. You can still export the revoked credential as JSON for your records.',
  },
  'credential-expired': {
    status: 409,
    title: 'The credential has expired',
    explanation: 'An expired credential cannot be exported in a format that is meant to be shown to others.',
    whatToDo: 'Generate a new credential. You can still export the expired credential as JSON for your records.',
  },
  'credential-damaged': {
    status: 500,
    title: 'The stored credential is damaged',
    explanation:
      'The stored credential no longer matches its signature. It can be exported only as JSON, with the status tampered.',
    whatToDo: 'Tell the operator the id of the credential. If you need a credential now, generate a new one.',
  },
  'not-a-credential': {
    status: 422,
    title: 'The text is not a credential',
    explanation:
      'The text does not have the form of an SD-JWT (RFC 9901). It might be a part of a credential, its id or its address. White space in the text does not matter.',
    whatToDo:
      'Copy the whole SD-JWT, from the first letters, ey, to the last ~. If you have an id, verify the credential by its id.',
  },
} as const satisfies Record<string, ProblemKind>;
