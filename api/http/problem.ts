import type { ErrorCode } from '../../domain/errors.ts';

/** What a code means to HTTP, and to the person who reads its page. */
export interface ProblemKind {
  status: number;
  title: string;
  /** When it is answered. */
  explanation: string;
  whatToDo: string;
}

/** Every refusal there is. A code without a row does not compile. */
export const PROBLEMS: Readonly<Record<ErrorCode, ProblemKind>> = {
  'invalid-request': {
    status: 400,
    title: 'The request does not fit the contract',
    explanation:
      'Something in the path, the query, a header or the body is missing, unknown, or not of the form that the contract asks for.',
    whatToDo:
      'Look at errors: each entry points at one fault and says what must be there. All faults are named at once.',
  },
  'malformed-json': {
    status: 400,
    title: 'The body cannot be read',
    explanation: 'The body is not JSON as in RFC 8259, or not UTF-8.',
    whatToDo: 'Send the body as a JSON document in UTF-8, made by a library rather than by hand.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation: 'The body is larger than is taken here; limit gives the most in bytes.',
    whatToDo: 'Send less in one request.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    explanation: 'All headers together, with the address, may have 16 kB.',
    whatToDo: 'Send fewer or shorter headers.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is of the wrong type',
    explanation: 'The Content-Type is missing or is one that this operation does not take, or the body is compressed.',
    whatToDo: 'Send JSON with Content-Type: application/json, uncompressed, in UTF-8.',
  },
  'not-acceptable': {
    status: 406,
    title: 'No form of the answer is acceptable',
    explanation: 'The Accept header names only types that this operation does not answer in.',
    whatToDo: 'Leave the Accept header out, or name one of the types that the contract declares.',
  },
  'not-found': {
    status: 404,
    title: 'There is no such thing',
    explanation: 'Nothing is at this address, or it belongs to somebody else; the two are not told apart on purpose.',
    whatToDo: 'Check the path and the identifier, and that the credential is the one of the owner.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not for this address',
    explanation: 'There is something at this address, but it does not take this method.',
    whatToDo: 'Use one of the methods that the Allow header names.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The request did not arrive as a whole in time.',
    whatToDo: 'Send it again, with the same Idempotency-Key where it had one.',
  },
  'credentials-missing': {
    status: 401,
    title: 'A credential is needed',
    explanation: 'This operation is not public and the request has no Authorization header of the form Bearer.',
    whatToDo: 'Send Authorization: Bearer with an access token or an API key.',
  },
  'client-certificate-missing': {
    status: 401,
    title: 'A client certificate is needed',
    explanation:
      'The PII vault is reached by mutual TLS. The connection showed no client certificate, or one that is expired or that the configured authority did not sign.',
    whatToDo:
      'Connect with a client certificate of that authority, and send the API key as X-Vault-API-Key. Behind a proxy, it has to pass the certificate on as Client-Cert (RFC 9440).',
  },
  'invalid-token': {
    status: 401,
    title: 'The token or key is not good',
    explanation: 'The credential is unknown, expired or revoked, or was copied incompletely.',
    whatToDo:
      'Refresh the token or sign in again; for an API key, check that all of it was copied, or have a new one issued.',
  },
  'invalid-credentials': {
    status: 401,
    title: 'E-mail or password is wrong',
    explanation: 'There is no account with this e-mail and password. Which of the two is wrong is not told on purpose.',
    whatToDo: 'Check both and try again. After 10 wrong passwords the account refuses for a while.',
  },
  'invalid-refresh-token': {
    status: 401,
    title: 'The refresh token is not good',
    explanation:
      'The refresh token is unknown, expired, or was used before. A second use ends the sign-in it came from, as it may be a theft.',
    whatToDo: 'Sign in again, and always keep the newest refresh token only.',
  },
  'wrong-environment-key': {
    status: 401,
    title: 'The key is for another environment',
    explanation:
      'A sandbox takes keys that begin with sk_test_ only; production takes keys that begin with sk_live_ only.',
    whatToDo: 'Use a key of this environment, or call the other one.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'The credential lacks a scope',
    explanation: 'The credential is good, but was not granted the scope that this operation needs; scope names it.',
    whatToDo: 'Use a credential that has the scope, or have one issued with it.',
  },
  'users-only': {
    status: 403,
    title: 'That is for signed-in users',
    explanation: 'The operation belongs to the account of a person. An API key has no account.',
    whatToDo: 'Call with the access token of the user.',
  },
  'other-owner': {
    status: 403,
    title: 'That is another owner',
    explanation: 'The access token of a user acts for that user only, and the request names another owner.',
    whatToDo: 'Name the id of the user that signed in, or use an API key, which may act for any owner.',
  },
  'email-taken': {
    status: 409,
    title: 'The e-mail has an account already',
    explanation: 'There is an account with this e-mail; letter case makes no difference.',
    whatToDo: 'Sign in instead, or register with another e-mail.',
  },
  'invalid-reset-token': {
    status: 401,
    title: 'The link is not good',
    explanation: 'The token of the reset link is unknown, was used already, or is older than 30 minutes.',
    whatToDo: 'Ask for a new link with POST /api/v1/auth/forgot-password.',
  },
  'form-expired': {
    status: 403,
    title: 'The form is out of date',
    explanation:
      'The form was not opened in this browser, or its cookies are gone; it may also have been sent from another site.',
    whatToDo: 'Open the page again and fill in the form anew. Cookies of this service must be allowed.',
  },
  'sign-in-failed': {
    status: 403,
    title: 'The sign-in with the other provider failed',
    explanation:
      'The other provider did not confirm who is signing in, the answer does not belong to this browser, or it has no verified e-mail address of the person.',
    whatToDo: 'Start again from the sign-in page, or sign in with a password.',
  },
  'invalid-client': {
    status: 401,
    title: 'The OAuth client is not known',
    explanation:
      'The client_id is unknown, or the client did not authenticate as it must. In RFC 6749 this is invalid_client.',
    whatToDo:
      'Check client_id and client_secret. A public client sends no secret; others send theirs in the body or by HTTP Basic, not both.',
  },
  'invalid-grant': {
    status: 400,
    title: 'The code or refresh token is not good',
    explanation:
      'The authorization code or refresh token is unknown, expired, used or revoked, belongs to another client, or came with another redirect_uri or code_verifier. In RFC 6749 this is invalid_grant.',
    whatToDo: 'Send the person through the authorization endpoint again.',
  },
  'unauthorized-client': {
    status: 400,
    title: 'The OAuth client may not do this',
    explanation: 'The client is known, but this grant is not for it. In RFC 6749 this is unauthorized_client.',
    whatToDo: 'Use the authorization code or refresh token grant.',
  },
  'unsupported-grant-type': {
    status: 400,
    title: 'There is no such grant',
    explanation:
      'The grant_type is neither authorization_code nor refresh_token. In RFC 6749 this is unsupported_grant_type.',
    whatToDo: 'Use one of the two.',
  },
  'invalid-scope': {
    status: 400,
    title: 'The scope is not to be had',
    explanation: 'A scope is unknown, or more than was registered or granted. In RFC 6749 this is invalid_scope.',
    whatToDo:
      'Ask for scopes that the client was registered with; on a refresh, for those that were granted, or fewer.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    explanation: 'More requests came than are taken in a while, from this address or for this account.',
    whatToDo: 'Wait for as many seconds as Retry-After says.',
  },
  'idempotency-key-in-use': {
    status: 409,
    title: 'The same key is being worked on',
    explanation: 'A request with this Idempotency-Key is running at this moment.',
    whatToDo: 'Send the same request again in a moment: it answers with what the first one did.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key named another request before',
    explanation: 'Within the last 24 hours this Idempotency-Key came with another body, or for another address.',
    whatToDo: 'Use a fresh key for each new request, and the same key only to repeat the very same one.',
  },
  'obligations-exceed-income': {
    status: 422,
    title: 'The obligations are larger than the income',
    explanation: 'The obligations add up to more than gross_pay; shortfall tells by how much, in pence.',
    whatToDo: 'Lower or leave out obligations until they fit the income.',
  },
  'paycheck-already-committed': {
    status: 409,
    title: 'Money of this paycheck is spent already',
    explanation:
      'The revision would leave less than what is allocated or paid from this paycheck: committed, by shortfall pence.',
    whatToDo: 'Withdraw allocations first, or revise to an amount that still covers them.',
  },
  'exceeds-safe-to-spend': {
    status: 422,
    title: 'More than is safe to spend',
    explanation: 'The amount is larger than what is safe to spend now, safe_to_spend_available in pence.',
    whatToDo: 'Allocate at most that, or withdraw from another vault first.',
  },
  'insufficient-vault-balance': {
    status: 422,
    title: 'The vault holds less',
    explanation: 'The amount is larger than what the vault, or the named allocation, holds: available, in pence.',
    whatToDo: 'Take at most that.',
  },
  'same-vault': {
    status: 422,
    title: 'Both vaults are the same',
    explanation: 'A transfer goes from one vault to another.',
    whatToDo: 'Name two vaults.',
  },
  'unknown-vault': {
    status: 422,
    title: 'The owner has no such vault',
    explanation: 'The request names a vault that the owner does not have.',
    whatToDo: 'List the vaults of the owner and use an id from there.',
  },
  'unknown-allocation': {
    status: 422,
    title: 'There is no such allocation',
    explanation: 'The request names an allocation that does not exist for this owner or vault.',
    whatToDo: 'Use the id that allocating, or the paycheck, gave.',
  },
  'balance-limit': {
    status: 422,
    title: 'The balance would grow too large',
    explanation: 'An owner holds at most as many pence as can be told exactly.',
    whatToDo: 'Spread the money over several owners.',
  },
  'insufficient-allocation': {
    status: 422,
    title: 'The allocation holds less',
    explanation: 'The payment is larger than what is left of the allocation: available, in pence.',
    whatToDo: 'Pay at most that, or allocate more first.',
  },
  'unknown-provider': {
    status: 422,
    title: 'There is no such provider',
    explanation: 'The request names a payee that was not added.',
    whatToDo: 'Add the provider first, or list the providers and use an id from there.',
  },
  'unsupported-currency': {
    status: 422,
    title: 'The currency is not supported',
    explanation: 'Payments are made in pounds sterling only.',
    whatToDo: 'Use GBP.',
  },
  'execution-date-out-of-range': {
    status: 422,
    title: 'The execution date is out of range',
    explanation: 'A payment can be set for today or for a date up to 365 days ahead.',
    whatToDo: 'Choose a date in that range, or leave execute_on out to pay now.',
  },
  'payment-not-failed': {
    status: 409,
    title: 'The payment has not failed',
    explanation: 'Only a failed payment can be tried again.',
    whatToDo: 'Read the payment. Nothing needs to be done where it is processing or completed.',
  },
  'payment-not-retryable': {
    status: 409,
    title: 'The payment must not be tried again',
    explanation: 'The bank rejected it for a reason that will not change, such as a closed account.',
    whatToDo: 'Read failure, mend the cause, and execute a new payment.',
  },
  'payment-attempts-exhausted': {
    status: 409,
    title: 'The payment was tried too often',
    explanation: 'A payment is tried 10 times at most.',
    whatToDo: 'Find out why it fails, and execute a new payment.',
  },
  'payment-not-pending': {
    status: 409,
    title: 'The payment is not pending',
    explanation: 'Only a pending payment can be cancelled: the bank may have accepted any other.',
    whatToDo: 'Read the payment to see how it stands.',
  },
  'payment-not-unknown': {
    status: 409,
    title: 'The outcome of the payment is known',
    explanation: 'Only a payment of which the bank does not tell the outcome is settled by hand.',
    whatToDo: 'Read the payment to see how it stands.',
  },
  'pii-erased': {
    status: 410,
    title: 'The data was erased',
    explanation: 'The record was erased and its key destroyed; nobody can read it again.',
    whatToDo: 'Store the data anew where it is still needed.',
  },
  'dependency-unavailable': {
    status: 503,
    title: 'A part of the service is down',
    explanation: 'Something that the operation needs cannot be reached now; nothing was half-done.',
    whatToDo: 'Send the same request again after Retry-After seconds, with the same Idempotency-Key where it had one.',
  },
  'internal-error': {
    status: 500,
    title: 'A fault of the service',
    explanation: 'Something failed that should not have. It was logged with the id of the request.',
    whatToDo: 'Send it again with the same Idempotency-Key; if it stays so, tell the operator the X-Request-Id.',
  },
};
