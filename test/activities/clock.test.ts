import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { CLOCK, moveClock } from '../../activities/clock.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { startBankClock } from '../../infra/background/bank-clock.ts';
import { auditEvents } from '../../infra/db/queries/admin.ts';
import { instantAfter } from '../../infra/db/queries/clock.ts';
import { insertDue } from '../../infra/db/queries/outbox.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { clockOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import type { Services } from '../../infra/services.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { anyKey, fund } from '../helpers/money.ts';
import { freePort } from '../helpers/ports.ts';
import { bankConfig, startSandboxBank } from '../helpers/sandbox-bank.ts';
import { until } from '../helpers/until.ts';
import { outcomeOf } from '../helpers/refusal.ts';

const DAY_MS = 86_400_000;
const services = withDatabase();
const clock = clockOf(services);
const others: (Services & { close(): Promise<void> })[] = [];
afterAll(() => Promise.all(others.map((other) => other.close())));

const principal = anyKey;
const advance = (duration: string, by = clock) => by.moveClock({ principal, advance: duration });
const nowMs = async (of: Services = services) => (await of.clock.now(of.db)).getTime();
const messages = textQuery<{ kind: string; payload: Record<string, unknown> }>(
  'test.messages',
  'select kind, payload from outbox_messages where message_id > $1 order by message_id',
);
const lastMessage = textQuery<{ id: number }>(
  'test.lastMessage',
  'select coalesce(max(message_id), 0) as id from outbox_messages',
);
const loseMessages = textQuery('test.clock.lose', 'delete from outbox_messages');
const setOffset = textQuery('test.setOffset', 'update business_clock set offset_ms = $1');
const deleteClock = textQuery('test.deleteClock', 'delete from business_clock');

// A second process of the service, with its own services.
async function another(env: Record<string, string> = {}): Promise<Services> {
  const opened = await openTestServices(services.config.database.url, { env });
  others.push(opened);
  return opened;
}

