import { callerOf, type Principal } from '../../domain/auth.ts';
import { markDelivered, takeTurns } from '../../infra/db/queries/outbox.ts';
import { accountsOf, paymentsOf } from '../helpers/activities.ts';
import { testConfig } from '../helpers/environment.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { fund, userOf } from '../helpers/money.ts';
import { newOwner, withPayments } from '../helpers/paying.ts';
import { bankIdOf } from '../helpers/played-bank.ts';
import { until } from '../helpers/until.ts';

const { bank, clock, services, payments } = withPayments();
const [auth, sql] = [accountsOf(services), sqlOf(services)];

beforeEach(async () => {
  await sql.run('delete from outbox_messages');
  await sql.run('delete from outbox_turns');
});

const USUAL = { most: 16, holdS: 10, turnS: 30, dueForS: 0, perOwner: 5, window: 32, windowS: 5 };
const take = async (more: Partial<typeof USUAL> = {}) => {
  const taken = await services.db.many(takeTurns({ ...USUAL, ...more }));
  return taken.map(({ workflow_id }) => names.get(workflow_id)!);
};
const deliver = async () => {
  const begun = 'select message_id::int as id from outbox_messages where begun_at is not null and not delivered';
  await services.db.run(markDelivered((await sql.many<{ id: number }>(begun)).map(({ id }) => id)));
};
const ago = (seconds: number) => sql.run(`update outbox_messages set begun_at = begun_at - interval '${seconds} s'`);
const ended = async () => {
  await deliver();
  await ago(31);
};

const names = new Map<string, string>();

/** Orders payments, and names each of them. */
async function order(
  name: string,
  count: number,
  by: { owner?: string; principal?: Principal; execute_on?: string } = {},
) {
  const owner = by.owner ?? newOwner();
  const { allocationId: vault_allocation_id } = await fund(services, owner, 500_000);
  const bill = { vault_allocation_id, currency: 'GBP', provider_id: 'prov_sandbox_instant', amount: 1 } as const;
  const { execute_on } = by;
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const more = execute_on === undefined ? {} : { execute_on };
    const { payment_id } = await payments.executePayment({
      principal: by.principal ?? userOf(owner),
      ...bill,
      ...more,
    });
    names.set(payment_id, name);
    made.push(payment_id);
  }
  return { owner, made };
}

async function newKey(): Promise<Principal> {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const { key } = await auth.issueApiKey({ app_id, scopes: ['write:payments'] });
  return auth.authenticate({ token: key });
}

const counted = (taken: readonly string[]) =>
  taken.reduce<Record<string, number>>((sum, name) => ({ ...sum, [name]: (sum[name] ?? 0) + 1 }), {});

test('of one owner five payments are under way, the oldest first, and each result lets the next go', async () => {
  const { made } = await order('flood', 8);
  const taken = await services.db.many(takeTurns(USUAL));
  expect(taken.map(({ workflow_id }) => workflow_id)).toEqual(made.slice(0, 5));
  await deliver();
  expect(await take()).toEqual([]);
  await payments.submitPayment({ payment_id: made[1]!, attempt: 1, settle_within_ms: 0 });
  expect((await services.db.many(takeTurns(USUAL))).map(({ workflow_id }) => workflow_id)).toEqual([made[5]]);
});

test('another’s bill is the next after the turns under way, beside many of an owner, of a key and of persons', async () => {
  const key = await newKey();
  await order('owner', 40);
  for (let n = 0; n < 20; n += 1) await order('key', 2, { principal: key });
  for (let n = 0; n < 20; n += 1) await order('person', 1);
  expect(await take({ most: 8 })).toHaveLength(8);
  await order('bill', 1);
  expect(await take({ most: 2 })).toContain('bill');
});

test('parties take turns, and within a party its owners', async () => {
  const [first, second] = [await newKey(), await newKey()];
  const [a, b] = [newOwner(), newOwner()];
  await order('first a', 4, { owner: a, principal: first });
  await order('first b', 4, { owner: b, principal: first });
  await order('second', 8, { principal: second });
  expect(counted(await take({ most: 8 }))).toEqual({ 'first a': 2, 'first b': 2, second: 4 });
  await ended();
  expect(counted(await take({ most: 8 }))).toEqual({ 'first a': 2, 'first b': 2, second: 4 });
});

test('a person’s own bills take turns with those that an application orders for the person', async () => {
  const key = await newKey();
  // Parties follow in the order of their hashes, and the application must come first in it.
  const isFirst = `select md5(app_id) < md5($2) as first from api_keys where lineage = $1`;
  let owner: string;
  do owner = services.newId('usr');
  while (!(await sql.many<{ first: boolean }>(isFirst, [callerOf(key), owner]))[0]!.first);
  await order('ordered', 12, { owner, principal: key });
  expect(counted(await take())).toEqual({ ordered: 5 });
  await order('own', 3, { owner });
  const taken: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    await deliver();
    await sql.run(`update outbox_messages set begun_at = begun_at - interval '31 s'
      where message_id = (select min(message_id) from outbox_messages where begun_at is not null)`);
    taken.push(...(await take()));
  }
  expect(counted(taken)).toEqual({ ordered: 3, own: 3 });
});

test('every party gets turns, however many others come new', async () => {
  await order('patient', 3);
  let turns = 0;
  for (let round = 0; round < 12; round += 1) {
    await order('new', 1);
    turns += (await take({ most: 2 })).filter((name) => name === 'patient').length;
  }
  expect(turns).toBe(3);
});

