import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueApiKey } from '../../activities/auth/api-keys.ts';
import { createApplication } from '../../activities/auth/applications.ts';
import { createIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { COMMANDS } from '../../programs/admin/commands.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { ensureSearchAttributes } from '../../infra/temporal/search-attributes.ts';
import { accountsOf, paymentsOf } from '../helpers/activities.ts';
import { adminProcess } from '../helpers/admin-process.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { anyKey, fund, userOf } from '../helpers/money.ts';
import { newClient } from '../helpers/oauth.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { urlOf } from '../helpers/postgres.ts';
import { banksFileFor } from '../helpers/production.ts';
import { startRelease } from '../helpers/release.ts';
import { startSandboxBank, type SandboxBankProcess } from '../helpers/sandbox-bank.ts';
import { temporalAddress } from '../helpers/temporal.ts';
import { startOpenBao, type OpenBao } from '../helpers/openbao.ts';

const run = randomBytes(4).toString('hex');
const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `ends-${run}.json`);
const DEPLOYMENT = `ends-${run}`;
const BUILD = 'build-1';

const bank = playedBank();
const services = withDatabase({ bank, env: { MASTER_KEY_FILE } });
const payments = paymentsOf(services);

/** Arguments of the commands, which `beforeAll` makes. */
const made = {
  app: '',
  rotated: '',
  revoked: '',
  client: '',
  provider: '',
  unknown: '',
  doubted: '',
  settled: '',
  failed: '',
  user: '',
};
let temporal = '';
let transit: OpenBao;
let silent: Server;
const bankDir = mkdtempSync(join(tmpdir(), 'admin-ends-'));
let sandboxBank: SandboxBankProcess;
const sockets = new Set<Socket>();

interface Call {
  args: readonly string[];
  exitCode: 0 | 1 | 2 | 78;
  env?: Readonly<Record<string, string>>;
  /** The expected error output of a refused call. By default, any single line will do. */
  says?: RegExp;
}

const works = (...args: string[]): Call => ({ args, exitCode: 0 });
const fails = (...args: string[]): Call => ({ args, exitCode: 1 });
// The database `postgres` has none of the service's tables.
const withoutTables = (...args: string[]): Call => {
  const DATABASE_URL = urlOf(services.config.database.url, 'postgres');
  return { args, exitCode: 1, env: { DATABASE_URL } };
};
const withoutDatabase = (...args: string[]): Call => ({ ...fails(...args), env: { DATABASE_URL: NO_DATABASE } });
const onTransit = ({ env, ...call }: Call): Call => {
  const { url, tokenFile, ca } = transit.config;
  const engine = { KEY_SERVICE: 'transit', TRANSIT_URL: url, TRANSIT_TOKEN_FILE: tokenFile, TRANSIT_CA: ca! };
  return { ...call, env: { ...env, ...engine } };
};
const at = (address: string, { args, exitCode }: Call): Call => ({
  args,
  exitCode,
  env: { TEMPORAL_ADDRESS: address },
});
// The master key is not the one that encrypts this database's secrets.
const onAnotherKey = (...args: string[]): Call =>
  onTransit({ args, exitCode: 1, env: { TRANSIT_KEY: 'another' }, says: /SealBrokenError/ });
// The server accepts connections but never responds.
const withoutTemporal = (...args: string[]): Call =>
  at(`127.0.0.1:${(silent.address() as AddressInfo).port}`, fails(...args));

const atBank = () => `https://localhost:${sandboxBank.port}`;
const withBank = (...args: string[]): Call => ({
  ...works(...args),
  env: { RINGFENCE_DATA: bankDir, RINGFENCE_PORT_BANK: String(sandboxBank.port) },
});

