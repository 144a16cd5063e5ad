import * as z from 'zod';
import { RATE_DECIMALS } from '../../../domain/yield.ts';
import { baseUrl, count, file, group, networks, pence, portOrNone, ratio, text } from '../kinds.ts';
import { apiPort } from './process.ts';

export const site = group('The public address', {
  publicUrl: baseUrl('RINGFENCE_PUBLIC_URL', ['https', 'http'], 'https://localhost:{RINGFENCE_PORT_API}').describe(
    'The address by which callers reach the service. It is the issuer of tokens.',
  ),
});

const vaultClientCa = file('VAULT_CLIENT_CA', '{RINGFENCE_DATA}/pki/vault-client-ca.crt').describe(
  'The authorities in PEM whose client certificates reach the PII vault. They are for nothing else.',
);

export const api = group('The API', {
  host: text('RINGFENCE_HOST', 'localhost').describe('The address on which the API listens.'),
  port: apiPort,
  tls: z.object({
    ca: file('TLS_CA', '{RINGFENCE_DATA}/pki/ca.crt').describe(
      'The authority of the API’s certificate in PEM. Local tools trust the API by it.',
    ),
    cert: file('TLS_CERT', '{RINGFENCE_DATA}/pki/server.crt').describe('The API’s certificate in PEM.'),
    key: file('TLS_KEY', '{RINGFENCE_DATA}/pki/server.key').describe('The key of that certificate in PEM.'),
  }),
  vaultClientCa,
  uploads: z.object({
    most: count('UPLOADS_AT_ONCE', 16, 1, 1_000).describe(
      'Requests with files that a process holds in memory at once. As many again may wait.',
    ),
    waitMs: count('UPLOADS_WAIT_MS', 10_000, 100, 60_000).describe(
      'How long such a request waits for a place before it is refused for now.',
    ),
    apartMs: count('UPLOADS_APART_MS', 100, 0, 1_000).describe(
      'How far apart files are taken in and stored, where several come at once. One alone never waits.',
    ),
  }),
  proxied: z.object({
    host: text('RINGFENCE_PROXIED_HOST', '127.0.0.1').describe('The address of the listener for proxies that end TLS.'),
    port: portOrNone('RINGFENCE_PORT_PROXIED', 0).describe('The port of that listener, in plain HTTP; 0 is none.'),
    trusted: networks('RINGFENCE_TRUSTED_PROXIES', '127.0.0.1/32,::1/128').describe(
      'The proxies whose `Client-Cert` (RFC 9440) and `X-Forwarded-For` count there.',
    ),
  }),
});

export const vaultAuthority = group('The authority of the vault’s client certificates', {
  vaultClientCa,
  vaultClientCaKey: file('VAULT_CLIENT_CA_KEY')
    .meta({
      fallback: '{RINGFENCE_DATA}/pki/vault-client-ca.key',
      onlyWithDefaultOf: 'VAULT_CLIENT_CA',
      description: 'The key of that authority in PEM, on the machine where operators issue certificates.',
    })
    .optional(),
});

export const passwords = group('Passwords', {
  concurrentHashes: count('PASSWORD_CONCURRENT_HASHES', 2, 1, 64).describe('Password hashes at once, per process.'),
  queuedHashes: count('PASSWORD_QUEUED_HASHES', 200, 1, 10_000).describe('Password hashes that may wait, per process.'),
});

export const signIn = group('Sign-in providers', {
  signInCa: file('SIGN_IN_CA')
    .describe('Authorities in PEM by which sign-in providers are trusted, beside the system’s.')
    .optional(),
});

export const limits = group('Limits', {
  credentialsPerMinute: count('LIMIT_CREDENTIALS_PER_MINUTE', 20, 1, 1_000_000).describe(
    'Requests per address and minute, to each of register, sign-in, forgotten password and reset.',
  ),
  tokensPerMinute: count('LIMIT_TOKENS_PER_MINUTE', 120, 1, 1_000_000).describe(
    'Requests per address and minute, to each of token, refresh, authorize and their like.',
  ),
  keyPerMinute: count('LIMIT_KEY_PER_MINUTE', 6_000, 1, 1_000_000).describe(
    'Requests of one API key in a minute, per process. `key create --per-minute` sets another limit for one key.',
  ),
  personPerMinute: count('LIMIT_PERSON_PER_MINUTE', 600, 1, 1_000_000).describe(
    'Requests of one person in a minute, per process.',
  ),
  failedLogins: count('LIMIT_FAILED_LOGINS', 10, 1, 1_000).describe(
    'Failed sign-ins per account and network address, in the window of `LIMIT_FAILED_LOGIN_WINDOW_S`.',
  ),
  failedLoginsEverywhere: count('LIMIT_FAILED_LOGINS_EVERYWHERE', 100, 1, 10_000).describe(
    'Failed sign-ins per account from everywhere. Places that signed in to it before are not refused by this.',
  ),
  failedLoginWindowS: count('LIMIT_FAILED_LOGIN_WINDOW_S', 900, 1, 86_400).describe('That window, in seconds.'),
  vaultWrongAnswers: count('LIMIT_VAULT_WRONG_ANSWERS', 10, 1, 1_000).describe('Wrong values per reference and hour.'),
  resetMailsPerHour: count('LIMIT_RESET_MAILS_PER_HOUR', 5, 1, 1_000).describe(
    'Letters with a link of one kind, per account and hour.',
  ),
  ownerDocumentsPerDay: count('LIMIT_OWNER_DOCUMENTS_PER_DAY', 200, 1, 1_000_000).describe(
    'Documents of one owner in 24 hours.',
  ),
  appDocumentsPerDay: count('LIMIT_APP_DOCUMENTS_PER_DAY', 1_000, 1, 10_000_000).describe(
    'Documents of one application in 24 hours.',
  ),
});

export const paymentLimits = group('Limits of payments', {
  payment: pence('LIMIT_PAYMENT')
    .describe('The largest payment, in pence. Without it there is no limit. Production needs it.')
    .optional(),
  ownerPerDay: pence('LIMIT_OWNER_PAYMENTS_PER_DAY')
    .describe(
      'What one owner may ask for in payments on one day in London, in pence. Without it there is no limit. Production needs it.',
    )
    .optional(),
});

export const credentials = group('Credentials of reliability', {
  signWithinMs: count('CREDENTIAL_SIGN_WITHIN_MS', 25_000, 100, 60_000).describe(
    'How long a caller is held until a new credential is signed.',
  ),
  pdfCertificate: file('CREDENTIAL_PDF_CERT', '{RINGFENCE_DATA}/pki/credential-signing.crt').describe(
    'The certificate in PEM that signs credentials as PDF, with the certificates above it.',
  ),
  pdfKey: file('CREDENTIAL_PDF_KEY', '{RINGFENCE_DATA}/pki/credential-signing.key').describe(
    'The key of that certificate in PEM: EC P-256 or RSA.',
  ),
});

export const interest = group('Interest', {
  annualRates: z.object({
    FIXED: ratio('YIELD_RATE_FIXED', '0', RATE_DECIMALS).describe('Interest a year on FIXED vaults.'),
    SAVINGS: ratio('YIELD_RATE_SAVINGS', '0.0410', RATE_DECIMALS).describe('Interest a year on SAVINGS vaults.'),
    DISCRETIONARY: ratio('YIELD_RATE_DISCRETIONARY', '0', RATE_DECIMALS).describe(
      'Interest a year on DISCRETIONARY vaults.',
    ),
  }),
});
