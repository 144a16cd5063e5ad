import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { tlsFetch } from '../../client/src/node.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { approveAtBank } from '../../programs/demo/browser.ts';
import { said } from '../helpers/admin.ts';
import { expectWhole, movedAtBank } from '../helpers/faults-checks.ts';
import { openFaultClient, type Asked, type FaultClient } from '../helpers/faults-client.ts';
import {
  bodyFor,
  caOf,
  connectToPay,
  fundOwners,
  registerPersons,
  type Owner,
  type Payment,
  type Person,
} from '../helpers/faults-load.ts';
import { startFaultStack } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

const [WAGE, RENT] = [200_000, 95_000];
const PASSWORD = 'a long enough passphrase';
const INSTANT = 'prov_sandbox_instant';

const stack = startFaultStack({
  BANK_TIMEOUT_MS: '3000',
  BANK_UNATTENDED_READS_PER_DAY: '1000',
  // Longer than a worker takes to stop.
  SANDBOX_BANK_SLOW_MS: '20000',
});
let client: FaultClient;
/** Has wages, and a standing split that pays the rent. */
let tenant: Person;
let other: Owner;
let connectionId: string;
let keys = 0;

const admin = async <T>(...args: string[]) => said<T>(await runCommand(args, stack.env));
const call = <Body>(status: number, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, asked: Asked = {}) =>
  bodyFor<Body>(status, client.call(method, path, { key: `restore-${(keys += 1)}`, ...asked }));
const execute = ({ token, allocationId }: Owner, provider_id: string, more: object = {}) => {
  const body = { vault_allocation_id: allocationId, amount: 1_234, currency: 'GBP', provider_id, ...more };
  return call<Payment>(201, 'POST', '/api/v1/payments/execute', { token, body });
};
const statusOf = async ({ payment_id }: Payment, { token }: Owner) =>
  (await call<Payment>(200, 'GET', `/api/v1/payments/${payment_id}`, { token })).status;
const completes = (payment: Payment, owner: Owner) =>
  until(async () => (await statusOf(payment, owner)) === 'completed', 'the payment', 60_000);
const signIn = async ({ email }: Person) =>
  (await call<{ access_token: string }>(200, 'POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } }))
    .access_token;

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const role = 'ringfence_service';
  const url = `postgresql://${role}:${role}@localhost:${stack.env.RINGFENCE_PORT_POSTGRES}/ringfence`;
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    return (await db.query<Row>(text)).rows;
  } finally {
    await db.end();
  }
}

async function wageArrives(reference: string): Promise<void> {
  const credit = { owner_id: tenant.userId, amount: WAGE, payer: 'Northwind Ltd', reference };
  await call(201, 'POST', `${stack.bankUrl}/sandbox/credits`, { body: credit });
}
const sync = () =>
  call(202, 'POST', `/api/v1/bank/connections/${connectionId}/sync`, { token: tenant.token, body: {} });
const wages = async () =>
  (await call<{ items: { status: string }[] }>(200, 'GET', `/api/v1/bank/wages?user_id=${tenant.userId}`, tenant))
    .items;
const split = (more: object = {}) => {
  const rent = { type: 'Rent', amount: RENT, category: 'FIXED', provider_id: INSTANT, pay_on: 'on_arrival' };
  const body = { obligations: [rent], ...more };
  return call(200, 'PUT', `/api/v1/engine/standing-split/${tenant.userId}`, { token: tenant.token, body });
};

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  [tenant] = (await registerPersons(client, 1)) as [Person];
  [other] = (await fundOwners(client, 1)) as [Owner];
  await connectToPay({ client, stack }, [tenant], [INSTANT]);
  const wanted = { user_id: tenant.userId, bank_id: 'sandbox', kind: 'accounts' };
  const connecting = { token: tenant.token, body: wanted };
  const made = await call<Record<string, string>>(201, 'POST', '/api/v1/bank/connections', connecting);
  connectionId = made.connection_id!;
  const journey = {
    email: tenant.email,
    password: PASSWORD,
    customer: tenant.userId,
    authoriseUrl: made.authorise_url!,
  };
  await approveAtBank(tlsFetch({ ca: readFileSync(caOf(stack)) }), journey);
  await wageArrives('SALARY 1');
  interface Row {
    transaction_id: string;
    amount: number;
  }
  const credit = async () => {
    await sync();
    const path = `/api/v1/bank/transactions?limit=100&user_id=${tenant.userId}`;
    return (await call<{ items: Row[] }>(200, 'GET', path, tenant)).items.find(({ amount }) => amount === WAGE);
  };
  await until(async () => (await credit()) !== undefined, 'the first wage', 60_000, 1_000);
  const { transaction_id } = (await credit())!;
  await call(201, 'POST', '/api/v1/bank/wages', { token: tenant.token, body: { transaction_id } });
  await split();
});
afterAll(() => client.close());

const counter = () =>
  (JSON.parse(readFileSync(`${stack.env.RINGFENCE_DATA}-checkpoints/counter.json`, 'utf8')) as { counter: number })
    .counter;
const folder = () => join(stack.env.RINGFENCE_DATA!, 'postgres');

/** PostgreSQL can run as a user of its own, to whom the files must belong. */
const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);

/** While PostgreSQL is stopped. */
async function backUp(): Promise<{ backup: string; at: string }> {
  expect(await stack.end()).toBe(0);
  const backup = `${folder()}-backup-${(keys += 1)}`;
  copy(folder(), backup);
  const at = new Date().toISOString();
  await stack.start();
  return { backup, at };
}