test('until it is moved, business time is real time', async () => {
  const before = Date.now();
  const now = await nowMs();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

describe('a move', () => {
  test('by a duration is exact to the millisecond, and the clock continues from there', async () => {
    const before = await nowMs();
    const { now } = await advance('P31D');
    expect(Date.parse(now)).toBeGreaterThanOrEqual(before + 30.9 * DAY_MS);
    const later = await nowMs();
    expect(later).toBeGreaterThanOrEqual(Date.parse(now));
    expect(later).toBeLessThan(Date.parse(now) + 60_000);
    expect(Date.parse((await clock.readClock()).now)).toBeGreaterThanOrEqual(later);
  });

  test('is visible to every process as soon as it is answered, also to one that starts later', async () => {
    const other = await another();
    for (let turn = 0; turn < 15; turn += 1) {
      const before = await nowMs(other);
      const moving = advance('PT1H');
      expect(await nowMs(other)).toBeGreaterThanOrEqual(before);
      const moved = Date.parse((await moving).now);
      for (const process of [other, services]) expect(await nowMs(process)).toBeGreaterThanOrEqual(moved);
    }
    const last = await nowMs();
    expect(await nowMs(await another())).toBeGreaterThanOrEqual(last);
  });

  test('is not lost among forty simultaneous moves from two processes', async () => {
    const two = [clock, clockOf(await another())];
    const before = await nowMs();
    const answers = await Promise.all(Array.from({ length: 40 }, (_, turn) => advance('PT24H', two[turn % 2])));
    const passed = (await nowMs()) - before;
    expect(passed).toBeGreaterThanOrEqual(40 * DAY_MS);
    expect(passed).toBeLessThan(40.5 * DAY_MS);
    const times = answers.map(({ now }) => Date.parse(now)).toSorted((a, b) => a - b);
    for (const [place, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(before + (place + 1) * DAY_MS);
  });

  test('that is rolled back was never visible, and leaves nothing', async () => {
    const before = await nowMs();
    const undone = services.db.transaction(async (tx) => {
      await moveClock(tx, services, { principal, advance: 'P100D' });
      expect((await services.clock.now(tx)).getTime()).toBeGreaterThan(before + 99 * DAY_MS);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await nowMs()).toBeLessThan(before + DAY_MS);
    expect(await nowMs(await another())).toBeLessThan(before + DAY_MS);
  });

  test('is audited at real time with the times before and after', async () => {
    const { now } = await advance('P2D');
    const [event] = await services.db.many(
      auditEvents({ subject: CLOCK, before: Number.MAX_SAFE_INTEGER, most: 1 }, undefined),
    );
    expect(event).toMatchObject({ kind: 'clock.moved', actor: 'key_test', data: { to: now } });
    expect(Math.abs(Date.parse(event!.created_at) - Date.now())).toBeLessThan(60_000);
  });

  test('reports what became due: the days passed, and interest up to the last 1st of a month among them', async () => {
    const start = new Date(Math.ceil(((await nowMs()) + DAY_MS) / (400 * DAY_MS)) * 400 * DAY_MS);
    await clock.moveClock({ principal, now: start.toISOString() });
    const { id } = await services.db.one(lastMessage());
    const { now } = await advance('P3M');
    const [moved, ...interest] = await services.db.many(messages(id));
    expect(moved).toEqual({
      kind: 'clock.moved',
      payload: { from: londonDateOf(start), to: londonDateOf(new Date(now)) },
    });
    const asOf = `${londonDateOf(new Date(now)).slice(0, 7)}-01`;
    expect(interest).toEqual([{ kind: 'yield.start', payload: { as_of: asOf } }]);
    const { id: then } = await services.db.one(lastMessage());
    await advance('PT1S');
    expect((await services.db.many(messages(then))).map(({ kind }) => kind)).toEqual(['clock.moved']);
  });
});

describe('a move that is refused', () => {
  test.each<[string, object[]]>([
    [
      'clock-not-forward',
      [{ advance: 'PT0S' }, { advance: 'P0Y0M0DT0H0M0S' }, { advance: 'PT0.0001S' }, { now: '2020-01-01T00:00:00Z' }],
    ],
    [
      'clock-too-far',
      [
        { advance: 'P11Y' },
        { advance: 'P9999Y99999M99999W999999DT9999999H999999999M999999999.999999999S' },
        { now: '2101-01-01T00:00:00Z' },
        { now: '9999-12-31T23:59:59Z' },
      ],
    ],
    ['invalid-request', [{}, { advance: 'P1D', now: '2030-01-01T00:00:00Z' }]],
  ])('as %s changes nothing: %j', async (code, requests) => {
    const before = await nowMs();
    const { id } = await services.db.one(lastMessage());
    for (const request of requests)
      expect(await outcomeOf(clock.moveClock({ principal, ...request }))).toMatchObject({ code });
    expect(await nowMs()).toBeLessThan(before + 60_000);
    expect(await services.db.many(messages(id))).toEqual([]);
  });

  test('production has no movable clock, and uses real time whatever the table says', async () => {
    const production = await another({ RINGFENCE_ENV: 'production' });
    const there = clockOf(production);
    expect(await outcomeOf(advance('P1D', there))).toMatchObject({ code: 'not-found' });
    expect(await outcomeOf(there.readClock())).toMatchObject({ code: 'not-found' });
    expect(Math.abs((await nowMs(production)) - Date.now())).toBeLessThan(60_000);
  });

  test('the database itself refuses to turn the clock back', async () => {
    await expect(services.db.run(setOffset(0))).rejects.toThrow('never goes back');
    await expect(services.db.run(deleteClock())).rejects.toThrow('never goes back');
  });
});

describe('durations', () => {
  test.each([
    ['2027-01-31T12:00:00.000Z', 'P1M', '2027-02-28T12:00:00.000Z'],
    ['2028-01-31T12:00:00.000Z', 'P1M', '2028-02-29T12:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', 'P1Y', '2029-02-28T12:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', 'P31D', '2026-12-22T12:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', 'P2W', '2026-12-05T12:00:00.000Z'],
    ['2026-11-21T12:00:00.000Z', 'P1Y2M3W4DT5H6M7S', '2028-02-15T17:06:07.000Z'],
    ['2026-11-21T12:00:00.000Z', 'PT1.5S', '2026-11-21T12:00:01.500Z'],
    ['2026-11-21T12:00:00.000Z', 'PT90M', '2026-11-21T13:30:00.000Z'],
    // London's clocks change on 28 March and 31 October 2027: these days have 23 and 25 hours.
    ['2027-03-27T12:00:00.000Z', 'P1D', '2027-03-28T11:00:00.000Z'],
    ['2027-03-27T12:00:00.000Z', 'PT24H', '2027-03-28T12:00:00.000Z'],
    ['2027-10-30T11:00:00.000Z', 'P1D', '2027-10-31T12:00:00.000Z'],
    ['2027-10-30T11:00:00.000Z', 'PT24H', '2027-10-31T11:00:00.000Z'],
    // London's clocks go forward on 28 March and skip 01:30.
    ['2027-02-28T01:30:00.000Z', 'P28D', '2027-03-28T01:30:00.000Z'],
  ])('%s and %s is %s', async (from, duration, after) => {
    expect(await services.db.one(instantAfter(new Date(from), duration))).toEqual({ after });
  });
});

const execute = (vault_allocation_id: string, more: object = {}) => {
  const bill = { vault_allocation_id, amount: 100, currency: 'GBP', provider_id: 'prov_sandbox_instant' };
  return paymentsOf(services).executePayment({ principal: anyKey, ...bill, ...more });
};

test('the reported payments are those scheduled for a day that the move passed', async () => {
  const payments = paymentsOf(services);
  await payments.ensureSandboxPayees();
  const { allocationId } = await fund(services, 'owner-1', 100_000);
  const today = await services.clock.now(services.db);
  const dayOf = (days: number) => londonDateOf(new Date(today.getTime() + days * DAY_MS));
  const pay = (days: number) => execute(allocationId, { execute_on: dayOf(days) });
  const [, passed, last, cancelled, later] = [await pay(0), await pay(1), await pay(8), await pay(2), await pay(9)];
  await payments.cancelPayment({ principal: anyKey, payment_id: cancelled.payment_id });
  expect(later.status).toBe('pending');
  const { id } = await services.db.one(lastMessage());
  await services.db.run(insertDue(dayOf(0), dayOf(8)));
  expect(await services.db.many(messages(id))).toEqual(
    [passed, last].map(({ payment_id }) => ({ kind: 'payment.due', payload: { payment_id, attempt: 1 } })),
  );
});

test('silent payments are found by business time, even when the clock is far ahead', async () => {
  const payments = paymentsOf(services);
  const { allocationId } = await fund(services, 'owner-2', 100_000);
  const payment = await execute(allocationId);
  const { id } = await services.db.one(lastMessage());
  await services.db.run(loseMessages());
  await payments.restartStalledPayments({ silent_for_s: 180, limit: 500 });
  const told = async () =>
    (await services.db.many(messages(id))).filter(({ payload }) => payload.payment_id === payment.payment_id);
  expect(await told()).toEqual([]);
  await advance('PT1H');
  await payments.restartStalledPayments({ silent_for_s: 180, limit: 500 });
  expect(await told()).toMatchObject([{ kind: 'payment.start' }]);
});

test('the sandbox bank follows the clock, also when it was away during the move', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'bank-clock-'));
  await ensurePki(join(dir, 'pki'));
  const [port, told] = [await freePort(), Date.parse((await advance('P3D')).now)];
  const following = startBankClock({ ...services, config: { bank: bankConfig(dir, port) } });
  const bank = await startSandboxBank(dir, { port });
  const dispatcher = new Agent({ connect: { ca: readFileSync(bank.config.tls.ca, 'utf8') } });
  const ask = async (path: string) => (await request(`${bank.config.url}${path}`, { dispatcher })).body;
  const bankNow = async () => {
    await (await ask('/accounts')).dump();
    const { items } = (await (await ask('/sandbox/calls')).json()) as { items: { at: string }[] };
    return Date.parse(items[0]!.at);
  };
  await until(async () => (await bankNow()) >= told, 'the bank to follow');
  const again = Date.parse((await advance('P40D')).now);
  await until(async () => (await bankNow()) >= again, 'the bank to follow again');
  expect(await bankNow()).toBeLessThan(again + DAY_MS);
  await Promise.all([following.stop(), bank.stop(), dispatcher.destroy()]);
  rmSync(dir, { recursive: true });
});
