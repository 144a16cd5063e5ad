import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../infra/config/index.ts';
import type { SettingReader } from '../../infra/config/process-settings.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { createCheckpointKey } from '../../infra/witness/checkpoint-key.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { emptyDatabase, type TestDatabase } from '../helpers/database.ts';
import { RATES } from '../helpers/environment.ts';
import { freePort } from '../helpers/ports.ts';
import { banksFileFor, OWN_AUTHORITY, PRODUCTION } from '../helpers/production.ts';
import { startProgram, type Program } from '../helpers/started.ts';
import { temporalAddress } from '../helpers/temporal.ts';

type Env = Record<string, string | undefined>;

let folder: string;
let database: TestDatabase;
/** Settings that production accepts, with the test's own CA, keys and database. */
let right: Env;
const inFolder = (...names: string[]) => join(folder, ...names);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-production-'));
  database = await emptyDatabase();
  await prepareDatabase({ database: { url: database.url, migrationUrl: database.ownerUrl }, ...RATES }, 'production');
  await ensurePki(inFolder('own'), { authority: OWN_AUTHORITY });
  await createKeyFile(inFolder('own-keys', 'master.json'));
  await createCheckpointKey(inFolder('own-keys', 'checkpoint.key'));
  await createCheckpointKey(inFolder('marked', 'checkpoint.key'), { development: true });
  await ensurePki(inFolder('local', 'pki'));
  await createKeyFile(inFolder('local', 'keys', 'master.json'), { development: true });
  await createKeyFile(inFolder('marked', 'master.json'), { development: true });
  writeFileSync(inFolder('nothing.pem'), 'no certificate');
  right = await rightSettings();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

async function rightSettings(): Promise<Env> {
  const own = (file: string) => inFolder('own', file);
  return {
    ...PRODUCTION,
    DATABASE_URL: database.url,
    DATABASE_MIGRATION_URL: database.ownerUrl,
    TEMPORAL_ADDRESS: await temporalAddress(),
    RINGFENCE_DATA: inFolder('data'),
    RINGFENCE_PORT_API: String(await freePort()),
    RINGFENCE_PUBLIC_URL: 'https://money.example',
    METRICS_PORT_API: '0',
    METRICS_PORT_WORKER: '0',
    LOG_LEVEL: 'silent',
    MASTER_KEY_FILE: inFolder('own-keys', 'master.json'),
    CHECKPOINTS: inFolder('own'),
    CHECKPOINT_KEY: inFolder('own-keys', 'checkpoint.key'),
    TLS_CERT: own('server.crt'),
    TLS_KEY: own('server.key'),
    VAULT_CLIENT_CA: own('vault-client-ca.crt'),
    ...banksFileFor(folder, { pki: inFolder('own'), url: 'https://bank.example' }),
    CREDENTIAL_PDF_CERT: own('credential-signing.crt'),
    CREDENTIAL_PDF_KEY: own('credential-signing.key'),
  };
}

const FAR = 'postgresql://ringfence:a-password-of-its-own@db.example/ringfence';
const FAR_TEMPORAL = { TEMPORAL_ADDRESS: 'temporal.example:7233' };
const DEVELOPMENT_URL = 'postgresql://ringfence:ringfence@localhost/ringfence';

type Refused = readonly [program: Program, setting: string, value: string | undefined, says: string, more?: Env];

/** Settings whose file is for development. */
const DEVELOPMENT_FILES: readonly (readonly [program: Program, setting: string, file: string, more?: Env])[] = [
  ['api', 'TLS_CERT', 'local/pki/server.crt'],
  ['api', 'TLS_KEY', 'local/pki/server.key'],
  ['api', 'VAULT_CLIENT_CA', 'local/pki/ca.crt'],
  ['api', 'CREDENTIAL_PDF_CERT', 'local/pki/credential-signing.crt'],
  ['api', 'CREDENTIAL_PDF_KEY', 'local/pki/credential-signing.key'],
  ['api', 'MASTER_KEY_FILE', 'local/keys/master.json'],
  ['api', 'TEMPORAL_TLS_CERT', 'local/pki/vault-client.crt', { TEMPORAL_TLS_KEY: '{dir}/own/bank-client.key' }],
  ['worker', 'TEMPORAL_TLS_KEY', 'local/pki/vault-client.key', { TEMPORAL_TLS_CERT: '{dir}/own/bank-client.crt' }],
  ['worker', 'TEMPORAL_TLS_CA', 'local/pki/ca.crt'],
  ['worker', 'MASTER_KEY_FILE', 'marked/master.json'],
  ['worker', 'CHECKPOINT_KEY', 'marked/checkpoint.key'],
];