async function restore(backup: string): Promise<void> {
  expect(await stack.end()).toBe(0);
  rmSync(folder(), { recursive: true });
  copy(backup, folder());
  await stack.start();
}

interface Compared {
  completed: { payment_id: string }[];
  in_doubt: { payment_id: string }[];
  unexplained: { payment_id: string | null; amount: number }[];
}
const idsOf = (rows: readonly { payment_id: string | null }[]) => rows.map(({ payment_id }) => payment_id).toSorted();

test('a backup that is restored by the book pays nothing twice, and gives back nothing that was taken away', async () => {
  const { app_id } = await admin<{ app_id: string }>('app', 'create', '--name', 'Drill');
  const key = await admin<{ key: string; key_id: string }>(
    'key',
    'create',
    '--app',
    app_id,
    '--scopes',
    'read:payments',
  );
  const kept = await admin<{ key: string; key_id: string }>(
    'key',
    'create',
    '--app',
    app_id,
    '--scopes',
    'read:payments admin:audit',
  );
  const account = {
    name: 'Elm Street Lettings',
    category: 'HOUSING',
    sort_code: '20-30-40',
    account_number: '12345678',
  };
  const add = () =>
    call<{ provider_id: string }>(201, 'POST', '/api/v1/payments/providers', { token: other.token, body: account });
  const { provider_id } = await add();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const later = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const scheduled = await execute(other, INSTANT, { execute_on: tomorrow });
  const unsent = await execute(other, INSTANT, { execute_on: later });
  const underWay = await execute(other, 'prov_sandbox_slow');
  const [{ backup, at }, before] = [await backUp(), counter()];

  // After the backup: payments end, a bill and a wage come, and things are taken away.
  await completes(underWay, other);
  await wageArrives('SALARY 2');
  const rents = async () =>
    [...(await movedAtBank(stack, client)).values()].flat().filter((one) => one.includes(`out ${RENT}`));
  await until(async () => (await sync(), (await rents()).length === 1), 'the rent', 90_000, 1_000);
  await call(200, 'POST', '/api/v1/sandbox/clock', { token: kept.key, body: { advance: 'P1D' } });
  await completes(scheduled, other);
  const bill = await execute(other, INSTANT);
  await completes(bill, other);
  await admin('key', 'revoke', key.key_id);
  await query(`update users set password_hash = password_hash || 'x' where user_id = '${other.userId}'`);
  await call(204, 'DELETE', `/api/v1/payments/providers/${provider_id}`, { token: other.token });
  await add();
  await until(() => counter() > before, 'the counter', 130_000);
  const moved = await movedAtBank(stack, client);

  await restore(backup);
  const answer = await client.once('POST', '/api/v1/payments/execute', { token: other.token, key: 'k', body: {} });
  expect(answer).toMatchObject({ status: 503, body: { code: 'restoring' } });
  expect(await admin('restore', 'begin', '--backup-at', at)).toMatchObject({ payments_in_doubt: 3, splits_paused: 1 });
  const compared = await admin<Compared>('restore', 'compare');
  expect(idsOf(compared.completed)).toEqual(idsOf([scheduled, underWay]));
  expect(idsOf(compared.in_doubt)).toEqual([unsent.payment_id]);
  expect(idsOf(compared.unexplained)).toContain(bill.payment_id);
  expect(compared.unexplained.map(({ amount }) => amount)).toContain(RENT);
  const refused = await runCommand(['restore', 'finish'], stack.env);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('in doubt') as string });
  await admin('restore', 'settle', unsent.payment_id, '--as', 'not-sent', '--reason', 'it is for later');
  await admin('restore', 'confirm', '--all-of', app_id);
  const finished = {
    list_whole: true,
    taken_away_again: { key: 1, password: 1, payee: 1, pii: 0 },
    payees_to_confirm: 0,
  };
  expect(await admin('restore', 'finish')).toMatchObject(finished);

  // The service is open again. The revoked key, the old password and the removed payee stay away.
  const listed = ({ key: token }: { key: string }) => client.once('GET', '/api/v1/payments', { token });
  expect([(await listed(key)).status, (await listed(kept)).status]).toEqual([401, 200]);
  const old = { body: { email: other.email, password: PASSWORD } };
  // Each process learns a moment later that writes are accepted again.
  expect((await client.call('POST', '/api/v1/auth/login', old)).status).toBe(401);
  const removed = await query(`select from payees where provider_id = '${provider_id}' and removed_at is not null`);
  expect(removed).toHaveLength(1);
  tenant = { ...tenant, token: await signIn(tenant) };
  await split({ paused: false });
  await until(async () => (await sync(), (await wages()).length === 2), 'the second wage', 90_000, 1_000);
  expect((await wages()).map(({ status }) => status).toSorted()).toEqual(['confirmed', 'suggested']);
  expect(await movedAtBank(stack, client)).toEqual(moved);
  await expectWhole(stack);
  expect(client.wrongs).toEqual([]);

  // The same backup again, which is older by now, is noticed too.
  await until(() => counter() > before + 2, 'the counter', 200_000);
  await restore(backup);
  expect(await admin('restore', 'begin', '--backup-at', at)).toMatchObject({ payments_in_doubt: 3 });
  expect(idsOf((await admin<Compared>('restore', 'compare')).completed)).toEqual(idsOf([scheduled, underWay]));
  await admin('restore', 'settle', unsent.payment_id, '--as', 'not-sent', '--reason', 'it is for later');
  expect(await admin('restore', 'finish')).toMatchObject({ list_whole: true });
  expect((await listed(key)).status).toBe(401);
  expect(await movedAtBank(stack, client)).toEqual(moved);
});
