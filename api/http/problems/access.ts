import type { ProblemKind } from '../problem.ts';

/** Refusals of who is asking, and of personal data. */
export const ACCESS_PROBLEMS = {
  'credentials-missing': {
    status: 401,
    title: 'A credential is needed',
    explanation:
      'This operation is not public and the request has no Authorization header of the form Bearer, or at the PII vault no X-Vault-API-Key.',
    whatToDo: 'Send Authorization: Bearer with an access token or an API key; at the PII vault, X-Vault-API-Key.',
  },
  'client-certificate-missing': {
    status: 401,
    title: 'A client certificate is needed',
    explanation:
      'The PII vault is reached by mutual TLS. The connection showed no client certificate, or one that is expired, that is not made for clients, or that the authority of the vault did not sign.',
    whatToDo:
      'Connect with a client certificate of that authority, and send the API key as X-Vault-API-Key. Behind a proxy, it has to pass the certificate on as Client-Cert (RFC 9440).',
  },
  'client-certificate-of-another-application': {
    status: 403,
    title: 'The client certificate is for another application',
    explanation:
      'The certificate names the application that it was issued for, and only API keys of that application may be used with it.',
    whatToDo: 'Connect with the certificate of the application that the API key belongs to.',
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
    whatToDo: 'Name the id of the user that signed in, or leave it out where it may be left out.',
  },
  'owner-of-another-application': {
    status: 403,
    title: 'The owner is not within reach of the application',
    explanation:
      'An API key acts for the owners of its own application, and for people who granted one of its OAuth clients the scope that the operation needs. This owner belongs to another application, the id is kept for one, or the person has granted nothing, or not enough, or no longer.',
    whatToDo:
      'Send the person through the sign-in of your OAuth client, or ask the operator which application the owner belongs to. A key with the scope admin:owners acts for every owner.',
  },
  'unknown-owner': {
    status: 422,
    title: 'There is no such owner',
    explanation:
      'Ids that begin like those of the service itself, such as usr_ or pay_, are given out by the service alone, and there is no owner with this one.',
    whatToDo: "Check the person's id, or give your own owners ids that begin otherwise.",
  },
  'email-taken': {
    status: 409,
    title: 'The e-mail has an account already',
    explanation: 'There is an account with this e-mail; letter case makes no difference.',
    whatToDo: 'Sign in instead, or register with another e-mail.',
  },
  'registration-closed': {
    status: 403,
    title: 'Registration is closed',
    explanation:
      'This service creates accounts by invitation only. The request has no invitation, or its invitation was used before or has expired.',
    whatToDo: 'Ask the operator for an invitation. Each invitation creates one account.',
  },
  'invalid-reset-token': {
    status: 401,
    title: 'The link is not good',
    explanation: 'The token of the reset link is unknown, was used already, or is older than 30 minutes.',
    whatToDo: 'Ask for a new link with POST /api/v1/auth/forgot-password.',
  },
  'invalid-verification-token': {
    status: 401,
    title: 'The link is not good',
    explanation: 'The token of the verification link is unknown, was used already, or is older than 24 hours.',
    whatToDo: 'Sign in and have a new link sent with POST /api/v1/auth/verification-mail.',
  },
  'email-not-verified': {
    status: 403,
    title: 'The e-mail address is not verified',
    explanation:
      'In production a person adds payees and pays only once their e-mail address is verified. That holds for their applications and for keys that act for them, too. Owners without an account need no verification.',
    whatToDo:
      'Open the link that was mailed when the account was made and type the password, or have a new link sent with POST /api/v1/auth/verification-mail.',
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
  'pii-erased': {
    status: 410,
    title: 'The data was erased',
    explanation: 'The record was erased and its key destroyed; nobody can read it again.',
    whatToDo: 'Store the data anew where it is still needed.',
  },
  'pii-in-use': {
    status: 409,
    title: 'The service needs the data',
    explanation:
      'The record is what the service itself keeps of an account or a payee, named in used_by, and would leave that unusable.',
    whatToDo: 'Erase the account or the payee; its personal data goes with it.',
  },
  'pii-damaged': {
    status: 500,
    title: 'The data was tampered with',
    explanation:
      'The stored record, or what it is bound to (reference, type, owner, time), is not as this service wrote it. It was not decrypted. The attempt is in the log and in the audit log as vault.tampering-detected.',
    whatToDo: 'Tell the operator the reference. The record can be erased, or restored from a backup.',
  },
} as const satisfies Record<string, ProblemKind>;
