import { lockConnection, needReauthorisation, rejectConnection } from '../../activities/bank/record.ts';
import { showPayment } from '../../activities/payments/attention.ts';
import { changePayment, lockPayment, markPayment, type PaymentChange } from '../../activities/payments/record.ts';
import { retryPaymentByOperator } from '../../activities/payments/retry.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { withHouse } from '../helpers/banks.ts';
import { movableClock } from '../helpers/clock.ts';
import { authorise, connectionsOf } from '../helpers/connections.ts';
import { withDatabase } from '../helpers/database.ts';
import { balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { codeOf, FUNDS, refusal } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';
import { registerPerson } from '../helpers/proved.ts';

/* Which account pays, and how much of it. A consent's first day is 2026-11-29. */

function withPayers(env: Readonly<Record<string, string>> = {}) {
  const [played, clock] = [playedBanks(), movableClock()];
  afterEach(() => expectSoundLedger(services));
  const services = withDatabase({ banks: withHouse(played, playedBank()), clock, env });
  const [payments, bank, sql] = [paymentsOf(services), connectionsOf(services), sqlOf(services)];
  const at = (instant: string) => {
    clock.set(instant);
    return services.clock.now(services.db);
  };
  beforeEach(() => at('2026-11-29T12:00:00Z'));

  /** A person with two payees and `FUNDS`. `limits` are those of the connections that the person makes. */
  async function person(limits: object = {}) {
    const { user_id, principal } = await registerPerson(services);
    const payee = async (account_number: string) => {
      const account = { name: 'Energy', category: 'UTILITIES', sort_code: '401276', account_number } as const;
      return (await payments.addProvider({ principal, ...account })).provider_id;
    };
    const [provider_id, other] = [await payee('12345678'), await payee('87654321')];
    const { allocationId: vault_allocation_id } = await fund(services, user_id, FUNDS);
    const connect = async (more: object = {}) => {
      const wanted = { user_id, bank_id: 'played-local', kind: 'payments', provider_id, principal } as const;
      const all = { per_payment: FUNDS, per_month: FUNDS, ...limits };
      return (await bank.connectBank({ ...wanted, limits: all, ...more })).connection_id;
    };
    const connected = async (more: object = {}) => {
      const connection_id = await connect(more);
      await authorise(services, played, connection_id);
      return connection_id;
    };
    const pay = (amount = 1, more: object = {}) =>
      payments.executePayment({ principal, vault_allocation_id, amount, currency: 'GBP', provider_id, ...more });
    return {
      ...{ user_id, principal, other, connect, connected, pay },
      retry: ({ payment_id }: { payment_id: string }) => payments.retryPayment({ principal, payment_id }),
      end: (connection_id: string) => bank.disconnectBank({ connection_id, principal }),
      used: async (connection_id: string) => (await bank.getConnection({ connection_id })).connection.used_this_month,
      balances: () => balancesOf(services, user_id),
    };
  }

  const locked = (connection_id: string, change: typeof rejectConnection) =>
    services.db.transaction(async (tx) =>
      change(await lockConnection(tx, connection_id), services, { actor: 'service' }),
    );
  const change = ({ payment_id }: { payment_id: string }, ...steps: Omit<PaymentChange, 'detail' | 'actor' | 'at'>[]) =>
    services.db.transaction(async (tx) => {
      const by = { detail: 'played', actor: 'bank', at: await services.clock.now(tx) };
      let payment = await lockPayment(tx, payment_id, by.at);
      for (const step of steps) payment = await changePayment(payment, services, { ...step, ...by });
      return payment;
    });
  const fail = (payment: { payment_id: string }) => change(payment, { to: 'failed', failure: FAILURE });
  const dueMessages = (connection_id: string) =>
    sql.many<{ payment_id: string }>(
      `select distinct p.payment_id from outbox_messages join payments p on p.payment_id = workflow_id
        where kind = 'payment.due' and connection_id = $1 and payload->>'attempt' = '1'`,
      [connection_id],
    );
  /** The bank of each attempt. */
  const banksOf = async ({ payment_id }: { payment_id: string }) => {
    const attempts = 'select bank_id from payment_attempts where payment_id = $1 order by attempt';
    return (await sql.many<{ bank_id: string }>(attempts, [payment_id])).map(({ bank_id }) => bank_id);
  };
  return { services, played, payments, bank, sql, at, person, locked, change, fail, dueMessages, banksOf };
}

const FAILURE = { code: 'AM04', detail: 'played', retryable: true };
const ENDED = 'bank-consent-ended';
const MISSING = 'bank-not-connected';

/** The house account, the connection with this number, or a refusal, perhaps about that connection. */
type Outcome = 'house' | number | readonly [code: string, of?: number, connection_status?: string];
const RENEW: Outcome = [ENDED, 0, 'reauthorisation_needed'];
const REVOKED: Outcome = [ENDED, 0, 'revoked'];

const sandbox = withPayers();
const production = withPayers(withProductionKeys());
const { services, payments, bank, sql, at, person, locked, change, fail, dueMessages, banksOf } = sandbox;

/** `made` are the person's connections to this payee, oldest first, and then `others`, to another payee or for reading. */
test.each<[string, string[], string[], inSandbox: Outcome, inProduction?: Outcome]>([
  ['nothing', [], [], 'house'],
  ['one that pays', ['authorised'], [], 0],
  ['two that pay', ['authorised', 'authorised'], [], 1],
  ['a newer one that awaits', ['authorised', 'awaiting_authorisation'], [], 0],
  ['a newer one that was revoked', ['authorised', 'revoked'], [], 0],
  ['one that was renewed', ['renewed', 'revoked'], [], 0],
  ['one that was revoked', ['revoked'], [], REVOKED],
  ['one to renew', ['reauthorisation_needed'], [], RENEW],
  ['two that ended', ['revoked', 'expired'], [], [ENDED, 1, 'expired']],
  ['a new one for a revoked one', ['revoked', 'awaiting_authorisation'], [], REVOKED],
  ['one that awaits', ['awaiting_authorisation'], [], [MISSING, undefined, 'awaiting_authorisation'], 'house'],
  ['one that was rejected', ['rejected'], [], [MISSING, undefined, 'rejected'], 'house'],
  ['one that reads', [], ['accounts'], 'house'],
  ['one to another payee', [], ['authorised'], 'house', [MISSING]],
  ['a revoked one to another', [], ['revoked'], 'house', [MISSING]],
  ['a rejected one to another', [], ['rejected'], 'house'],
])(
  'a person with %s is paid for by the right account',
  async (_what, made, others, inSandbox, inProduction = inSandbox) => {
    for (const [here, expected] of [
      [sandbox, inSandbox],
      [production, inProduction],
    ] as const) {
      const { other, pay, connect, connected, end, balances } = await here.person();
      const make = async (state: string, more: object = {}) => {
        if (state === 'accounts') return connected({ kind: state, provider_id: undefined, limits: undefined });
        if (state === 'awaiting_authorisation' || state === 'rejected') {
          const id = await connect(more);
          if (state === 'rejected') await here.locked(id, rejectConnection);
          return id;
        }
        const id = await connected(more);
        if (state === 'revoked') await end(id);
        if (state === 'expired')
          await here.sql.run('update bank_connections set status = $2 where connection_id = $1', [id, state]);
        if (state === 'reauthorisation_needed' || state === 'renewed') await here.locked(id, needReauthorisation);
        if (state === 'renewed') await authorise(here.services, here.played, id);
        return id;
      };
      const ids: string[] = [];
      for (const state of made) ids.push(await make(state));
      for (const state of others) await make(state, { provider_id: other });
      if (Array.isArray(expected)) {
        const [code, of, connection_status] = expected as Exclude<Outcome, 'house' | number>;
        const about = of === undefined ? {} : { connection_id: ids[of] };
        expect(await refusal(pay())).toEqual({ code, ...about, ...(connection_status && { connection_status }) });
      } else if (expected === 'house' && here === production) {
        // Nobody has asserted this person's income, and only the house account asks for that.
        expect(await codeOf(pay())).toBe('income-not-evidenced');
      } else {
        const payment = await pay();
        const wanted = expected === 'house' ? [null, 'sandbox'] : [ids[expected as number], 'played-local'];
        expect([payment.connection_id, ...(await here.banksOf(payment))]).toEqual(wanted);
        continue;
      }
      expect(await balances()).toMatchObject({ vault: FUNDS });
    }
  },
);

test('a connection whose last day is over pays no more, before a worker has stored that', async () => {
  const { connected, pay } = await person();
  const limits = { per_payment: 10, per_month: 10, valid_until: '2026-12-01' };
  const connection_id = await connected({ limits });
  await at('2026-12-01T23:59:00Z');
  expect(await pay()).toMatchObject({ connection_id });
  await at('2026-12-02T00:00:00Z');
  expect(await refusal(pay())).toEqual({ code: ENDED, connection_id, connection_status: 'expired' });
});

test('a payment that waits for its day on the house account fails once the person pays from an own bank', async () => {
  const { pay, connected } = await person();
  const { payment_id } = await pay(1, { execute_on: '2026-12-05' });
  await connected();
  await at('2026-12-05T12:00:00Z');
  const due = { payment_id, attempt: 1, settle_within_ms: 0 };
  expect(await payments.submitPayment(due)).toMatchObject({ outcome: 'settled', status: 'failed' });
  expect(await payments.readFailure(due)).toEqual({ code: MISSING, retryable: true });
});

test('without its bank, a connection pays nothing', async () => {
  const { connected, principal, pay } = await person();
  await connected();
  const order = await pay();
  const elsewhere = paymentsOf({ ...services, banks: { ...services.banks, find: () => undefined } });
  const again = { principal, vault_allocation_id: order.vault_allocation_id, amount: 1, currency: 'GBP' } as const;
  expect(await codeOf(elsewhere.executePayment({ ...again, provider_id: order.provider_id }))).toBe(MISSING);
});

describe('a retry', () => {
  test('is paid by the newest connection, and that of a payment of the house account by it too', async () => {
    const { connected, end, pay, retry, user_id } = await person();
    const ofHouse = await pay();
    await fail(ofHouse);
    const [before, now] = [await connected(), await connected()];
    expect(await retry(ofHouse)).toMatchObject({ connection_id: now, attempt: 2 });
    await fail(ofHouse);
    await end(now);
    const reason = 'the person asked';
    const byOperator = { payment_id: ofHouse.payment_id, reason, actor: 'operator' };
    await retryPaymentByOperator(services, byOperator);
    const { attempts: _attempts, ...shown } = await showPayment(services, ofHouse);
    expect(shown).toMatchObject({ connection_id: before, attempt: 3, owner_id: user_id });
    expect(shown).not.toHaveProperty('counts_on');
    expect(await banksOf(ofHouse)).toEqual(['sandbox', 'played-local', 'played-local']);
  });

  test('of a payment of a connection that ended is refused, and never made by the house account', async () => {
    const { connected, end, pay, retry, balances } = await person();
    const connection_id = await connected();
    const payment = await pay(40);
    await fail(payment);
    await end(connection_id);
    expect(await refusal(retry(payment))).toEqual({ code: ENDED, connection_id, connection_status: 'revoked' });
    expect(await balances()).toMatchObject({ vault: FUNDS, in_flight: 0 });
  });

  test('counts in the month in which it is made', async () => {
    const { connected, used, pay, retry } = await person({ per_payment: 60, per_month: 100 });
    const connection_id = await connected();
    const payment = await pay(60);
    await fail(payment);
    expect(await used(connection_id)).toBe(0);
    await pay(50);
    expect(await refusal(retry(payment))).toEqual({
      ...{ code: 'exceeds-consent-limit', limit: 100, used: 50, available: 50 },
    });
    await at('2026-12-29T12:00:00Z');
    expect(await retry(payment)).toMatchObject({ status: 'processing', connection_id });
    expect(await used(connection_id)).toBe(60);
  });
});

describe('the limits of a consent', () => {
  const beyond = (limit: number, used: number) => ({
    ...{ code: 'exceeds-consent-limit', limit, used, available: limit - used },
  });

  test.each([
    [1, 1],
    [50, 100],
  ])('of %i for a payment and %i for a month hold to the penny', async (per_payment, per_month) => {
    const { connected, pay, balances } = await person({ per_payment, per_month });
    await connected();
    expect(await refusal(pay(per_payment + 1))).toEqual(beyond(per_payment, 0));
    for (let paid = 0; paid < per_month; paid += per_payment) await pay(per_payment);
    expect(await refusal(pay(1))).toEqual(beyond(per_month, per_month));
    expect(await balances()).toMatchObject({ vault: FUNDS - per_month, in_flight: per_month });
  });

  test('count scheduled payments in the month of their day, on both sides of its end', async () => {
    const { connected, pay, used, principal } = await person({ per_payment: 90, per_month: 100 });
    const connection_id = await connected();
    const on = (amount: number, execute_on: string) => pay(amount, { execute_on });
    const first = await on(40, '2026-12-28');
    await on(90, '2026-12-29');
    expect(await refusal(on(11, '2027-01-28'))).toEqual(beyond(100, 90));
    await on(10, '2027-01-28');
    await on(90, '2027-01-29');
    expect(await refusal(pay(61))).toEqual(beyond(100, 40));
    await pay(60);
    expect(await used(connection_id)).toBe(100);
    await payments.cancelPayment({ principal, payment_id: first.payment_id });
    expect(await used(connection_id)).toBe(60);
    for (const [instant, sum] of [
      ['2026-12-28T23:59:00Z', 60],
      ['2026-12-29T00:00:00Z', 100],
      ['2027-01-29T00:00:00Z', 90],
    ] as const) {
      await at(instant);
      expect(await used(connection_id)).toBe(sum);
    }
  });

  test('count what is or may be paid, also if it came back, and no other connection', async () => {
    const { connected, connect, pay, used, principal } = await person();
    const before = await connected();
    await pay(1_000);
    const connection_id = await connected();
    const [failed, blocked, completed, returned, _processing] = [
      await pay(1),
      await pay(20),
      await pay(300),
      await pay(4_000),
      await pay(50_000),
    ];
    await fail(failed);
    await change(completed, { to: 'completed', bankStatus: 'ACSC' });
    await change(returned, { to: 'completed', bankStatus: 'ACSC' }, { to: 'returned' });
    await services.db.transaction(async (tx) => {
      const when = await services.clock.now(tx);
      const mark = { attention: true, bankStatus: 'BLCK', at: when };
      await markPayment(await lockPayment(tx, blocked.payment_id, when), services, mark);
    });
    const waiting = await connect();
    const { items } = await bank.listConnections({ principal, limit: 10 });
    expect(items.map((one) => [one.connection_id, one.used_this_month])).toEqual([
      [waiting, 0],
      [connection_id, 54_300],
      [before, 1_000],
    ]);
    expect(await used(connection_id)).toBe(54_300);
  });

  test('change the ETag of a connection as they are used', async () => {
    const { connected, pay } = await person();
    const connection_id = await connected();
    const { version } = await bank.getConnection({ connection_id });
    await pay();
    expect((await bank.getConnection({ connection_id })).version).not.toBe(version);
  });

  test('hold for forty payments at once, of which exactly those within them move money', async () => {
    const { connected, pay, balances, used } = await person({ per_payment: 1_000, per_month: 7_500 });
    const connection_id = await connected();
    const codes = await Promise.all(Array.from({ length: 40 }, () => codeOf(pay(1_000))));
    const count = (wanted: string) => codes.filter((code) => code === wanted).length;
    expect([count('done'), count('exceeds-consent-limit')]).toEqual([7, 33]);
    expect(await balances()).toMatchObject({ vault: FUNDS - 7_000, in_flight: 7_000 });
    expect(await used(connection_id)).toBe(7_000);
  });
});

test('in production, a payment over a connection needs no evidence of income, and spends none', async () => {
  const { user_id, connected, pay } = await production.person();
  await connected();
  expect(await pay(500)).toMatchObject({ status: 'processing' });
  await production.fail(await pay(70));
  const evidence = (byHouse: boolean) =>
    production.sql.many(
      `select sent, returns, (select sum((o->>'amount')::int) from json_array_elements(given_back) o) as back
         from owner_evidence($1, null, ${byHouse})`,
      [user_id],
    );
  expect(await evidence(false)).toEqual([{ sent: 0, returns: 1, back: 0 }]);
  // Had somebody made up the consent only after the house account was chosen, this would count.
  expect(await evidence(true)).toEqual([{ sent: 570, returns: 1, back: 70 }]);
});

describe('the end of a connection', () => {
  const days = ['2026-12-05', '2026-12-06'];

  test('wakes the payments that wait for their day, and no other', async () => {
    const { connected, pay, end } = await person();
    const other = await connected();
    await pay(1, { execute_on: days[0] });
    const connection_id = await connected();
    const waiting = [await pay(1, { execute_on: days[0] }), await pay(1, { execute_on: days[1] })];
    await pay();
    const msOf = ({ payment_id }: { payment_id: string }) => payments.msUntilDue({ payment_id, attempt: 1 });
    const day = msOf(waiting[0]!);
    await locked(connection_id, needReauthorisation);
    expect([await day, await msOf(waiting[0]!)]).toEqual([5.5 * 86_400_000, 5.5 * 86_400_000]);
    expect(await dueMessages(connection_id)).toEqual([]);
    await end(connection_id);
    expect((await dueMessages(connection_id)).map(({ payment_id }) => payment_id).sort()).toEqual(
      waiting.map(({ payment_id }) => payment_id).sort(),
    );
    expect([await msOf(waiting[0]!), await msOf(waiting[1]!), await dueMessages(other)]).toEqual([0, 0, []]);
  });

  test('misses no payment that is scheduled at the same moment', async () => {
    const { connected, pay, end } = await person();
    const connection_id = await connected();
    const schedule = () => refusal(pay(1, { execute_on: days[0] }));
    const [first, , ...rest] = await Promise.all([
      schedule(),
      end(connection_id),
      ...Array.from({ length: 20 }, schedule),
    ]);
    const made = [first, ...rest].filter((outcome) => outcome === 'done').length;
    for (const outcome of [first, ...rest]) {
      if (outcome !== 'done') expect(outcome).toMatchObject({ code: ENDED });
    }
    expect(await dueMessages(connection_id)).toHaveLength(made);
  });
});

describe('the database refuses', () => {
  const PAID = 'cannot change what is paid, or whom';
  const PAYER = 'cannot change who pays it';
  test.each([
    [`owner_id = 'usr_other'`, PAID],
    [`allocation_id = 'alloc_other'`, PAID],
    [`vault_id = 'vlt_other'`, PAID],
    [`provider_id = 'prov_other'`, PAID],
    ['amount = amount + 1', PAID],
    [`currency = 'EUR'`, PAID],
    [`due_date = '2026-12-24'`, PAID],
    ['due_date = null', PAID],
    ['execute_on = null', PAID],
    [`category = 'OTHER'`, PAID],
    [`initiated_at = initiated_at + interval '1 day'`, PAID],
    [`reference = 'another'`, PAID],
    [`connection_id = 'conn_other'`, PAYER],
    [`status = 'processing', connection_id = 'conn_other'`, PAYER],
    ['connection_id = null, counts_on = null', PAYER],
    ['reference = null', null],
    [`counts_on = '2026-12-02'`, null],
  ])('or permits a change of a payment to %s: %j', async (changed, refused) => {
    const { connected, pay } = await person();
    await connected();
    const { payment_id } = await pay(1, { execute_on: '2026-12-01', due_date: '2026-12-02', reference: 'RENT' });
    const done = sql.run(`update payments set ${changed} where payment_id = $1`, [payment_id]);
    await (refused === null ? done : expect(done).rejects.toThrow(refused));
  });

  test('that a retry is moved to the house account, or a connection forgets when it was granted', async () => {
    const { connected, pay } = await person();
    const connection_id = await connected();
    const payment = await pay();
    await fail(payment);
    const moved = `update payments set status = 'processing', attempt = attempt + 1, connection_id = null, counts_on = null where payment_id = $1`;
    await expect(sql.run(moved, [payment.payment_id])).rejects.toThrow(PAYER);
    const granted = 'select authorised_at from bank_connections where connection_id = $1';
    const first = await sql.many(granted, [connection_id]);
    await at('2026-12-01T12:00:00Z');
    await locked(connection_id, needReauthorisation);
    await authorise(services, sandbox.played, connection_id);
    expect(await sql.many(granted, [connection_id])).toEqual(first);
    const later = `update bank_connections set authorised_at = now() where connection_id = $1`;
    await expect(sql.run(later, [connection_id])).rejects.toThrow('first day');
  });
});
