import { resolve } from 'node:path';
import * as z from 'zod';
import { baseUrl, count, file, group, oneOf, text, trueOrFalse, url } from '../kinds.ts';

const EMBEDDED = 'localhost:{RINGFENCE_PORT_POSTGRES}/ringfence';

export const database = group('The database', {
  url: url(
    'DATABASE_URL',
    ['postgresql', 'postgres'],
    `postgresql://ringfence_service:ringfence_service@${EMBEDDED}`,
  ).describe('PostgreSQL, with the service’s role, which owns no tables.'),
  poolSize: count('DATABASE_POOL_SIZE', 20, 5, 1_000).describe('The most database connections of one process.'),
  groupCommit: oneOf('DATABASE_GROUP_COMMIT', ['on', 'off'], 'on').describe(
    'Whether concurrent requests commit together.',
  ),
  timeoutMs: count('DATABASE_TIMEOUT_MS', 15_000, 1_000, 600_000).describe(
    'How long a statement of the API or a worker may take.',
  ),
});

export const migration = group('Migrations', {
  migrationUrl: url('DATABASE_MIGRATION_URL', ['postgresql', 'postgres'])
    .meta({
      fallback: `postgresql://ringfence:ringfence@${EMBEDDED}`,
      onlyWithDefaultOf: 'DATABASE_URL',
      description: 'The same database, with the role that owns the schema.',
    })
    .optional(),
  migrationLockMs: count('DATABASE_MIGRATION_LOCK_MS', 1_000, 10, 60_000).describe(
    'How long a migration waits for a lock before it lets others pass.',
  ),
  migrationTryS: count('DATABASE_MIGRATION_TRY_S', 300, 1, 86_400).describe('How long it keeps trying.'),
});

export const temporal = group('Temporal', {
  address: text('TEMPORAL_ADDRESS', 'localhost:{RINGFENCE_PORT_TEMPORAL}').describe('The host and port of Temporal.'),
  namespace: text('TEMPORAL_NAMESPACE', 'default').describe('The service’s namespace in Temporal.'),
  tls: trueOrFalse('TEMPORAL_TLS', 'false').describe('Whether to connect with TLS.'),
  tlsCa: file('TEMPORAL_TLS_CA').describe('The CA of Temporal’s certificate.').optional(),
  tlsClient: z
    .object({
      cert: file('TEMPORAL_TLS_CERT').describe('The service’s client certificate. Set the key too.'),
      key: file('TEMPORAL_TLS_KEY').describe('Its private key.'),
    })
    .optional(),
  apiKey: text('TEMPORAL_API_KEY').describe('The service’s API key, if Temporal requires one.').optional(),
});

export const temporalUi = group('Temporal’s Web UI', {
  uiUrl: baseUrl('TEMPORAL_UI_URL', ['https', 'http'], 'http://localhost:{RINGFENCE_PORT_TEMPORAL_UI}').describe(
    'Operator commands print links that begin with this URL.',
  ),
});

export const bank = group('Banks', {
  banksFile: file('BANKS_FILE')
    .describe(
      'A JSON file that lists the banks. Without it, a sandbox has `sandbox` and `sandbox-truelayer`, and production none.',
    )
    .optional(),
  houseBank: text('BANK_HOUSE')
    .describe('The id of the bank with the house account. If unset, a sandbox uses the sandbox bank.')
    .optional(),
  consentId: text('BANK_CONSENT_ID', 'sandbox-consent').describe('The consent at that bank that allows its payments.'),
  url: baseUrl('BANK_URL', ['https'], 'https://localhost:{RINGFENCE_PORT_BANK}').describe(
    'The sandbox bank. This and the settings down to `BANK_TRUELAYER_SECRET` do not apply with `BANKS_FILE`.',
  ),
  clientId: text('BANK_CLIENT_ID', 'ringfence').describe('The service’s client id there.'),
  tls: z.object({
    ca: file('BANK_TLS_CA', '{RINGFENCE_DATA}/pki/ca.crt').describe('The CA of its certificate.'),
    cert: file('BANK_TLS_CERT', '{RINGFENCE_DATA}/pki/bank-client.crt').describe(
      'The service’s client certificate there.',
    ),
    key: file('BANK_TLS_KEY', '{RINGFENCE_DATA}/pki/bank-client.key').describe('Its private key.'),
  }),
  signingKey: file('BANK_SIGNING_KEY', '{RINGFENCE_DATA}/pki/bank-signing.key').describe(
    'The key that signs messages and requests.',
  ),
  signingKeyId: text('BANK_SIGNING_KEY_ID', 'ringfence-signing').describe('The bank’s id for this key.'),
  truelayerSecret: file('BANK_TRUELAYER_SECRET', '{RINGFENCE_DATA}/pki/truelayer-client-secret').describe(
    'The client secret at its simulator of TrueLayer.',
  ),
  timeoutMs: count('BANK_TIMEOUT_MS', 10_000, 100, 120_000).describe('How long the service waits for a bank.'),
  unattendedPerDay: count('BANK_UNATTENDED_READS_PER_DAY', 4, 1, 10_000).describe(
    'How many times in 24 hours the service reads an account without the person. The law allows four.',
  ),
});

export const keys = group('Master keys', {
  service: oneOf('KEY_SERVICE', ['file', 'transit'], 'file').describe(
    'Where they are: in a file, or in a Transit engine of HashiCorp Vault or OpenBao.',
  ),
  masterKeyFile: file('MASTER_KEY_FILE', '{RINGFENCE_DATA}/keys/master.json').describe(
    'The file. **Back it up**: without it, nobody can decrypt the personal data.',
  ),
  reloadMs: count('KEY_RELOAD_MS', 2_000, 100, 60_000).describe('How often a process checks this file for changes.'),
  transit: z.object({
    url: baseUrl('TRANSIT_URL', ['https', 'http'], 'https://localhost:8200').describe(
      'The server with the Transit engine. The `TRANSIT_` settings apply with `KEY_SERVICE=transit`.',
    ),
    mount: text('TRANSIT_MOUNT', 'transit').describe('The engine’s path.'),
    key: text('TRANSIT_KEY', 'ringfence').describe('The name of the master key there.'),
    tokenFile: file('TRANSIT_TOKEN_FILE', '{RINGFENCE_DATA}/keys/transit-token').describe(
      'The file of the service’s token, which is read again when it changes.',
    ),
    ca: file('TRANSIT_CA').describe('The CA of the server’s certificate.').optional(),
    timeoutMs: count('TRANSIT_TIMEOUT_MS', 3_000, 100, 60_000).describe('How long the service waits for this server.'),
  }),
});

export const witness = group('Checkpoints', {
  folder: text('CHECKPOINTS')
    .overwrite((folder) => resolve(folder))
    .meta({
      takes: 'the path of a folder',
      description:
        'A folder outside the database and its backups. It shows whether somebody changed the database, or restored a backup.',
    })
    .optional(),
  keyFile: file('CHECKPOINT_KEY', '{RINGFENCE_DATA}/keys/checkpoint.key').describe(
    'The key that signs checkpoints. Only the witness and the command `verify` need it.',
  ),
});
