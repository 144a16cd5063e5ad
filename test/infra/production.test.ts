import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../../infra/config/index.ts';
import type { SettingReader } from '../../infra/config/process-settings.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { prepareDatabase } from '../../programs/admin/prepare-database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { administer, dropDatabase, serviceUrl, urlOf } from '../helpers/postgres.ts';
import { freePort } from '../helpers/ports.ts';
import { OWN_AUTHORITY, PRODUCTION } from '../helpers/production.ts';
import { startProgram, type Program } from '../helpers/started.ts';
import { temporalAddress } from '../helpers/temporal.ts';

type Env = Record<string, string | undefined>;

let folder: string;
const database = `test_${randomBytes(8).toString('hex')}`;
const migrationUrl = () => urlOf(testEnvironment().databaseUrl, database);
const databaseUrl = () => serviceUrl(migrationUrl());
/** Settings that production accepts, with the test's own CA, keys and database. */
let right: Env;
const inFolder = (...names: string[]) => join(folder, ...names);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ringfence-production-'));
  await administer(testEnvironment().databaseUrl, `create database ${database}`);
  await prepareDatabase({ database: { url: databaseUrl(), migrationUrl: migrationUrl() } }, 'production');
  await ensurePki(inFolder('own'), { authority: OWN_AUTHORITY });
  await createKeyFile(inFolder('own-keys', 'master.json'));
  await ensurePki(inFolder('local', 'pki'));
  await createKeyFile(inFolder('local', 'keys', 'master.json'), { development: true });
  await createKeyFile(inFolder('marked', 'master.json'), { development: true });
  await cp(inFolder('local', 'pki', 'bank-signing.key'), inFolder('marked', 'signing.pem'));
  writeFileSync(inFolder('nothing.pem'), 'no certificate');
  right = await rightSettings();
});
afterAll(async () => {
  await dropDatabase(testEnvironment().databaseUrl, database);
  await rm(folder, { recursive: true });
});

async function rightSettings(): Promise<Env> {
  const own = (file: string) => inFolder('own', file);
  return {
    ...PRODUCTION,
    DATABASE_URL: databaseUrl(),
    DATABASE_MIGRATION_URL: migrationUrl(),
    TEMPORAL_ADDRESS: await temporalAddress(),
    RINGFENCE_DATA: inFolder('data'),
    RINGFENCE_PORT_API: String(await freePort()),
    RINGFENCE_PUBLIC_URL: 'https://money.example',
    METRICS_PORT_API: '0',
    METRICS_PORT_WORKER: '0',
    LOG_LEVEL: 'silent',
    MASTER_KEY_FILE: inFolder('own-keys', 'master.json'),
    TLS_CERT: own('server.crt'),
    TLS_KEY: own('server.key'),
    VAULT_CLIENT_CA: own('vault-client-ca.crt'),
    BANK_TLS_CA: own('ca.crt'),
    BANK_TLS_CERT: own('bank-client.crt'),
    BANK_TLS_KEY: own('bank-client.key'),
    BANK_SIGNING_KEY: own('bank-signing.key'),
    BANK_SERVER_SIGNING_CERT: own('bank-server-signing.crt'),
    CREDENTIAL_PDF_CERT: own('credential-signing.crt'),
    CREDENTIAL_PDF_KEY: own('credential-signing.key'),
  };
}

// Tests resolve the path later, because the folder does not exist yet.
const file = (...names: string[]) => ({ names });
type Value = string | undefined | ReturnType<typeof file>;

const FAR = 'postgresql://ringfence:a-password-of-its-own@db.example/ringfence';
const FOR_DEVELOPMENT = 'is for development.';