const PAYMENT = 'pay_01890a5d-ac96-774b-bcce-b302099a8057';
const PROVIDER = ['provider', 'create', '--name', 'Example', '--client-id', 'abc', '--client-secret-file', '-'];
const CLIENT = ['client', 'create', '--name', 'Budget', '--redirect-uri', 'https://a.example/cb'];
const NO_DATABASE = 'postgresql://ringfence@127.0.0.1:1/ringfence';
const BEGIN = ['restore', 'begin', '--backup-at'];
const STATEMENT = ['--statement', join(bankDir, 'none.csv'), '--account', '12345678'];
const RESOLVE = ['--as', 'failed', '--reason', 'x'];

const after = (call: Call, ...args: string[]): Call => ({ ...call, args: [...call.args, ...args] });

/** The first call succeeds, and the other calls are refused. All lists end alike: one is refused for all. */
const CALLS: Readonly<Record<string, () => readonly [Call, ...Call[]]>> = {
  'app create': () => [works('app', 'create', '--name', 'Payroll'), fails('app', 'create', '--name', 'a\nb')],
  'app list': () => [
    works('app', 'list'),
    withoutTables('app', 'list'),
    { args: ['app', 'list', '--no-such'], exitCode: 2 },
  ],
  'bank list': () => [withBank('bank', 'list')],
  'bank check': () => [withBank('bank', 'check', 'sandbox'), fails('bank', 'check', 'none')],
  'bank connect': () => [
    {
      ...works('bank', 'connect', 'own-bank'),
      env: banksFileFor(bankDir, { pki: join(bankDir, 'pki'), url: atBank() }),
    },
    fails('bank', 'connect', 'sandbox'),
  ],
  'key create': () => forApp(['key', 'create', '--scopes', 'read:debt']),
  'key list': () => [works('key', 'list')],
  'key rotate': () => [works('key', 'rotate', made.rotated), fails('key', 'rotate', 'key_none')],
  'key revoke': () => [works('key', 'revoke', made.revoked), fails('key', 'revoke', 'key_none')],
  'vault-certificate create': () => forApp(['vault-certificate', 'create']),
  'client create': () => forApp([...CLIENT, '--scopes', 'read:debt']),
  'client list': () => [works('client', 'list')],
  'client remove': () => [works('client', 'remove', made.client), fails('client', 'remove', 'client_none')],
  'user invite': () => [works('user', 'invite'), fails('user', 'invite', '--days', '31')],
  'user list': () => [works('user', 'list')],
  'user show': () => [works('user', 'show', made.user), fails('user', 'show', 'a@example.org')],
  'user disable': () => [works('user', 'disable', made.user), fails('user', 'disable', 'usr_none')],
  'user enable': () => [works('user', 'enable', made.user), fails('user', 'enable', 'usr_none')],
  'owner list': () => [works('owner', 'list')],
  'owner show': () => [works('owner', 'show', 'emp-1')],
  'owner assign': () => forApp(['owner', 'assign', 'emp-1']),
  'payee list': () => [works('payee', 'list')],
  'payee confirm': () => [
    works('payee', 'confirm', 'prov_sandbox_instant'),
    fails('payee', 'confirm', 'prov_none'),
    fails('payee', 'confirm', 'prov_sandbox_instant', '--own-account-of', made.user),
  ],
  'provider create': () => [
    works(...PROVIDER, '--issuer', 'https://id.example'),
    fails(...PROVIDER, '--issuer', 'http://id.example'),
  ],
  'provider list': () => [works('provider', 'list')],
  'provider remove': () => [works('provider', 'remove', made.provider), fails('provider', 'remove', 'sip_none')],
  'master-key rotate': () => [
    at(temporal, works('master-key', 'rotate')),
    withoutTemporal('master-key', 'rotate'),
    at('127.0.0.1:1', fails('master-key', 'rotate')),
  ],
  'master-key list': () => [works('master-key', 'list'), onTransit(withoutTables('master-key', 'list'))],
  'master-key retire': () => [works('master-key', 'retire', '1'), fails('master-key', 'retire', '77')],
  'credential-key rotate': () => [works('credential-key', 'rotate'), withoutTables('credential-key', 'rotate')],
  'credential-key list': () => [works('credential-key', 'list')],
  accrue: () => [
    at(temporal, works('accrue', '--as-of', '2026-01-01')),
    withoutTemporal('accrue', '--as-of', '2026-01-01'),
    fails('accrue', '--as-of', '9999-01-01'),
  ],
  'release list': () => [
    at(temporal, works('release', 'list', '--deployment', DEPLOYMENT)),
    at(temporal, fails('release', 'list', '--deployment', `${DEPLOYMENT}-none`)),
    withoutTemporal('release', 'list'),
  ],
  'release promote': () => [
    at(temporal, works('release', 'promote', BUILD, '--deployment', DEPLOYMENT)),
    at(temporal, fails('release', 'promote', 'build-none', '--deployment', DEPLOYMENT)),
    withoutTemporal('release', 'promote', BUILD),
  ],
  'master-key create': () => [
    { ...works('master-key', 'create'), env: { MASTER_KEY_FILE: `${MASTER_KEY_FILE}.new` } },
    { args: ['master-key', 'create'], exitCode: 78, env: { MASTER_KEY_FILE: join(MASTER_KEY_FILE, 'below-a-file') } },
  ],
  'ledger verify': () => [works('ledger', 'verify'), withoutTables('ledger', 'verify')],
  'audit verify': () => [works('audit', 'verify'), withoutTables('audit', 'verify')],
  verify: () => [works('verify', '--all'), withoutTables('verify')],
  'checkpoint-key create': () => [works('checkpoint-key', 'create')],
  'audit list': () => [works('audit', 'list')],
  'payment show': () => [works('payment', 'show', made.settled), fails('payment', 'show', PAYMENT)],
  'payment resolve': () => [
    works('payment', 'resolve', made.unknown, ...RESOLVE),
    fails('payment', 'resolve', PAYMENT, ...RESOLVE),
    withoutDatabase('payment', 'resolve', PAYMENT, ...RESOLVE),
    onTransit(fails('payment', 'resolve', PAYMENT, ...RESOLVE)),
    onAnotherKey('payment', 'resolve', PAYMENT, ...RESOLVE),
  ],
  'payment list': () => [works('payment', 'list', '--failed')],
  'payment retry': () => ofPayment('retry', made.failed),
  'payment attention': () => [works('payment', 'attention')],
  'payment acknowledge': () => ofPayment('acknowledge', made.settled),
  reconcile: () => [works('reconcile')],
  // In this order: what the first begins, the last ends.
  'restore begin': () => [works(...BEGIN, '2020-01-01T00:00:00Z'), fails(...BEGIN, '9999-01-01T00:00:00Z')],
  'restore show': () => [works('restore', 'show')],
  'restore compare': () => [withBank('restore', 'compare'), fails('restore', 'compare', ...STATEMENT)],
  'restore settle': () => [
    works('restore', 'settle', made.doubted, '--as', 'sent', '--reason', 'x'),
    works('restore', 'settle', made.settled, '--as', 'not-sent', '--reason', 'x'),
    // It was retried above.
    works('restore', 'settle', made.failed, '--as', 'sent', '--reason', 'x'),
    fails('restore', 'settle', PAYMENT, '--as', 'sent', '--reason', 'x'),
  ],
  'restore explain': () => [fails('restore', 'explain', 'deb_none', '--reason', 'x')],
  'restore confirm': () => [
    works('restore', 'confirm', '--all-of', made.app),
    fails('restore', 'confirm', '--key', 'key_none'),
  ],
  'restore finish': () => [works('restore', 'finish'), fails('restore', 'finish')],
  'restore dismiss': () => [fails('restore', 'dismiss', '--reason', 'x')],
};

