import * as z from 'zod';
import { RATE_DECIMALS } from '../../../domain/yield.ts';
import { baseUrl, count, file, group, networks, oneOf, pence, portOrNone, ratio, text } from '../kinds.ts';
import { apiPort } from './process.ts';

export const site = group('The public address', {
  publicUrl: baseUrl('RINGFENCE_PUBLIC_URL', ['https', 'http'], 'https://localhost:{RINGFENCE_PORT_API}').describe(
    'The service’s public URL, which is also the OAuth issuer.',
  ),
});

const vaultClientCa = file('VAULT_CLIENT_CA', '{RINGFENCE_DATA}/pki/vault-client-ca.crt').describe(
  'The certificates of the CAs that issue client certificates for the PII vault, in PEM. Use these CAs only for the PII vault.',
);

export const api = group('The API', {
  host: text('RINGFENCE_HOST', 'localhost').describe('The host name or IP address on which the API listens.'),
  port: apiPort,
  tls: z.object({
    ca: file('TLS_CA', '{RINGFENCE_DATA}/pki/ca.crt').describe(
      'The certificate of the CA that issued the API’s certificate, in PEM. Local tools, such as the demo, trust this CA.',
    ),
    cert: file('TLS_CERT', '{RINGFENCE_DATA}/pki/server.crt').describe('The API’s certificate in PEM.'),
    key: file('TLS_KEY', '{RINGFENCE_DATA}/pki/server.key').describe(
      'The private key of the certificate in `TLS_CERT`, in PEM.',
    ),
  }),
  vaultClientCa,
  uploads: z.object({
    most: count('UPLOADS_AT_ONCE', 16, 1, 1_000).describe(
      'The maximum number of uploads that a process holds in memory at once. The same number of further uploads can wait.',
    ),
    waitMs: count('UPLOADS_WAIT_MS', 10_000, 100, 60_000).describe('How long an upload waits before it gets 503.'),
    apartMs: count('UPLOADS_APART_MS', 100, 0, 1_000).describe(
      'If several uploads arrive at the same time, how long the process waits before it reads the next upload. A single upload does not wait.',
    ),
  }),
  proxied: z.object({
    host: text('RINGFENCE_PROXIED_HOST', '127.0.0.1').describe(
      'The IP address on which the API listens for proxies that terminate TLS.',
    ),
    port: portOrNone('RINGFENCE_PORT_PROXIED', 0).describe(
      'The port of the listener for proxies, in plain HTTP. 0 means no listener.',
    ),
    trusted: networks('RINGFENCE_TRUSTED_PROXIES', '127.0.0.1/32,::1/128').describe(
      'The proxies whose headers `Client-Cert` (RFC 9440) and `X-Forwarded-For` the API trusts.',
    ),
  }),
});

export const vaultAuthority = group('The CA of the PII vault’s client certificates', {
  vaultClientCa,
  vaultClientCaKey: file('VAULT_CLIENT_CA_KEY')
    .meta({
      fallback: '{RINGFENCE_DATA}/pki/vault-client-ca.key',
      onlyWithDefaultOf: 'VAULT_CLIENT_CA',
      description:
        'The private key of the CA in `VAULT_CLIENT_CA`, in PEM. Set this key only on machines on which operators issue certificates.',
    })
    .optional(),
});

export const passwords = group('Passwords', {
  concurrentHashes: count('PASSWORD_CONCURRENT_HASHES', 2, 1, 64).describe(
    'The maximum number of password hashes that one process computes at once.',
  ),
  queuedHashes: count('PASSWORD_QUEUED_HASHES', 200, 1, 10_000).describe(
    'The maximum number of passwords that wait in one process to be hashed.',
  ),
});

export const registration = group('Registration', {
  mode: oneOf('REGISTRATION', ['open', 'closed'], 'open').describe(
    'Who may create an account: `open` means everybody, `closed` means only people with an invitation (`user invite`).',
  ),
});

export const signIn = group('Sign-in providers', {
  signInCa: file('SIGN_IN_CA')
    .describe('The certificates of additional CAs that the service trusts for sign-in providers, in PEM.')
    .optional(),
});

