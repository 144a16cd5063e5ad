import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FormData } from 'undici';
import { ensurePki } from '../../infra/keys/pki.ts';
import { startPostgres } from '../helpers/embedded.ts';
import { interpolated, readComposeFile } from '../helpers/compose-file.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { startFront } from '../helpers/front.ts';
import { freePorts } from '../helpers/ports.ts';
import { administer } from '../helpers/postgres.ts';
import { banksFileFor, newPassword, OWN_AUTHORITY, OWN_CONSENT, withPassword } from '../helpers/production.ts';
import { startProgram, type Program, type Started } from '../helpers/started.ts';
import { temporalAddress } from '../helpers/temporal.ts';
import { startTlsProxy } from '../helpers/tls-proxy.ts';
import { until } from '../helpers/until.ts';

/* Runs the processes of compose.yaml with its settings and secrets, but without a container engine. */

const RENT = 95_000;
const folder = mkdtempSync(join(tmpdir(), 'ringfence-deployed-'));
const place = (...names: string[]) => join(folder, ...names);
const secret = (name: string) => place('secrets', name);
const services = readComposeFile().services;
const stops: (() => Promise<unknown>)[] = [];
const running: Started[] = [];
let temporal: Awaited<ReturnType<typeof startTlsProxy>>;
let client: FaultClient;
let variables: Record<string, string>;
let ports: { api: number; proxied: number; postgres: number; bank: number };

beforeAll(async () => {
  chmodSync(folder, 0o711);
  for (const name of ['secrets', 'keys', 'bank', 'banks', 'reading', 'checkpoints']) mkdirSync(place(name));
  execFileSync('sh', [resolve(import.meta.dirname, '../../infra/deploy/inside-certificates.sh'), place('secrets')]);
  const [api, proxied, postgres, bank] = await freePorts(4);
  ports = { api: api!, proxied: proxied!, postgres: postgres!, bank: bank! };
  await ownCertificates();
  await startDatabase();
  const [ca, cert, key] = ['inside-ca.crt', 'temporal.crt', 'temporal.key'].map((name) => readFileSync(secret(name)));
  temporal = await startTlsProxy(await temporalAddress(), { ca: ca!, cert: cert!, key: key! });
  stops.push(() => temporal.close());
  variables = {
    RINGFENCE_PUBLIC_URL: `https://localhost:${ports.api}`,
    ...{ BANKS_DIR: place('banks'), BANK_HOUSE: 'own-bank', BANK_CONSENT_ID: OWN_CONSENT },
    LIMIT_PAYMENT: '1000000000000000',
    LIMIT_OWNER_PAYMENTS_PER_DAY: '1000000000000000',
    LIMIT_OWNER_PAYMENT_COUNT_PER_DAY: '1000000',
    LIMIT_APP_PAYMENT_COUNT_PER_DAY: '100000000',
    MAIL_FROM: 'Ringfence <no-reply@money.example>',
    LOG_LEVEL: 'warn',
  };
  await startBank();
  for (const key of ['master-key', 'checkpoint-key'])
    expect(await run('admin', key, 'create')).toMatchObject({ code: 0 });
  expect(await run('migrate')).toMatchObject({ code: 0, stderr: '' });
  for (const name of ['api', 'worker-payments', 'worker-batch', 'worker-documents', 'reader'])
    running.push(start(name));
  await Promise.all(running.map(({ ready }) => ready));
  const tls = { cert: secret('tls.crt'), key: secret('tls.key') };
  const front = await startFront({ apiPort: ports.proxied, tls, vaultClientCa: secret('vault-client-ca.crt') });
  stops.push(() => front.stop());
  client = openFaultClient({ urls: [`https://localhost:${front.port}`], ca: place('own', 'ca.crt') });
});

afterAll(async () => {
  await client?.close();
  const codes = await Promise.all(running.map((process) => process.stop()));
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true });
  expect(codes).toEqual([0, 0, 0, 0, 0]);
});

async function ownCertificates(): Promise<void> {
  await ensurePki(place('own'), { authority: OWN_AUTHORITY });
  const renamed = {
    'tls.crt': 'server.crt',
    'tls.key': 'server.key',
    'vault-client-ca.crt': 'vault-client-ca.crt',
  };
  const same = ['credential-signing.crt', 'credential-signing.key'];
  for (const [name, from] of [...Object.entries(renamed), ...same.map((name) => [name, name] as const)])
    await copyFile(place('own', from), secret(name));
  writeFileSync(secret('smtp-url'), 'smtps://mail.example\n');
}

async function startDatabase(): Promise<void> {
  const options = { dir: place('postgres'), port: ports.postgres };
  // The first start creates the data directory, whose owner must also own the TLS key.
  const first = await startPostgres(options);
  const password = newPassword();
  await administer(first.serviceUrl, `alter role ringfence_service password '${password}'`);
  await administer(first.url, `alter role ringfence password '${password}'`);
  await first.stop();
  const { uid, gid } = statSync(options.dir);
  const [cert, key] = [place('postgres.crt'), place('postgres.key')];
  await copyFile(secret('postgres.crt'), cert);
  await copyFile(secret('postgres.key'), key);
  chownSync(key, uid, gid);
  chmodSync(key, 0o600);
  const settings = { ssl: 'on', ssl_cert_file: cert, ssl_key_file: key };
  const postgres = await startPostgres({ ...options, settings });
  stops.push(() => postgres.stop());
  const verified = (url: string) =>
    `${withPassword(url, password)}?sslmode=verify-full&sslrootcert=${secret('inside-ca.crt')}\n`;
  writeFileSync(secret('database-url'), verified(postgres.serviceUrl));
  writeFileSync(secret('database-migration-url'), verified(postgres.url));
}