const forApp = (args: string[]) =>
  [after(works(...args), '--app', made.app), after(fails(...args), '--app', 'app_none')] as const;
const ofPayment = (what: string, id: string) =>
  [works('payment', what, id, '--reason', 'x'), fails('payment', what, PAYMENT, '--reason', 'x')] as const;

async function aPayment(owner: string, answer: (typeof bank.answers)[number] | undefined, principal = anyKey) {
  const { allocationId } = await fund(services, owner, 100_000, { caused: true });
  const { payment_id } = await payments.executePayment({
    principal,
    vault_allocation_id: allocationId,
    amount: 40_000,
    currency: 'GBP',
    provider_id: 'prov_sandbox_instant',
  });
  bank.answers = answer ? [answer] : [];
  await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  return payment_id;
}

// So old that the first version can be retired at once.
async function twoMasterKeys(): Promise<void> {
  await services.keys.masterKeys.rotate(1);
  const file = JSON.parse(await readFile(MASTER_KEY_FILE, 'utf8')) as { versions: { created_at: string }[] };
  for (const version of file.versions) version.created_at = '2026-01-01T00:00:00.000Z';
  await writeFile(MASTER_KEY_FILE, JSON.stringify(file));
}

beforeAll(async () => {
  await twoMasterKeys();
  await payments.ensureSandboxPayees();
  made.user = (
    await accountsOf(services).registerUser({ email: 'ends@example.org', password: 'seven green lanterns' })
  ).user_id;
  made.app = (await createApplication(services, { name: 'Payroll' })).app_id;
  const newKey = async () => (await issueApiKey(services, { app_id: made.app, scopes: ['read:debt'] })).key_id;
  made.rotated = await newKey();
  made.revoked = await newKey();
  const known = { name: 'Example', client_id: 'abc', client_secret: 'not-a-secret' };
  made.provider = (await createIdentityProvider(services, { ...known, issuer: 'https://removed.example' })).provider_id;
  made.unknown = await aPayment('owner-unknown', { kind: 'unknown', detail: 'timeout' });
  made.doubted = await aPayment('owner-doubted', { kind: 'unknown', detail: 'timeout' });
  made.settled = await aPayment('owner-settled', undefined);
  const refusal = { kind: 'refused', reason: { code: 'AM04', detail: 'insufficient funds' } } as const;
  made.failed = await aPayment('owner-failed', refusal, userOf('owner-failed'));
  made.client = (await newClient(services)).clientId;
  transit = await startOpenBao();
  await ensurePki(join(bankDir, 'pki'));
  sandboxBank = await startSandboxBank(bankDir);
  silent = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterAll(async () => {
  await transit.stop();
  await sandboxBank.stop();
  rmSync(bankDir, { recursive: true, force: true });
  for (const socket of sockets) socket.destroy();
  silent.close();
});

let stopRelease: () => Promise<void>;
beforeAll(async () => {
  temporal = await temporalAddress();
  const config = { ...services.config.temporal, address: temporal };
  const client = openTemporal(config);
  await ensureSearchAttributes(client);
  await client.connection.close();
  stopRelease = await startRelease(config, { deploymentName: DEPLOYMENT, buildId: BUILD });
});
afterAll(async () => {
  await stopRelease();
  const client = openTemporal({ ...services.config.temporal, address: temporal });
  for (const id of ['vault-keys/rotation', 'yield/accrue/2026-01-01'])
    await client.workflow
      .getHandle(id)
      .terminate()
      .catch(() => undefined);
  await client.connection.close();
});

test('every command has calls in this file', () => {
  expect(Object.keys(CALLS).sort()).toEqual(Object.keys(COMMANDS).sort());
});

test.each(Object.keys(CALLS))('%s exits within 10 seconds of its last output', async (name) => {
  const env = {
    RINGFENCE_DATA: testEnvironment().dir,
    MASTER_KEY_FILE,
    DATABASE_URL: services.config.database.url,
  };
  for (const call of CALLS[name]!()) {
    const { args, exitCode } = call;
    const outcome = await adminProcess(args, { ...env, ...call.env }, 'not-a-secret');
    const says =
      exitCode === 0 ? { stdout: /^\{.*\}\n$/, stderr: /^$/ } : { stdout: /^$/, stderr: call.says ?? /^[^\n]+\n$/ };
    expect({ args, ...outcome }).toEqual({
      args,
      exitCode,
      stdout: expect.stringMatching(says.stdout) as string,
      stderr: expect.stringMatching(says.stderr) as string,
    });
  }
});
