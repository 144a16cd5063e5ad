import * as z from 'zod';
import { RATE_DECIMALS } from '../../../domain/yield.ts';
import {
  baseUrl,
  count,
  countOrUnset,
  file,
  group,
  mebibytes,
  networks,
  oneOf,
  pence,
  portOrNone,
  ratio,
  text,
} from '../kinds.ts';
import { apiPort } from './process.ts';

export const site = group('The public address', {
  publicUrl: baseUrl('RINGFENCE_PUBLIC_URL', ['https', 'http'], 'https://localhost:{RINGFENCE_PORT_API}').describe(
    'The service’s public URL, which is also the OAuth issuer.',
  ),
});

const vaultClientCa = file('VAULT_CLIENT_CA', '{RINGFENCE_DATA}/pki/vault-client-ca.crt').describe(
  'The CAs that issue client certificates for the PII vault. Use them for nothing else.',
);

export const api = group('The API', {
  host: text('RINGFENCE_HOST', 'localhost').describe('The host or IP address on which the API listens.'),
  port: apiPort,
  tls: z.object({
    ca: file('TLS_CA', '{RINGFENCE_DATA}/pki/ca.crt').describe('Its CA, which local tools trust.'),
    cert: file('TLS_CERT', '{RINGFENCE_DATA}/pki/server.crt').describe('The API’s certificate.'),
    key: file('TLS_KEY', '{RINGFENCE_DATA}/pki/server.key').describe('Its private key.'),
  }),
  vaultClientCa,
  uploads: z.object({
    most: count('UPLOADS_AT_ONCE', 16, 1, 1_000).describe(
      'How many uploads a process holds in memory. Each caller can have as many more that wait.',
    ),
    ofPerson: count('UPLOADS_AT_ONCE_OF_PERSON', 2, 1, 1_000).describe('How many of them a person may have.'),
    ofApplication: count('UPLOADS_AT_ONCE_OF_APPLICATION', 4, 1, 1_000).describe('The same for an application.'),
    waitMs: count('UPLOADS_WAIT_MS', 10_000, 100, 60_000).describe('How long an upload waits before it gets 503.'),
    apartMs: count('UPLOADS_APART_MS', 100, 0, 1_000).describe(
      'How long a process waits between uploads that arrive together.',
    ),
  }),
  memory: z.object({
    processBytes: mebibytes('MEMORY_FOR_CALLERS_MIB', 96, 32, 65_536).describe(
      'How much memory a process gives to connections, and to bodies and responses on their way. Over it, the slowest connections are closed.',
    ),
    callerBytes: mebibytes('MEMORY_A_CALLER_MIB', 24, 12, 65_536).describe(
      'How much of this memory a person, an API key or an IP address without a credential may use. Over it, requests get 429.',
    ),
  }),
  proxied: z.object({
    host: text('RINGFENCE_PROXIED_HOST', '127.0.0.1').describe('The IP address for proxies that terminate TLS.'),
    port: portOrNone('RINGFENCE_PORT_PROXIED', 0).describe('The port for these proxies, in plain HTTP. 0 means none.'),
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
      description: 'The private key of `VAULT_CLIENT_CA`. Set it only where operators issue certificates.',
    })
    .optional(),
});

export const passwords = group('Passwords', {
  concurrentHashes: count('PASSWORD_CONCURRENT_HASHES', 2, 1, 64).describe('How many a process hashes at once.'),
  queuedHashes: count('PASSWORD_QUEUED_HASHES', 200, 1, 10_000).describe('How many may wait.'),
});

export const registration = group('Registration', {
  mode: oneOf('REGISTRATION', ['open', 'closed'], 'open').describe(
    'Who may create an account. `closed` means only people with an invitation (`user invite`).',
  ),
});

export const signIn = group('Sign-in providers', {
  signInCa: file('SIGN_IN_CA').describe('CAs to trust besides the public ones.').optional(),
});

