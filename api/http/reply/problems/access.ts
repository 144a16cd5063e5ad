import type { ProblemKind } from './kind.ts';

export const ACCESS_PROBLEMS = {
  'credentials-missing': {
    status: 401,
    title: 'The request has no access token or API key',
    explanation:
      'This operation is not public, and the request has no Authorization header with a Bearer token. Or the operation belongs to the PII vault, and the request has no X-Vault-API-Key header.',
    whatToDo:
      'Send an access token or an API key in the Authorization header, after the word Bearer. For the PII vault, send the API key in the X-Vault-API-Key header.',
  },
  'client-certificate-missing': {
    status: 401,
    title: 'The request has no valid client certificate',
    explanation:
      'The PII vault requires mutual TLS. The request came without a client certificate. Or its certificate is not valid, for example because it has expired or because a different certificate authority issued it.',
    whatToDo:
      'Connect with a client certificate that the certificate authority of the PII vault issued, and send the API key in the X-Vault-API-Key header. A proxy in front of the service must pass the certificate on in the Client-Cert header (RFC 9440).',
  },
  'client-certificate-of-another-application': {
    status: 403,
    title: 'The client certificate belongs to a different application',
    explanation:
      'The client certificate names one or more applications. It works only with the API keys of these applications.',
    whatToDo: 'Connect with the client certificate of the application that owns the API key.',
  },
  'invalid-token': {
    status: 401,
    title: 'The access token or API key is not valid',
    explanation:
      'The access token or API key is unknown, expired or revoked, or only part of it was sent. Or the PII vault got an access token, but it accepts only API keys.',
    whatToDo:
      'Refresh the access token, or sign in again. For an API key, check that you copied the whole key, or ask the operator for a new key.',
  },
  'invalid-credentials': {
    status: 401,
    title: 'The email address or password is wrong',
    explanation:
      'No account has this email address and password. For security, the response does not say which of the two is wrong.',
    whatToDo:
      'Check both and try again. After too many wrong passwords (10 by default), you cannot sign in to the account from your network for some minutes.',
  },
  'invalid-refresh-token': {
    status: 401,
    title: 'The refresh token is not valid',
    explanation:
      'The refresh token is unknown, expired, revoked or already used. If a refresh token is used again more than 30 seconds after its first use, the sign-in ends, because the token might be stolen.',
    whatToDo:
      'Sign in again. Each refresh returns a new refresh token. Always keep the new token and discard the old one.',
  },
  'wrong-environment-key': {
    status: 401,
    title: 'The API key is for a different environment',
    explanation:
      'A sandbox accepts only API keys that begin with sk_test_. Production accepts only API keys that begin with sk_live_.',
    whatToDo: 'Use an API key that was issued for this environment.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'The access token or API key lacks a required scope',
    explanation:
      'The access token or API key is valid, but lacks a scope that this request needs. The field "scope" names such a scope.',
    whatToDo:
      'Use an access token or API key that has this scope. The user can grant most scopes to an OAuth client, and an operator can issue an API key with the scope.',
  },
  'users-only': {
    status: 403,
    title: 'Only a signed-in user can do this',
    explanation: 'This operation needs the account of a person, and an API key has no account.',
    whatToDo: 'Send the access token of the user.',
  },
  'other-owner': {
    status: 403,
    title: 'The request names a different owner',
    explanation:
      'The access token of a user gives access to the data of that user only, but the request names a different owner.',
    whatToDo: 'Send the id of the signed-in user. If the owner is optional, you can leave it out.',
  },
  'owner-of-another-application': {
    status: 403,
    title: 'The application has no access to this owner',
    explanation:
      'An API key can act for the owners of its own application. It can also act for people who granted the required scope to an OAuth client of that application. The owner in the request belongs to a different application, or is a person who has not granted the scope or has withdrawn it. Or no owner has this id, and the application is not allowed to create an owner with it.',
    whatToDo:
      'Ask the person to sign in through your OAuth client and grant the scope, or ask the operator which application the owner belongs to. An API key with the scope admin:owners can act for every owner.',
  },
  'unknown-owner': {
    status: 422,
    title: 'No owner has this id',
    explanation:
      'No person is registered with this id. The prefixes of the ids that the service makes, such as usr_ or pay_, are reserved for the service.',
    whatToDo: 'Check the id of the person. If you choose ids for your own owners, use ids with a different prefix.',
  },
  'account-disabled': {
    status: 403,
    title: 'The account is disabled',
    explanation:
      'An operator has disabled the account. Nobody can sign in to it, its sessions, tokens and grants have ended, and no application can act for the person. Payments that were not sent yet have failed, and their money is back in its vaults.',
    whatToDo:
      'Ask the operator of the service. Once the account is enabled again, the person must sign in and grant access again, and can retry the payments.',
  },
  'email-taken': {
    status: 409,
    title: 'The email address already has an account',
    explanation: 'An account with this email address already exists. Upper and lower case make no difference.',
    whatToDo: 'Sign in to the existing account, or register with a different email address.',
  },
  'registration-closed': {
    status: 403,
    title: 'Registration is closed',
    explanation:
      'This service creates accounts by invitation only. The request has no invitation, or its invitation is unknown, already used or expired.',
    whatToDo: 'Ask the operator for an invitation. Each invitation creates one account.',
  },
  'invalid-reset-token': {
    status: 401,
    title: 'The reset link is not valid',
    explanation:
      'The token of the reset link is unknown, was already used, or is older than 30 minutes. The token also stops working when the password changes.',
    whatToDo: 'Request a new reset link with POST /api/v1/auth/forgot-password.',
  },
  'invalid-verification-token': {
    status: 401,
    title: 'The verification link is not valid',
    explanation:
      'The token of the verification link is unknown, was already used, or is older than 24 hours. The token also stops working once the email address is verified.',
    whatToDo: 'Sign in, and request a new verification link with POST /api/v1/auth/verification-mail.',
  },
  'invalid-house-link': {
    status: 401,
    title: 'The link is not valid',
    explanation:
      'An operator made this link to connect the house account, which pays for people who connected no bank. The link is unknown, was already used, or is older than 30 minutes.',
    whatToDo: 'Run "bank connect" again, and open the new link.',
  },
  'email-not-verified': {
    status: 403,
    title: 'The email address is not verified',
    explanation:
      'In production, a person must verify their email address before they can add payees, connect a bank to pay, or make or retry payments. This also applies to applications that act for the person, and to payments that an API key makes for the person. Owners without an account need no verification.',
    whatToDo:
      'Open the verification link in the email that the service sent when the account was created, and enter the password. To get a new link, call POST /api/v1/auth/verification-mail.',
  },
  'form-expired': {
    status: 403,
    title: 'The form has expired',
    explanation:
      'The form is too old, was opened in a different browser or was sent by a different website. Or the browser sent no cookies.',
    whatToDo: 'Open the page again and fill in the form again. The browser must accept cookies from this service.',
  },
  'sign-in-failed': {
    status: 403,
    title: 'The sign-in with the provider failed',
    explanation:
      'For example, the provider did not confirm who is signing in, the sign-in was started in a different browser, or the provider has no verified email address for the person.',
    whatToDo: 'Start again from the sign-in page, or sign in with a password.',
  },
  'invalid-client': {
    status: 401,
    title: 'The OAuth client could not be authenticated',
    explanation:
      'The client_id is unknown, or the client did not authenticate correctly. RFC 6749 calls this error invalid_client.',
    whatToDo:
      'Check client_id and client_secret. A public client must not send a secret. A confidential client sends its secret in the body or with HTTP Basic authentication, but not in both.',
  },
  'invalid-grant': {
    status: 400,
    title: 'The authorization code or refresh token is not valid',
    explanation:
      'The authorization code or refresh token is unknown, expired, already used or revoked, or belongs to a different client. Or the redirect_uri or code_verifier does not match the authorization request. RFC 6749 calls this error invalid_grant.',
    whatToDo: "Send the person's browser to the authorization endpoint again to get a new code.",
  },
  'unauthorized-client': {
    status: 400,
    title: 'The OAuth client cannot use this grant type',
    explanation:
      'The client is registered, but is not allowed to use this grant type. RFC 6749 calls this error unauthorized_client.',
    whatToDo: 'Use the grant type authorization_code or refresh_token.',
  },
  'unsupported-grant-type': {
    status: 400,
    title: 'The grant type is not supported',
    explanation:
      'The grant_type is neither authorization_code nor refresh_token. RFC 6749 calls this error unsupported_grant_type.',
    whatToDo: 'Use the grant type authorization_code or refresh_token.',
  },
  'invalid-scope': {
    status: 400,
    title: 'The scope is not allowed',
    explanation:
      'A requested scope is unknown, was not registered for the client, or was not granted by the person. RFC 6749 calls this error invalid_scope.',
    whatToDo:
      'Request only scopes that are registered for the client. When you refresh a token, request only scopes that the person granted.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    explanation: 'Too many requests were sent in a short time, for example from this IP address or with this API key.',
    whatToDo: 'Wait for the number of seconds in the Retry-After header, then try again.',
  },
  'too-many-bytes': {
    status: 429,
    title: 'Too much is unfinished at once',
    explanation:
      'The service holds too many bytes for this caller: bodies that have not arrived completely, and responses that have not been read.',
    whatToDo:
      'Finish sending or reading your other requests, or close their connections. Then try again after the number of seconds in the Retry-After header.',
  },
  'pii-erased': {
    status: 410,
    title: 'The data was erased',
    explanation: 'The record was erased and its encryption key was destroyed, so nobody can ever read it again.',
    whatToDo: 'If you still need the data, and have a copy of it, store it as a new record.',
  },
  'pii-in-use': {
    status: 409,
    title: 'The service still needs the data',
    explanation: 'An account or a payee needs this record. The field used_by gives the id of the account or payee.',
    whatToDo: 'Keep the record for as long as the service has the account or the payee.',
  },
  'pii-damaged': {
    status: 500,
    title: 'The stored data is damaged',
    explanation:
      'The service cannot decrypt the stored data. Either something other than the service changed the stored data, or the master key of the data no longer exists. The audit log contains an event of the kind vault.tampering-detected or, for a document, document.tampering-detected.',
    whatToDo:
      'Tell the operator the reference of the record or the id of the document. The operator can restore the data or the master key from a backup, if there is one.',
  },
} as const satisfies Record<string, ProblemKind>;
