import * as z from 'zod';
import { baseUrl, count, file, group, oneOf, text, trueOrFalse, url } from '../kinds.ts';

const EMBEDDED = 'localhost:{RINGFENCE_PORT_POSTGRES}/ringfence';

export const database = group('The database', {
  url: url(
    'DATABASE_URL',
    ['postgresql', 'postgres'],
    `postgresql://ringfence_service:ringfence_service@${EMBEDDED}`,
  ).describe(
    'The URL of PostgreSQL, with the service’s database role, which owns no tables. The default is the embedded PostgreSQL.',
  ),
  poolSize: count('DATABASE_POOL_SIZE', 20, 5, 1_000).describe(
    'The maximum number of database connections of one process.',
  ),
  groupCommit: oneOf('DATABASE_GROUP_COMMIT', ['on', 'off'], 'on').describe(
    'Whether concurrent requests commit together (docs/decisions.md).',
  ),
  timeoutMs: count('DATABASE_TIMEOUT_MS', 15_000, 1_000, 600_000).describe(
    'How long a database statement of the API or a worker may take.',
  ),
});

export const migration = group('Migrations', {
  migrationUrl: url('DATABASE_MIGRATION_URL', ['postgresql', 'postgres'])
    .meta({
      fallback: `postgresql://ringfence:ringfence@${EMBEDDED}`,
      onlyWithDefaultOf: 'DATABASE_URL',
      description: 'The URL of the database in `DATABASE_URL`, with the role that owns the schema (`DEPLOYING.md`).',
    })
    .optional(),
  migrationLockMs: count('DATABASE_MIGRATION_LOCK_MS', 1_000, 10, 60_000).describe(
    'How long a migration waits for a lock before the migration lets other transactions pass and tries again.',
  ),
  migrationTryS: count('DATABASE_MIGRATION_TRY_S', 300, 1, 86_400).describe(
    'For how many seconds a migration keeps trying to get the lock before it fails.',
  ),
});

export const temporal = group('Temporal', {
  address: text('TEMPORAL_ADDRESS', 'localhost:{RINGFENCE_PORT_TEMPORAL}').describe(
    'The host and port of Temporal. The default is the local Temporal.',
  ),
  namespace: text('TEMPORAL_NAMESPACE', 'default').describe('The service’s namespace in Temporal.'),
  tls: trueOrFalse('TEMPORAL_TLS', 'false').describe('Whether the service connects to Temporal with TLS.'),
  tlsCa: file('TEMPORAL_TLS_CA')
    .describe(
      'The certificate of the CA that issued Temporal’s certificate, in PEM. If unset, the service trusts public CAs.',
    )
    .optional(),
  tlsClient: z
    .object({
      cert: file('TEMPORAL_TLS_CERT').describe(
        'The service’s client certificate for Temporal, in PEM. Set `TEMPORAL_TLS_KEY` too.',
      ),
      key: file('TEMPORAL_TLS_KEY').describe('The private key of the certificate in `TEMPORAL_TLS_CERT`, in PEM.'),
    })
    .optional(),
  apiKey: text('TEMPORAL_API_KEY')
    .describe('The service’s API key for Temporal, if Temporal requires an API key.')
    .optional(),
});

export const temporalUi = group('Temporal’s Web UI', {
  uiUrl: baseUrl('TEMPORAL_UI_URL', ['https', 'http'], 'http://localhost:{RINGFENCE_PORT_TEMPORAL_UI}').describe(
    'The URL of Temporal’s Web UI. Operator commands print links that begin with this URL.',
  ),
});