/** The setting without which production does not start, or the value that it refuses, and the end of the sentence. */
const REFUSED: readonly Refused[] = [
  ...DEVELOPMENT_FILES.map(([program, setting, file, more]): Refused => {
    const tls = setting.startsWith('TEMPORAL') ? { TEMPORAL_TLS: 'true' } : {};
    return [program, setting, `{dir}/${file}`, 'is for development.', { ...tls, ...more }];
  }),
  ['api', 'TLS_CERT', '{dir}/nothing.pem', 'contains no PEM certificate'],
  ['api', 'TLS_CERT', '{dir}/none.crt', 'cannot be read (ENOENT)'],
  ['api', 'TLS_KEY', '{dir}/none.key', 'cannot be read (ENOENT)'],
  ['worker', 'CHECKPOINT_KEY', '{dir}/none.key', 'cannot be read (ENOENT)'],
  ['api', 'RINGFENCE_PUBLIC_URL', 'http://money.example', 'it is the issuer of tokens'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '10.0.0.0/8,0.0.0.0/0', 'must not contain 0.0.0.0/0'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '0.0.0.0/1,128.0.0.0/1', 'must not contain 0.0.0.0/1'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '::/0', 'must not contain ::/0'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '::ffff:0:0/96', 'must not contain ::ffff:0:0/96'],
  ['api', 'NODE_TLS_REJECT_UNAUTHORIZED', '0', 'Node would then check no certificates'],
  ['api', 'DATABASE_URL', DEVELOPMENT_URL, 'the password of the development database'],
  ['worker', 'DATABASE_URL', undefined, 'the password of the development database'],
  ['worker', 'DATABASE_URL', FAR, 'db.example is another machine'],
  ['worker', 'DATABASE_URL', `${FAR}?sslmode=require`, 'must end with ?sslmode=verify-full'],
  ['worker', 'DATABASE_URL', `${FAR}?sslmode=verify-full&sslmode=disable`, 'must end with ?sslmode=verify-full'],
  ['migrate', 'DATABASE_URL', FAR, 'db.example is another machine'],
  ['admin', 'DATABASE_URL', FAR, 'db.example is another machine'],
  ['worker', 'TEMPORAL_TLS', 'false', 'temporal.example:7233 is another machine', FAR_TEMPORAL],
  ['api', 'TEMPORAL_TLS', 'false', '10.1.2.3:7233 is another machine', { TEMPORAL_ADDRESS: '10.1.2.3:7233' }],
  [
    ...(['worker', 'TEMPORAL_TLS_CERT', undefined, 'or TEMPORAL_API_KEY, must be set'] as const),
    { ...FAR_TEMPORAL, TEMPORAL_TLS: 'true' },
  ],
  ['worker', 'BANK_CONSENT_ID', undefined, 'that is the consent of the sandbox bank'],
  [
    'worker',
    'TRANSIT_URL',
    'http://127.0.0.1:8200',
    'keys would otherwise travel unencrypted',
    { KEY_SERVICE: 'transit' },
  ],
  ['worker', 'SMTP_URL', undefined, 'emails with secret links would otherwise stay in a folder'],
  ['api', 'LIMIT_PAYMENT', undefined, 'could be used to pay out everything at once'],
  ['api', 'LIMIT_OWNER_PAYMENTS_PER_DAY', undefined, 'could be used to pay out everything in several payments'],
  ['api', 'LIMIT_OWNER_PAYMENT_COUNT_PER_DAY', undefined, 'one owner could keep the bank'],
  ['api', 'LIMIT_APP_PAYMENT_COUNT_PER_DAY', undefined, 'a stolen key could keep the bank'],
  ['sandbox-bank', 'RINGFENCE_ENV', 'production', 'does not permit the sandbox bank'],
];

// The folder exists only when a test runs.
function environmentOf([, setting, value, , more = {}]: Refused): Env {
  const changed = Object.entries({ ...more, [setting]: value });
  return { ...right, ...Object.fromEntries(changed.map(([name, text]) => [name, text?.replace('{dir}', folder)])) };
}

