import type { ProblemKind } from './kind.ts';

export const BANK_PROBLEMS = {
  'owner-without-account': {
    status: 422,
    title: 'The owner has no account',
    explanation:
      'Only a registered person can connect a bank, because the person must sign in here and at the bank. The owner in the request has no account.',
    whatToDo: 'Send the id of a registered person. Such an id begins with usr_.',
  },
  'unknown-bank': {
    status: 422,
    title: 'No bank has this id',
    explanation: 'This service cannot reach a bank with this id.',
    whatToDo: 'Choose a bank_id from GET /api/v1/bank/banks.',
  },
  'unknown-bank-answer': {
    status: 400,
    title: 'This answer of a bank is not expected here',
    explanation:
      'A browser brought an answer from a bank, but nobody here waits for it. Its state is unknown or missing, it belongs to an attempt that is long over, or the same attempt brought five answers before.',
    whatToDo: 'Start again in the application that you came from. Nothing was connected or changed.',
  },
  'unknown-institution': {
    status: 422,
    title: 'The bank has no institution with this id',
    explanation:
      'Some entries of the list of banks lead to several institutions. This entry has no institution with the id in the request.',
    whatToDo:
      'Choose an institution_id from the entry of the bank in GET /api/v1/bank/banks, or leave it out. Without it, the person chooses on the way to the bank.',
  },
  'bank-cannot-pay': {
    status: 422,
    title: 'The bank makes no payments for this service',
    explanation: 'This service can only read accounts at this bank. In the list of banks, its field "pays" is empty.',
    whatToDo: 'Choose a bank from GET /api/v1/bank/banks whose field "pays" has the category of the payee.',
  },
  'bank-cannot-read': {
    status: 422,
    title: 'The bank shows this service no accounts',
    explanation:
      'This service can only make payments from this bank: in the list of banks, its field "reads" is false. Or the connection in the request makes payments, and reads no accounts.',
    whatToDo:
      'Make a connection of the kind accounts, at a bank of GET /api/v1/bank/banks whose field "reads" is true.',
  },
  'unregistered-return-url': {
    status: 422,
    title: 'The return URL is not registered',
    explanation:
      'After the journey to the bank, the browser is led only to a redirect URI of an OAuth client of the calling application. The return_url must be equal to one, character by character. A person who signed in without an OAuth client has no return URL.',
    whatToDo: 'Send a registered redirect URI, or leave out return_url. Ask the operator to register a redirect URI.',
  },
  'payee-not-payable': {
    status: 422,
    title: 'The bank cannot pay this payee by a consent',
    explanation:
      'Banks pay without the person present only to some kinds of payees. The field "category" gives the category of the payee, and the bank does not list it.',
    whatToDo: 'Choose a bank from GET /api/v1/bank/banks whose field "pays" has this category.',
  },
  'own-sign-in-required': {
    status: 403,
    title: 'Only the person can do this',
    explanation:
      'The law asks for the person’s own word here. So neither an API key nor the access token of an OAuth client is enough.',
    whatToDo:
      'Send the person to the page of this service, or use an access token that the person got from POST /api/v1/auth/login.',
  },
  'bank-not-connected': {
    status: 409,
    title: 'No bank is connected yet',
    explanation:
      'The person has not authorised a connection at a bank that this request needs. If there is a connection, the field connection_status gives its status.',
    whatToDo:
      'Make a connection with POST /api/v1/bank/connections. Send the person to its authorise_url, and wait until its status is authorised.',
  },
  'bank-consent-ended': {
    status: 409,
    title: 'The connection to the bank has ended',
    explanation:
      'The connection was rejected, was revoked or has expired, or, for a payment, the bank wants the person to authorise it again. The field connection_status says which. A connection that has ended never works again.',
    whatToDo:
      'Make another connection with POST /api/v1/bank/connections, or, if connection_status is reauthorisation_needed, renew it with POST /api/v1/bank/connections/{connection_id}/reauthorise. Send the person to its authorise_url.',
  },
  'bank-authorisation-needed': {
    status: 409,
    title: 'The person must go to the bank again',
    explanation:
      'This bank does not let the service go on by the person’s word alone. The field authorise_url gives the page on which the person begins.',
    whatToDo: 'Send the person to authorise_url.',
  },
  'bank-reconfirmation-needed': {
    status: 409,
    title: 'The person must confirm that reading may go on',
    explanation:
      'The service may read accounts for 90 days after the person allowed or confirmed it. These days are over. The field reconfirm_by gives the last one.',
    whatToDo:
      'Send the person to the page /api/v1/bank/connections/{connection_id}/reconfirm of this service, or have them confirm with POST to the same address.',
  },
  'bank-read-limit': {
    status: 429,
    title: 'The accounts may not be read again yet',
    explanation:
      'Without the person, the bank lets the service read an account only a few times in 24 hours, and the requests of today are used up. Or the bank asked the service to wait.',
    whatToDo:
      'Wait for the number of seconds in Retry-After. The service also reads the accounts by itself. A person who has just signed in can have them read at once.',
  },
  'unknown-transaction': {
    status: 422,
    title: 'No bank transaction has this id',
    explanation: 'The bank has reported no transaction with this id to the person, or it is no longer kept.',
    whatToDo: 'Choose a transaction_id from GET /api/v1/bank/transactions.',
  },
  'unknown-wage': {
    status: 422,
    title: 'The owner has no wage with this id',
    explanation: 'A paycheck can be calculated from a wage of the same person only.',
    whatToDo: 'Choose a wage_id from GET /api/v1/bank/wages.',
  },
  'wage-reversed': {
    status: 409,
    title: 'The wage went back to its payer',
    explanation: 'An equal amount left the account to the same payer within five days, so this credit is no income.',
    whatToDo: 'Name the credit that replaced it, if there is one.',
  },
  'not-a-credit': {
    status: 422,
    title: 'The transaction is no credit',
    explanation: 'Only money that arrived can be a wage. This transaction took money out of the account.',
    whatToDo: 'Choose a transaction from GET /api/v1/bank/transactions whose amount is positive.',
  },
  'credit-from-own-account': {
    status: 422,
    title: 'The money came from an own account',
    explanation:
      'The bank says that the money came from an account that is or was the person’s own, or an equal amount left another account of the person within a day. Money that a person moves between their own accounts is no income.',
    whatToDo: 'Choose the credit with which the wage arrived first.',
  },
  'nothing-to-reconfirm': {
    status: 409,
    title: 'The connection needs no confirmation',
    explanation: 'Only a connection that reads accounts is confirmed every 90 days. This connection makes payments.',
    whatToDo: 'You need not do anything. The connection works until its limits end, or until somebody ends it.',
  },
} as const satisfies Record<string, ProblemKind>;