export const limits = group('Limits', {
  credentialsPerMinute: count('LIMIT_CREDENTIALS_PER_MINUTE', 20, 1, 1_000_000).describe(
    'How many requests an IP address may send to each operation such as registration and sign-in. An IPv6 /64 counts as one address, and a /48 may send eight times as many.',
  ),
  tokensPerMinute: count('LIMIT_TOKENS_PER_MINUTE', 120, 1, 1_000_000).describe(
    'The same for operations such as token, authorize and the verification of a credential. Requests to the PII vault without a valid certificate and key count too. An IP address may introspect fifty times as many tokens.',
  ),
  keyPerMinute: count('LIMIT_KEY_PER_MINUTE', 6_000, 1, 1_000_000).describe(
    'How many requests an API key may send to one process. `key create --per-minute` sets that of one key.',
  ),
  personPerMinute: count('LIMIT_PERSON_PER_MINUTE', 600, 1, 1_000_000).describe('The same for a person.'),
  failedLogins: count('LIMIT_FAILED_LOGINS', 10, 1, 1_000).describe(
    'How many failed sign-ins an account allows from one IP address (IPv6 /64) within the window.',
  ),
  failedLoginsEverywhere: count('LIMIT_FAILED_LOGINS_EVERYWHERE', 100, 1, 10_000).describe(
    'The same for all addresses together, except browsers and networks that have signed in to the account before.',
  ),
  failedLoginWindowS: count('LIMIT_FAILED_LOGIN_WINDOW_S', 900, 1, 86_400).describe('The window of both limits.'),
  vaultWrongAnswers: count('LIMIT_VAULT_WRONG_ANSWERS', 10, 1, 1_000).describe(
    'How many wrong values an application may send in an hour for one record of the PII vault.',
  ),
  resetMailsPerHour: count('LIMIT_RESET_MAILS_PER_HOUR', 5, 1, 1_000).describe(
    'How many emails an account gets in an hour for each kind of link, and about new passwords.',
  ),
  ownerDocumentsPerDay: count('LIMIT_OWNER_DOCUMENTS_PER_DAY', 200, 1, 1_000_000).describe(
    'How many documents an owner may upload in 24 hours.',
  ),
  appDocumentsPerDay: count('LIMIT_APP_DOCUMENTS_PER_DAY', 1_000, 1, 10_000_000).describe(
    'The same for an application.',
  ),
  ownerRevisionsPerDay: count('LIMIT_OWNER_REVISIONS_PER_DAY', 1_000, 1, 1_000_000).describe(
    'How many times an owner’s paychecks, debt plans and standing split may be calculated or changed in a day. Paydays are not refused. Of this and the next limits, clients and API keys may use half of a person’s.',
  ),
  ownerPayeesPerDay: count('LIMIT_OWNER_PAYEES_PER_DAY', 500, 1, 1_000_000).describe(
    'How many payees a person may add or rename in a day.',
  ),
  ownerPayeeReadsPerDay: count('LIMIT_OWNER_PAYEE_READS_PER_DAY', 100_000, 1, 1_000_000_000).describe(
    'How many payees a person’s lists may contain in a day, because each leaves an audit event.',
  ),
  ownerChecksPerDay: count('LIMIT_OWNER_CHECKS_PER_DAY', 1_000, 1, 1_000_000).describe(
    'How many affordability checks an owner may store in a day.',
  ),
  ownerCredentialsPerDay: count('LIMIT_OWNER_CREDENTIALS_PER_DAY', 500, 1, 1_000_000).describe(
    'How many credentials an owner may get in a day.',
  ),
});

export const paymentLimits = group('Limits of payments', {
  payment: pence('LIMIT_PAYMENT').describe('The largest payment. If unset, there is no limit.').optional(),
  ownerPerDay: pence('LIMIT_OWNER_PAYMENTS_PER_DAY')
    .describe(
      'The largest total that may be requested for an owner in a day, without failed and cancelled payments. If unset, there is no limit.',
    )
    .optional(),
  ownerCountPerDay: countOrUnset('LIMIT_OWNER_PAYMENT_COUNT_PER_DAY')
    .describe(
      'How many payments of an owner may go out in a day. Clients and API keys of a person may together order half as many. If unset, the limit is 10000.',
    )
    .optional(),
  appCountPerDay: countOrUnset('LIMIT_APP_PAYMENT_COUNT_PER_DAY')
    .describe('The same for an application, over all its owners. If unset, the limit is 1000000.')
    .optional(),
});

export const credentials = group('Signed credentials', {
  signWithinMs: count('CREDENTIAL_SIGN_WITHIN_MS', 25_000, 100, 60_000).describe(
    'How long a request for a credential waits for its signature.',
  ),
  pdfCertificate: file('CREDENTIAL_PDF_CERT', '{RINGFENCE_DATA}/pki/credential-signing.crt').describe(
    'The certificate for credentials as PDF, with its chain.',
  ),
  pdfKey: file('CREDENTIAL_PDF_KEY', '{RINGFENCE_DATA}/pki/credential-signing.key').describe(
    'Its private key: EC P-256 or RSA.',
  ),
});

export const interest = group('Interest', {
  annualRates: z.object({
    FIXED: ratio('YIELD_RATE_FIXED', '0', RATE_DECIMALS).describe(
      'The annual interest rate of FIXED vaults, from the day of `db:migrate`.',
    ),
    SAVINGS: ratio('YIELD_RATE_SAVINGS', '0.0410', RATE_DECIMALS).describe('The same for SAVINGS vaults.'),
    DISCRETIONARY: ratio('YIELD_RATE_DISCRETIONARY', '0', RATE_DECIMALS).describe('The same for DISCRETIONARY vaults.'),
  }),
});