const READERS: { readonly [P in Program]?: SettingReader } = {
  api: 'api',
  worker: 'worker',
  migrate: 'migrate',
  admin: ['database'],
  'sandbox-bank': 'sandbox-bank',
};

describe('in production', () => {
  const rows = REFUSED.map((row) => ({ row, program: row[0], setting: row[1], value: row[2], says: row[3] }));

  test.each(rows)('$program refuses $setting $value: $says', ({ row, program, setting, says }) => {
    const refusal = messageOf(() => readConfig(environmentOf(row), READERS[program] ?? 'everything'));
    expect(refusal.split('\n')).toEqual([expect.stringMatching(new RegExp(`^In production ${setting} `)) as string]);
    expect(refusal).toContain(says);
    expect(refusal).not.toContain('a-password-of-its-own');
  });

  test.each(Object.keys(READERS) as Program[])(
    '%s exits with one line and code 78 after a refusal',
    async (program) => {
      const row = REFUSED.find(([refusing]) => refusing === program)!;
      const { ended } = startProgram(program, environmentOf(row), program === 'admin' ? ['app', 'list'] : []);
      const stderr = expect.stringMatching(new RegExp(`^In production ${row[1]} [^\n]+\n$`)) as string;
      expect(await ended).toEqual({ code: 78, stdout: '', stderr });
    },
  );

  test.each([
    ['api', 'TLS_CERT TLS_KEY VAULT_CLIENT_CA CREDENTIAL_PDF_CERT CREDENTIAL_PDF_KEY'],
    ['worker', 'SMTP_URL CHECKPOINT_KEY'],
  ] as const)('%s with the settings of `npm start` lists all faults', async (program, own) => {
    const env = { RINGFENCE_ENV: 'production', RINGFENCE_DATA: inFolder('local') };
    const { code, stderr } = await startProgram(program, env).ended;
    const named = [...stderr.matchAll(/^In production ([A-Z_]+) .*\n/gm)];
    expect([code, named.map(([line]) => line).join('')]).toEqual([78, stderr]);
    const limits =
      'LIMIT_PAYMENT LIMIT_OWNER_PAYMENTS_PER_DAY LIMIT_OWNER_PAYMENT_COUNT_PER_DAY LIMIT_APP_PAYMENT_COUNT_PER_DAY';
    const both = `DATABASE_URL MASTER_KEY_FILE CHECKPOINTS ${limits}`;
    expect(named.map(([, name]) => name).toSorted()).toEqual(`${both} ${own}`.split(' ').sort());
  });

  test.each([
    ['the database by a Unix socket', { DATABASE_URL: 'postgresql://ringfence:its-own@%2Frun%2Fpostgresql/ringfence' }],
    ['the database at a loopback address', { DATABASE_URL: 'postgresql://ringfence:its-own@127.0.0.1/ringfence' }],
    ['the database elsewhere, verified', { DATABASE_URL: `${FAR}?sslmode=verify-full` }],
    ['Temporal at a loopback address', { TEMPORAL_ADDRESS: '[::1]:7233' }],
    [
      'an API key of Temporal',
      { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true', TEMPORAL_API_KEY: 'a' },
    ],
    ['a mail server with STARTTLS', { SMTP_URL: 'smtp://mail.example:587' }],
    ['proxies in networks of its own', { RINGFENCE_TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7,::ffff:10.0.0.0/104,::1' }],
    ['master keys in a key service', { KEY_SERVICE: 'transit', TRANSIT_URL: 'https://vault.example' }],
  ])('accepts %s', (_what, env) => {
    expect(readConfig({ ...right, ...env })).toMatchObject({ environment: 'production' });
  });

  test('correct settings start every process, and each stops cleanly', async () => {
    const runs = [
      startProgram('migrate', right),
      startProgram('admin', right, ['app', 'list']),
      startProgram('admin', { ...right, MASTER_KEY_FILE: inFolder('made', 'master.json') }, ['master-key', 'create']),
    ];
    for (const { ended } of runs) expect(await ended).toMatchObject({ code: 0, stderr: '' });
    const [api, worker] = [startProgram('api', right), startProgram('worker', right)];
    await Promise.all([api.ready, worker.ready]);
    expect(await Promise.all([api.stop(), worker.stop()])).toEqual([0, 0]);
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}