export const bank = group('The connection to the bank', {
  url: baseUrl('BANK_URL', ['https'], 'https://localhost:{RINGFENCE_PORT_BANK}').describe(
    'The URL of the bank’s API. The default is the sandbox bank.',
  ),
  tokenUrl: url('BANK_TOKEN_URL', ['https'], '{BANK_URL}/token').describe(
    'The URL at which the bank issues access tokens.',
  ),
  eventsUrl: url('BANK_EVENTS_URL', ['https'], '{BANK_URL}/events').describe(
    'The URL from which the service fetches the bank’s events.',
  ),
  clientId: text('BANK_CLIENT_ID', 'ringfence').describe('The service’s client id at the bank.'),
  tls: z.object({
    ca: file('BANK_TLS_CA', '{RINGFENCE_DATA}/pki/ca.crt').describe(
      'The certificate of the CA that issued the bank’s certificate, in PEM.',
    ),
    cert: file('BANK_TLS_CERT', '{RINGFENCE_DATA}/pki/bank-client.crt').describe(
      'The service’s client certificate for the bank, in PEM.',
    ),
    key: file('BANK_TLS_KEY', '{RINGFENCE_DATA}/pki/bank-client.key').describe(
      'The private key of the certificate in `BANK_TLS_CERT`, in PEM.',
    ),
  }),
  timeoutMs: count('BANK_TIMEOUT_MS', 10_000, 100, 120_000).describe(
    'How long the service waits for the bank’s response.',
  ),
});

export const bankSigning = group('Signatures of payments', {
  consentId: text('BANK_CONSENT_ID', 'sandbox-consent').describe(
    'The id of the consent at the bank that allows the service’s payments.',
  ),
  signingKey: file('BANK_SIGNING_KEY', '{RINGFENCE_DATA}/pki/bank-signing.key').describe(
    'The private key that signs payment orders, in PEM.',
  ),
  signingKeyId: text('BANK_SIGNING_KEY_ID', 'ringfence-signing').describe(
    'The bank’s id for the key in `BANK_SIGNING_KEY`.',
  ),
  signingIssuer: text('BANK_SIGNING_ISSUER', 'ringfence.local').describe(
    'The issuer name that the bank assigned to the owner of `BANK_SIGNING_KEY`.',
  ),
  serverSigningCertificate: file('BANK_SERVER_SIGNING_CERT', '{RINGFENCE_DATA}/pki/bank-server-signing.crt').describe(
    'The certificates of the keys with which the bank signs responses, in PEM.',
  ),
});

export const keys = group('Master keys', {
  service: oneOf('KEY_SERVICE', ['file', 'transit'], 'file').describe(
    'Where the master keys are: in a file, or in a Transit engine of HashiCorp Vault or OpenBao.',
  ),
  masterKeyFile: file('MASTER_KEY_FILE', '{RINGFENCE_DATA}/keys/master.json').describe(
    'The file with the master keys. **Back up this file**: without the master keys, nobody can decrypt the personal data.',
  ),
  reloadMs: count('KEY_RELOAD_MS', 2_000, 100, 60_000).describe(
    'With `KEY_SERVICE=file`, how often a process checks the file with the master keys for changes.',
  ),
  transit: z.object({
    url: baseUrl('TRANSIT_URL', ['https', 'http'], 'https://localhost:8200').describe(
      'The URL of the Vault or OpenBao server that has the Transit engine. All `TRANSIT_` settings apply only with `KEY_SERVICE=transit`.',
    ),
    mount: text('TRANSIT_MOUNT', 'transit').describe('The path at which the Transit engine is mounted.'),
    key: text('TRANSIT_KEY', 'ringfence').describe('The name of the master key in the Transit engine.'),
    tokenFile: file('TRANSIT_TOKEN_FILE', '{RINGFENCE_DATA}/keys/transit-token').describe(
      'The file with the service’s token for the Vault or OpenBao server. The service reads the file again when the file changes.',
    ),
    ca: file('TRANSIT_CA')
      .describe(
        'The certificate of the CA that issued the certificate of the Vault or OpenBao server, in PEM. If unset, the service trusts the public CAs that Node.js trusts.',
      )
      .optional(),
    timeoutMs: count('TRANSIT_TIMEOUT_MS', 3_000, 100, 60_000).describe(
      'How long the service waits for a response from the Vault or OpenBao server.',
    ),
  }),
});