// The program, the setting and its value, the end of the error message, and more settings.
const REFUSED: [Program, string, Value, string, Record<string, string>?][] = [
  ['api', 'TLS_CERT', file('local', 'pki', 'server.crt'), FOR_DEVELOPMENT],
  ['api', 'TLS_CERT', file('nothing.pem'), 'contains no PEM certificate'],
  ['api', 'TLS_CERT', file('none.crt'), 'cannot be read (ENOENT)'],
  ['api', 'TLS_KEY', file('local', 'pki', 'server.key'), FOR_DEVELOPMENT],
  ['api', 'TLS_KEY', file('none.key'), 'cannot be read (ENOENT)'],
  ['api', 'VAULT_CLIENT_CA', file('local', 'pki', 'ca.crt'), FOR_DEVELOPMENT],
  ['api', 'CREDENTIAL_PDF_CERT', file('local', 'pki', 'credential-signing.crt'), FOR_DEVELOPMENT],
  ['api', 'CREDENTIAL_PDF_KEY', file('local', 'pki', 'credential-signing.key'), FOR_DEVELOPMENT],
  ['api', 'RINGFENCE_PUBLIC_URL', 'http://money.example', 'it is the issuer of tokens'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '10.0.0.0/8,0.0.0.0/0', 'must not contain 0.0.0.0/0'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '0.0.0.0/1,128.0.0.0/1', 'must not contain 0.0.0.0/1'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '::/0', 'must not contain ::/0'],
  ['api', 'RINGFENCE_TRUSTED_PROXIES', '::ffff:0:0/96', 'must not contain ::ffff:0:0/96'],
  ['api', 'NODE_TLS_REJECT_UNAUTHORIZED', '0', 'Node would then check no certificates'],
  [
    'api',
    'DATABASE_URL',
    'postgresql://ringfence:ringfence@localhost/ringfence',
    'the password of the development database',
  ],
  ['worker', 'DATABASE_URL', undefined, 'the password of the development database'],
  ['worker', 'DATABASE_URL', FAR, 'db.example is another machine'],
  ['worker', 'DATABASE_URL', `${FAR}?sslmode=require`, 'must end with ?sslmode=verify-full'],
  ['worker', 'DATABASE_URL', `${FAR}?sslmode=verify-full&sslmode=disable`, 'must end with ?sslmode=verify-full'],
  ['migrate', 'DATABASE_URL', FAR, 'db.example is another machine'],
  ['admin', 'DATABASE_URL', FAR, 'db.example is another machine'],
  [
    'worker',
    'TEMPORAL_TLS',
    'false',
    'temporal.example:7233 is another machine',
    { TEMPORAL_ADDRESS: 'temporal.example:7233' },
  ],
  ['api', 'TEMPORAL_TLS', 'false', '10.1.2.3:7233 is another machine', { TEMPORAL_ADDRESS: '10.1.2.3:7233' }],
  [
    'worker',
    'TEMPORAL_TLS_CERT',
    undefined,
    'or TEMPORAL_API_KEY, must be set',
    { TEMPORAL_ADDRESS: 'temporal.example:7233', TEMPORAL_TLS: 'true' },
  ],
  ['worker', 'TEMPORAL_TLS_CA', file('local', 'pki', 'ca.crt'), FOR_DEVELOPMENT, { TEMPORAL_TLS: 'true' }],
  [
    'api',
    'TEMPORAL_TLS_CERT',
    file('local', 'pki', 'vault-client.crt'),
    FOR_DEVELOPMENT,
    { TEMPORAL_TLS: 'true', TEMPORAL_TLS_KEY: '{own}/bank-client.key' },
  ],
  [
    'worker',
    'TEMPORAL_TLS_KEY',
    file('local', 'pki', 'vault-client.key'),
    FOR_DEVELOPMENT,
    { TEMPORAL_TLS: 'true', TEMPORAL_TLS_CERT: '{own}/bank-client.crt' },
  ],
  ['worker', 'BANK_URL', undefined, 'https://localhost:8451, because that is the sandbox bank'],
  ['api', 'BANK_URL', 'https://127.0.0.1:8451', 'that is the sandbox bank'],
  ['worker', 'BANK_CONSENT_ID', undefined, 'that is the consent of the sandbox bank'],
  ['worker', 'BANK_TLS_CA', file('local', 'pki', 'ca.crt'), FOR_DEVELOPMENT],
  ['worker', 'BANK_TLS_CERT', file('local', 'pki', 'bank-client.crt'), FOR_DEVELOPMENT],
  ['worker', 'BANK_TLS_KEY', file('local', 'pki', 'bank-client.key'), FOR_DEVELOPMENT],
  ['worker', 'BANK_SIGNING_KEY', file('marked', 'signing.pem'), FOR_DEVELOPMENT],
  ['worker', 'BANK_SERVER_SIGNING_CERT', file('local', 'pki', 'bank-server-signing.crt'), FOR_DEVELOPMENT],
  ['worker', 'MASTER_KEY_FILE', file('marked', 'master.json'), FOR_DEVELOPMENT],
  ['api', 'MASTER_KEY_FILE', file('local', 'keys', 'master.json'), FOR_DEVELOPMENT],
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
  ['sandbox-bank', 'RINGFENCE_ENV', 'production', 'does not permit the sandbox bank'],
];