/** As in production, the bank's consent and address differ from the sandbox bank's. */
async function startBank(): Promise<void> {
  await ensurePki(place('bank', 'pki'), { authority: 'A bank' });
  for (const name of ['bank-signing.crt', 'ca.crt', 'server.crt', 'server.key', 'bank-server-signing.key'])
    await copyFile(place('own', name), place('bank', 'pki', name));
  const url = `https://localhost:${ports.bank}`;
  banksFileFor(place('banks'), { pki: place('own'), url });
  const settings = {
    ...{ RINGFENCE_ENV: 'sandbox', RINGFENCE_DATA: place('bank'), RINGFENCE_PORT_BANK: String(ports.bank) },
    ...{ BANK_URL: url, BANK_CONSENT_ID: OWN_CONSENT },
  };
  const bank = startProgram('sandbox-bank', settings);
  stops.push(() => bank.stop());
  await bank.ready;
}

function environmentOf(name: string): Record<string, string> {
  const { environment = {}, secrets = [] } = services[name]!;
  const given = Object.entries(environment).map(([setting, value]) => {
    const text = interpolated(value, variables)
      .replace(/^\/run\/secrets\/(.+)$/, (_all, file: string) => {
        // compose.yaml must give the container each secret whose file a setting names.
        expect([name, setting, secrets.includes(file)]).toEqual([name, setting, true]);
        return secret(file);
      })
      .replace(/^\/keys\//, `${place('keys')}/`)
      .replace(/^\/reading$/, place('reading'))
      .replace(/^\/banks\//, `${place('banks')}/`)
      .replace(/^\/checkpoints$/, place('checkpoints'))
      .replace(/^temporal:7233$/, `localhost:${temporal.port}`);
    return [setting, text];
  });
  const image = { RINGFENCE_HOST: '127.0.0.1', RINGFENCE_DATA: place('data') };
  const here = { METRICS_PORT_API: '0', METRICS_PORT_WORKER: '0', TEMPORAL_NAMESPACE: 'default' };
  return { ...(Object.fromEntries(given) as Record<string, string>), ...image, ...here };
}

function start(name: string, ...args: string[]): Started {
  const program = (name.startsWith('worker-') ? 'worker' : name) as Program;
  const { api, proxied } = ports;
  const front = { RINGFENCE_PROXIED_HOST: '127.0.0.1', RINGFENCE_TRUSTED_PROXIES: '127.0.0.1/32' };
  const port =
    name === 'api' ? { RINGFENCE_PORT_API: String(api), RINGFENCE_PORT_PROXIED: String(proxied), ...front } : {};
  return startProgram(program, { ...environmentOf(name), ...port }, args);
}

const run = (name: string, ...args: string[]) => start(name, ...args).ended;

async function admin(...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await run('admin', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, string>;
}

describe('the processes of compose.yaml, each with its own settings and secrets', () => {
  let token: string;
  const send = async (path: string, body: object, headers = {}) => {
    const answer = await client.call('POST', path, { token, key: randomUUID(), body, headers });
    expect([path, answer.status, answer.body]).toEqual([path, expect.any(Number), expect.any(Object)]);
    return answer.body as Record<string, unknown>;
  };

  test('pay a bill and read a payslip', async () => {
    const { app_id } = await admin('app', 'create', '--name', 'Payroll');
    const scopes =
      'write:paycheck assert:income write:payments read:allocations write:documents admin:audit admin:owners';
    const limits = ['--income-per-owner', '10000000', '--income-per-month', '10000000'];
    token = (await admin('key', 'create', '--app', app_id!, '--scopes', scopes, ...limits)).key!;
    const obligations = [{ type: 'Rent', amount: RENT, category: 'FIXED' }];
    const split = await send('/api/v1/engine/paycheck/calculate', {
      employee_id: 'emp-1',
      gross_pay: 284_735,
      obligations,
    });
    const [{ allocation_id: vault_allocation_id }] = split.vaults as [{ allocation_id: string }];
    const payee = { name: 'Larch Lettings', category: 'HOUSING', sort_code: '200000', account_number: '12345678' };
    const { provider_id } = await send('/api/v1/payments/providers', payee);
    const order = { vault_allocation_id, amount: RENT, currency: 'GBP', provider_id, reference: 'RENT NOV' };
    const { payment_id } = await send('/api/v1/payments/execute', order);
    const status = async () => {
      const { body } = await client.call('GET', `/api/v1/payments/${String(payment_id)}`, { token });
      return (body as { status?: string }).status;
    };
    await until(async () => (await status()) === 'completed', 'the payment');

    const form = new FormData();
    form.set('user_id', 'emp-1');
    form.set('file', new File([readFileSync('programs/demo/payslip.pdf')], 'payslip.pdf'));
    expect(await send('/api/v1/legacy/payslip/upload', form, { prefer: 'wait=30' })).toMatchObject({
      status: 'parsed',
    });
    expect(client.wrongs).toEqual([]);
  });

  test('report every part as up, the bank too', async () => {
    const { status, body } = await client.call('GET', '/api/v1/admin/health', { token });
    expect(status).toBe(200);
    const { parts } = body as { parts: { name: string; status: string }[] };
    expect(parts.map(({ name, status: how }) => [name, how])).toEqual([
      ['database', 'up'],
      ['temporal', 'up'],
      ['bank', 'up'],
      ['key-service', 'up'],
    ]);
  });

  test('let operators rotate the master key through a worker', async () => {
    await admin('master-key', 'rotate');
    const current = async () => JSON.stringify(await admin('master-key', 'list'));
    await until(async () => /"version":2,[^}]*"current"/.test(await current()), 'the second master key');
  });

  test('show Temporal their own certificates', () => {
    expect([...temporal.clients]).toEqual(['temporal-client']);
  });
});