test('an application that orders one payment after the other gets no more turns than others', async () => {
  const [patient, other, steady] = [await newKey(), await newKey(), await newKey()];
  for (let n = 0; n < 12; n += 1) await order('patient', 1, { principal: n % 2 === 0 ? patient : other });
  const taken: string[] = [];
  for (let round = 0; round < 6; round += 1) {
    await order('steady', 1, { principal: steady });
    taken.push(...(await take({ most: 2 })));
  }
  expect(counted(taken).patient).toBeGreaterThanOrEqual(7);
});

test('at most as many are under way as the window has space for, until a worker begins to send them', async () => {
  const all = [];
  for (let n = 0; n < 6; n += 1) all.push(...(await order(`${n}`, 1)).made);
  expect(await take({ window: 4 })).toHaveLength(4);
  await deliver();
  expect(await take({ window: 4 })).toEqual([]);
  await sql.run(`update payment_attempts set sends = 1, submission = 'in_doubt' where payment_id = any($1::text[])`, [
    all,
  ]);
  expect(await take({ window: 4 })).toHaveLength(2);
});

test('payments that nobody begins to send, because their worker died or their bank is missing, stop others for seconds only', async () => {
  for (let n = 0; n < 4; n += 1) await order('stuck', 1);
  expect(await take({ window: 4 })).toHaveLength(4);
  await deliver();
  await order('bill', 1);
  expect(await take({ window: 4 })).toEqual([]);
  await ago(6);
  expect(await take({ window: 4 })).toEqual(['bill']);
});

test('a turn whose relay died begins again, and one whose worker died ends, so that later payments go on', async () => {
  const { made } = await order('lost', 7);
  expect(await take()).toHaveLength(5);
  await ago(11);
  expect(await take()).toHaveLength(5);
  await deliver();
  await ago(31);
  const rest = await services.db.many(takeTurns(USUAL));
  expect(rest.map(({ workflow_id }) => workflow_id)).toEqual(made.slice(5));
});

test('a relay that helps out takes no turn while another relay does', async () => {
  await order('late', 8);
  await sql.run(`update outbox_messages set available_at = now() - interval '4 s'`);
  expect(await take({ dueForS: 3, most: 2 })).toHaveLength(2);
  expect(await take({ dueForS: 3 })).toEqual([]);
  await ago(4);
  expect(await take({ dueForS: 3 })).toHaveLength(3);
});

test('a scheduled payment takes no turn before its day, and on its day asks for one, once', async () => {
  const { owner, made } = await order('scheduled', 8, { execute_on: '2026-11-22' });
  for (const _ of made) await take().then(deliver);
  expect(await sql.many('select 1 from outbox_messages')).toEqual([]);
  clock.set('2026-11-22T00:00:00Z');
  const [first] = made;
  const ask = (payment_id: string) => payments.askForTurn({ payment_id, attempt: 1 });
  for (const payment_id of [...made, first!]) expect(await ask(payment_id)).toBe(true);
  await order('now', 1, { owner });
  const taken = await services.db.many(takeTurns(USUAL));
  expect(taken.map(({ workflow_id }) => workflow_id)).toEqual(made.slice(0, 5));
  await deliver();
  expect(await take()).toEqual([]);
  await payments.submitPayment({ payment_id: first!, attempt: 1, settle_within_ms: 0 });
  expect(await take()).toEqual(['scheduled']);
  await sql.run('delete from outbox_messages');
  expect(await ask(first!)).toBe(false);
});

test('a scheduled payment that the bank has not accepted waits for no other turn if its workflow begins again', async () => {
  const [payment_id] = (await order('scheduled', 1, { execute_on: '2026-11-22' })).made;
  clock.set('2026-11-22T00:00:00Z');
  bank.answers = [{ kind: 'not-accepted', detail: 'busy', until: null }];
  await payments.submitPayment({ payment_id: payment_id!, attempt: 1, settle_within_ms: 0 });
  expect(await payments.askForTurn({ payment_id: payment_id!, attempt: 1 })).toBe(false);
});

test('payments that settle slowly leave a quarter of a worker’s slots for payments to be sent', async () => {
  const { made } = await order('slow', 4);
  const config = testConfig(services.config.database.url, { WORKER_PAYMENT_ACTIVITIES: '4' });
  const worker = paymentsOf({ ...services, config });
  const submit = (payment_id: string) => worker.submitPayment({ payment_id, attempt: 1, settle_within_ms: 60_000 });
  const all = made.map(submit);
  const told = `select 1 from payment_attempts where payment_id = any($1::text[]) and awaited`;
  await until(async () => (await sql.many(told, [made])).length === 1, 'one payment not to wait in a slot');
  bank.says = { status: 'ACSC', reason: null, returned: null };
  for (const paymentId of made) {
    const bank_payment_id = bankIdOf({ paymentId, attempt: 1 });
    await payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id });
  }
  const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
  expect(counted(outcomes)).toEqual({ accepted: 1, settled: 3 });
});

test('a payment that waits for its turn is not restarted as lost', async () => {
  const { made } = await order('waiting', 6);
  const messages = () => sql.many('select 1 from outbox_messages where workflow_id = any($1::text[])', [made]);
  await sql.run(`update payments set updated_at = updated_at - interval '1 hour'`);
  const restart = () => payments.restartStalledPayments({ silent_for_s: 180, limit: 500 });
  await restart();
  expect(await messages()).toHaveLength(6);
  await sql.run('delete from outbox_messages');
  await restart();
  expect(await messages()).toHaveLength(6);
});