// The path of the test's own files is known only when the test runs.
const inOwnFolder = (env: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('{own}', inFolder('own'))]));

function environmentOf([, setting, value, , more = {}]: (typeof REFUSED)[number]): Env {
  return { ...right, ...inOwnFolder(more), [setting]: typeof value === 'object' ? inFolder(...value.names) : value };
}

const READERS: { readonly [P in Program]?: SettingReader } = {
  api: 'api',
  worker: 'worker',
  migrate: 'migrate',
  admin: ['database'],
  'sandbox-bank': 'sandbox-bank',
};

describe('in production', () => {
  const rows = REFUSED.map((row) => ({ row, program: row[0], setting: row[1], value: shown(row[2]), says: row[3] }));

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

  test.each(['api', 'worker'] as const)(
    '%s with the settings of `npm start` lists all faults',
    async (program) => {
      const env = { RINGFENCE_ENV: 'production', RINGFENCE_DATA: inFolder('local') };
      const { code, stderr } = await startProgram(program, env).ended;
      const named = stderr
        .trimEnd()
        .split('\n')
        .map((line) => /^In production ([A-Z_]+) /.exec(line)?.[1]);
      const bank = ['BANK_URL', 'BANK_TLS_CA', 'BANK_TLS_CERT', 'BANK_TLS_KEY'];
      const own = {
        api: [
          'LIMIT_PAYMENT',
          'LIMIT_OWNER_PAYMENTS_PER_DAY',
          'TLS_CERT',
          'TLS_KEY',
          'VAULT_CLIENT_CA',
          'CREDENTIAL_PDF_CERT',
          'CREDENTIAL_PDF_KEY',
        ],
        worker: ['BANK_CONSENT_ID', 'BANK_SIGNING_KEY', 'BANK_SERVER_SIGNING_CERT', 'SMTP_URL'],
      };
      expect([code, named.toSorted()]).toEqual([
        78,
        [...bank, ...own[program], 'DATABASE_URL', 'MASTER_KEY_FILE'].sort(),
      ]);
    },
    30_000,
  );

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

  test('a process requires no settings that it does not use', async () => {
    const { TEMPORAL_ADDRESS, MASTER_KEY_FILE } = right;
    const common = { RINGFENCE_ENV: 'production', RINGFENCE_DATA: inFolder('data'), DATABASE_URL: databaseUrl() };
    const migrating = { ...common, DATABASE_MIGRATION_URL: migrationUrl() };
    expect(await startProgram('migrate', migrating).ended).toMatchObject({ code: 0, stderr: '' });
    const work = { ...common, TEMPORAL_ADDRESS, METRICS_PORT_WORKER: '0', LOG_LEVEL: 'silent', WORKER_LOOPS: 'none' };
    const workers = [
      startProgram('worker', { ...work, WORKER_QUEUES: 'documents', MASTER_KEY_FILE }),
      startProgram('worker', { ...work, WORKER_QUEUES: 'batch' }),
    ];
    await Promise.all(workers.map(({ ready }) => ready));
    expect(await Promise.all(workers.map((worker) => worker.stop()))).toEqual([0, 0]);
  });
});

function shown(value: Value): string {
  if (value === undefined) return 'that is not set';
  return typeof value === 'object' ? value.names.join('/') : value;
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return '';
}