export const limits = group('Limits', {
  credentialsPerMinute: count('LIMIT_CREDENTIALS_PER_MINUTE', 20, 1, 1_000_000).describe(
    'How many requests one IP address may send in a minute to each of several operations, such as registration, sign-in and password reset. In IPv6, a /64 network counts as one address, and a /48 network may send eight times as many.',
  ),
  tokensPerMinute: count('LIMIT_TOKENS_PER_MINUTE', 120, 1, 1_000_000).describe(
    'How many requests one IP address may send in a minute to each of several operations, such as token, refresh, authorize and the verification of a credential. It also limits the requests to the PII vault without a valid certificate and API key. IPv6 networks count as for LIMIT_CREDENTIALS_PER_MINUTE.',
  ),
  keyPerMinute: count('LIMIT_KEY_PER_MINUTE', 6_000, 1, 1_000_000).describe(
    'How many requests one API key may send to one process in a minute. `key create --per-minute` sets a different limit for one key.',
  ),
  personPerMinute: count('LIMIT_PERSON_PER_MINUTE', 600, 1, 1_000_000).describe(
    'How many requests one person may send to one process in a minute.',
  ),
  failedLogins: count('LIMIT_FAILED_LOGINS', 10, 1, 1_000).describe(
    'How many failed sign-ins are allowed for one account from one IP address (or IPv6 /64 network), within `LIMIT_FAILED_LOGIN_WINDOW_S`.',
  ),
  failedLoginsEverywhere: count('LIMIT_FAILED_LOGINS_EVERYWHERE', 100, 1, 10_000).describe(
    'How many failed sign-ins are allowed for one account in total, within `LIMIT_FAILED_LOGIN_WINDOW_S`. Browsers and networks from which somebody has signed in to the account before are exempt.',
  ),
  failedLoginWindowS: count('LIMIT_FAILED_LOGIN_WINDOW_S', 900, 1, 86_400).describe(
    'The time window in seconds for both limits on failed sign-ins.',
  ),
  vaultWrongAnswers: count('LIMIT_VAULT_WRONG_ANSWERS', 10, 1, 1_000).describe(
    'How many wrong values one application may send in an hour for one record of the PII vault.',
  ),
  resetMailsPerHour: count('LIMIT_RESET_MAILS_PER_HOUR', 5, 1, 1_000).describe(
    'How many emails one account may get in an hour for each kind of link, such as password reset links, and about changes of its password.',
  ),
  ownerDocumentsPerDay: count('LIMIT_OWNER_DOCUMENTS_PER_DAY', 200, 1, 1_000_000).describe(
    'How many documents one owner may upload in 24 hours.',
  ),
  appDocumentsPerDay: count('LIMIT_APP_DOCUMENTS_PER_DAY', 1_000, 1, 10_000_000).describe(
    'How many documents one application may upload in 24 hours.',
  ),
});

export const paymentLimits = group('Limits of payments', {
  payment: pence('LIMIT_PAYMENT')
    .describe(
      'The largest payment that is allowed, in pence. If unset, there is no limit. Production requires this setting.',
    )
    .optional(),
  ownerPerDay: pence('LIMIT_OWNER_PAYMENTS_PER_DAY')
    .describe(
      'The largest total, in pence, of the payments that may be requested for one owner in one day (London time). Failed and cancelled payments do not count. If unset, there is no limit. Production requires this setting.',
    )
    .optional(),
});

export const credentials = group('Signed credentials', {
  signWithinMs: count('CREDENTIAL_SIGN_WITHIN_MS', 25_000, 100, 60_000).describe(
    'How long a request for a new credential waits for the credential’s signature.',
  ),
  pdfCertificate: file('CREDENTIAL_PDF_CERT', '{RINGFENCE_DATA}/pki/credential-signing.crt').describe(
    'The certificate of the key that signs credentials as PDF, with the certificate’s chain, in PEM.',
  ),
  pdfKey: file('CREDENTIAL_PDF_KEY', '{RINGFENCE_DATA}/pki/credential-signing.key').describe(
    'The private key of the certificate in `CREDENTIAL_PDF_CERT`, in PEM: EC P-256 or RSA.',
  ),
});

export const interest = group('Interest', {
  annualRates: z.object({
    FIXED: ratio('YIELD_RATE_FIXED', '0', RATE_DECIMALS).describe('The annual interest rate of FIXED vaults.'),
    SAVINGS: ratio('YIELD_RATE_SAVINGS', '0.0410', RATE_DECIMALS).describe(
      'The annual interest rate of SAVINGS vaults.',
    ),
    DISCRETIONARY: ratio('YIELD_RATE_DISCRETIONARY', '0', RATE_DECIMALS).describe(
      'The annual interest rate of DISCRETIONARY vaults.',
    ),
  }),
});
