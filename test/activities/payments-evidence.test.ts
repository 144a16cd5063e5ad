import fc from 'fast-check';
import type { Queries } from '../../infra/db/connection.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import { evidenceOfOwner } from '../../activities/paycheck/income-macs.ts';
import { assignOwner } from '../../activities/owners.ts';
import type { Principal, Scope } from '../../domain/auth.ts';
import { findOutcomeTampering } from '../../activities/payments/outcome-macs.ts';
import { move, type Leg, type TransferKind } from '../../domain/ledger.ts';
import { pence } from '../../domain/money.ts';
import { accountsOf, interestOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { balancesOf, evidenceOf, expectSoundLedger, moveMoney, postMovement } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';
import { newOwner, paymentOf, refusal } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';

/* In production, payments come from the operator's own account, so they need income that an application asserts. */

const bank = playedBank();
const clock = movableClock();
const env = withProductionKeys({ YIELD_RATE_SAVINGS: '0.05' });
const services = withDatabase({ bank, clock, env });
const paychecks = paychecksOf(services);
const yields = interestOf(services);
const payments = paymentsOf(services);
const auth = accountsOf(services);
let app = '';
let payroll: Principal;
let other: Principal;
let provider_id = '';

const LIMITS = { perOwner: 1_000_000_000, perMonth: 100_000_000_000 };
async function keyOf(app_id: string, scopes: readonly Scope[]): Promise<Principal> {
  const asserts = scopes.includes('assert:income');
  const { key } = await auth.issueApiKey({ app_id, scopes, ...(asserts && { income_limits: LIMITS }) });
  return auth.authenticate({ token: key });
}

beforeAll(async () => {
  app = (await auth.createApplication({ name: 'Employer' })).app_id;
  payroll = await keyOf(app, ['write:paycheck', 'write:payments', 'assert:income']);
  other = await keyOf(app, ['write:paycheck', 'write:payments']);
  const payee = { name: 'Energy Ltd', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' } as const;
  provider_id = (await payments.addProvider({ principal: payroll, ...payee })).provider_id;
});
beforeEach(() => {
  bank.answers = [];
  bank.submitted = [];
  bank.says = { status: 'ACSP', reason: null, returned: null };
  clock.set('2026-11-24T12:00:00Z');
});
afterEach(() => expectSoundLedger(services));

// The income is asserted if the principal has the scope `assert:income`.
async function wage(owner: string, amount: number, { principal = payroll, pay_date = '2026-11-24' } = {}) {
  const calculated = await paychecks.calculatePaycheck({
    principal,
    employee_id: owner,
    gross_pay: amount,
    obligations: [{ type: 'Bills', amount, category: 'FIXED' }],
    pay_date,
    buffer_rate: '0',
    newOwner: { ownerId: owner, appId: app },
  });
  return calculated.vaults[0]!.allocation_id;
}

const pay = (vault_allocation_id: string, amount: number, more: { execute_on?: string; principal?: Principal } = {}) =>
  payments.executePayment({ principal: payroll, vault_allocation_id, amount, currency: 'GBP', provider_id, ...more });
const madeOf = (payment_id: string) => paymentOf(services, bank, payment_id);

/** The thief has the service's role, and no keys. */
let statements = 0;
const asThief = (db: Pick<Queries, 'run'>, text: string, ...values: string[]) =>
  db.run(textQuery(`test.thief.${(statements += 1)}`, text)(...values));
const kind = 'payment_returned';
const SAFE = { account: 'safe_to_spend', kind } as const;
const forge = async (owner: string, transfer: TransferKind, subjectId: string, legs: Leg[]) =>
  moveMoney(services, owner, { kind: transfer, subjectId, at: await services.clock.now(services.db), legs });

const notEvidenced = (evidenced: number, spent: number, shortfall: number) => ({
  ...{ code: 'income-not-evidenced', evidenced, spent, shortfall },
});

describe('a payment in production', () => {
  test('from stated income is refused, with the missing amount', async () => {
    const allocation = await wage(newOwner(), 100_000_000_000, { principal: other });
    expect(await refusal(pay(allocation, 50_000_000_000))).toEqual(notEvidenced(0, 0, 50_000_000_000));
  });

  test('is made from asserted income, to the penny', async () => {
    const owner = newOwner();
    const stated = await wage(owner, 5_000, { principal: other, pay_date: '2026-11-20' });
    const allocation = await wage(owner, 10_000);
    await pay(allocation, 9_999);
    expect(await refusal(pay(stated, 2))).toEqual(notEvidenced(10_000, 9_999, 1));
    await pay(stated, 1);
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 10_000 });
  });

  test('is made from an older paycheck after a key asserts it', async () => {
    const owner = newOwner();
    const allocation = await wage(owner, 10_000, { principal: other });
    expect(await refusal(pay(allocation, 10_000))).toMatchObject({ code: 'income-not-evidenced' });
    await wage(owner, 10_000);
    expect(await pay(allocation, 10_000)).toMatchObject({ status: 'processing' });
  });

  test('is made forty times at once only as often as evidenced income allows', async () => {
    const owner = newOwner();
    const stated = await wage(owner, 40_000, { principal: other, pay_date: '2026-11-20' });
    await wage(owner, 7_000);
    const made = await Promise.all(Array.from({ length: 40 }, () => refusal(pay(stated, 1_000))));
    expect(made.filter((outcome) => outcome === 'done')).toHaveLength(7);
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 7_000 });
  });

  test('counts all that left, whatever the role of the service makes of rows, movements and MACs', async () => {
    const owner = newOwner();
    const allocation = await wage(owner, 40_000);
    const order = async (amount: number, more = {}) => madeOf((await pay(allocation, amount, more)).payment_id);
    const rejected = await order(1_000);
    await rejected.submitTo('refused AM04');
    await order(10_000);
    await order(8_000, { execute_on: '2026-12-01' });
    await (await order(5_000)).submitTo('completed');
    const sent = await order(4_000);
    await sent.submitTo('ACSP');
    const late = await order(3_000);
    await late.submitTo('timeout');
    expect(await evidenceOf(services, owner)).toEqual({ evidenced: 40_000, spent: 30_000 });
    for (const forged of [
      `payment_attempts set submission = 'none', first_sent_at = null`,
      `payments set status = 'pending'`,
    ])
      await asThief(services.db, `update ${forged} where payment_id = $1`, late.payment_id);
    for (let times = 0; times < 2; times += 1) expect(await late.submit()).toMatchObject({ outcome: 'expired' });
    expect([(await late.read()).status, await late.listed()]).toEqual(['processing', ['outcome-unknown']]);
    await asThief(services.db, `update payments set status = 'pending' where payment_id = $1`, late.payment_id);
    await late.cancel();
    expect([late.sent(), (await late.read()).status]).toEqual([1, 'cancelled']);
    const isUndone = new Error('undone');
    const attack = services.db.transaction(async (tx) => {
      for (const [from, to] of [
        ['processing', 'failed'],
        ['pending', 'cancelled'],
        ['completed', 'returned'],
      ])
        await asThief(tx, `update payments set status = '${to}' where owner_id = $1 and status = '${from}'`, owner);
      await asThief(
        tx,
        `insert into payment_outcomes select p.payment_id || '/1', p.payment_id, p.owner_id, 1, 'failed', o.mac, o.mac_version
           from payments p, payment_outcomes o where p.owner_id = $1 and o.payment_id = $2 and p.payment_id <> $2
         on conflict (outcome_id) do nothing`,
        ...[owner, rejected.payment_id],
      );
      const { owner: locked } = await lockOne(tx, lockOwner(owner, new Date()));
      const back = move(pence(4_000), { account: 'in_flight', kind }, SAFE);
      await postMovement(locked, services, {
        kind: 'payment_failed',
        subjectId: sent.payment_id,
        at: new Date(),
        legs: back,
      });
      expect(await evidenceOfOwner(locked, services)).toEqual({ evidenced: 40_000, spent: 30_000 });
      throw isUndone;
    });
    await expect(attack).rejects.toBe(isUndone);
    for (const forged of ['attempt = attempt + 1', `status = 'processing'`])
      await expect(
        asThief(services.db, `update payments set ${forged} where payment_id = $1`, rejected.payment_id),
      ).rejects.toThrow('cannot go from attempt');
    const { faults } = await findOutcomeTampering(services.db, services.keys, { limit: 1_000 });
    expect(faults).toEqual([{ what: 'payment outcome', id: `${late.payment_id}/1` }]);
  });

  async function failed() {
    const owner = newOwner();
    const payment = madeOf((await pay(await wage(owner, 10_000), 10_000)).payment_id);
    await payment.submitTo('refused AM04');
    return { owner, retry: () => payment.retry(other) };
  }

  test('that failed is retried only if the income is evidenced', async () => {
    const { owner, retry } = await failed();
    await wage(owner, 9_000);
    await wage(owner, 5_000, { principal: other, pay_date: '2026-11-20' });
    expect(await refusal(retry())).toMatchObject({ code: 'insufficient-allocation' });
    await wage(owner, 10_000);
    expect(await retry()).toMatchObject({ status: 'processing' });
  });

  test('that failed is not retried after its income lost its evidence', async () => {
    const { owner, retry } = await failed();
    await forgetEvidence(owner);
    expect(await refusal(retry())).toMatchObject({ code: 'income-not-evidenced' });
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 0, vault: 10_000 });
  });
});

describe('interest', () => {
  // 10,000 pence earned interest for a year, and 10,000 pence are new wages.
  async function saver(more: (owner: string) => Promise<unknown> = async () => undefined) {
    clock.set('2025-11-24T12:00:00Z');
    const owner = newOwner();
    const { vaults } = await paychecks.calculatePaycheck({
      principal: payroll,
      employee_id: owner,
      gross_pay: 10_000,
      obligations: [{ type: 'Rainy day', amount: 10_000, category: 'SAVINGS' }],
      buffer_rate: '0',
    });
    await more(owner);
    clock.set('2026-11-24T12:00:00Z');
    const { accrual } = await yields.accrueYield({ vault_id: vaults[0]!.vault_id });
    expect(accrual.accrued).toBe(500);
    await wage(owner, 10_000);
    return owner;
  }

  async function payEverything(owner: string) {
    for (const lot of await services.db.many(lots(owner))) await pay(lot.allocation_id, lot.available);
  }

  test('can be spent to the penny if all income is asserted', async () => {
    const owner = await saver();
    await payEverything(owner);
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 20_500 });
  });

  test('is no evidence if money earned it that the role of the service made up, and took back later', async () => {
    const employer = { account: 'employer', kind } as const;
    const forged = await saver(async (owner) => {
      await forge(owner, 'paycheck', 'calc_forged', move(pence(9_000), employer, SAFE));
      await forge(owner, 'paycheck_revision', 'calc_forged', move(pence(9_000), SAFE, employer));
    });
    expect(await evidenceOf(services, forged)).toEqual({ evidenced: 20_000, spent: 0 });
    const returned = await saver();
    const [lot] = await services.db.many(lots(returned));
    const { payment_id } = await pay(lot!.allocation_id, 5_000);
    expect(await evidenceOf(services, returned)).toEqual({ evidenced: 20_500, spent: 5_000 });
    const flight = { account: 'in_flight', kind } as const;
    await forge(returned, 'payment_returned', payment_id, move(pence(1_000), flight, SAFE));
    await forge(returned, 'payment', payment_id, move(pence(1_000), SAFE, flight));
    expect(await evidenceOf(services, returned)).toEqual({ evidenced: 20_000, spent: 5_000 });
    for (const [transfer, from] of [
      ['withdrawal', 'employer'],
      ['payment', 'in_flight'],
      ['payment_completed', 'vault'],
    ] as const)
      await expect(
        forge(returned, transfer, payment_id, move(pence(1), { account: from, kind }, SAFE)),
      ).rejects.toThrow('a movement of the kind');
  });

  test('counts only as far as asserted income can have earned it, if made-up deposits lie beneath a later revision', async () => {
    clock.set('2025-11-24T12:00:00Z');
    const owner = newOwner();
    const allocationId = `alloc_${owner}`;
    const saved = {
      gross_pay: 10_000,
      obligations: [{ type: 'Rainy day', amount: 10_000, category: 'SAVINGS' }],
    } as const;
    const { vaults } = await paychecks.calculatePaycheck({
      principal: payroll,
      employee_id: owner,
      ...saved,
      buffer_rate: '0',
    });
    const { vault_id: vaultId } = vaults[0]!;
    const deposit = async (revision: 1 | 2) => {
      const at = await services.clock.now(services.db);
      const subjectId = `calc_${owner}_${revision}`;
      await asThief(
        services.db,
        `insert into calculations (calculation_id, owner_id, pay_date, revision, gross_income, locked_for_bills, locked_buffer,
           safe_to_spend, buffer_rate, obligations, calculated_at) values ($1, $2, '2026-11-24', $3::int, 0, 0, 0, 0, '0', '[]', $4)`,
        ...[subjectId, owner, String(revision), at.toISOString()],
      );
      const ends = [
        { account: 'employer', kind: 'allocation' } as const,
        { account: 'vault', vaultId, kind: 'allocation' } as const,
      ];
      const [from, to] = revision === 1 ? ends : ends.toReversed();
      const legs = move(pence(9_000_000), from!, to!);
      const added = { allocationId, vaultId, source: 'paycheck', amount: pence(9_000_000) } as const;
      const less = { allocationId, amount: pence(-9_000_000), available: pence(-9_000_000) };
      const kinds = {
        1: { kind: 'paycheck', newAllocations: [added] },
        2: { kind: 'paycheck_revision', allocationChanges: [less] },
      } as const;
      await moveMoney(services, owner, { subjectId, at, legs, ...kinds[revision] });
    };
    await deposit(1);
    clock.set('2026-11-24T12:00:00Z');
    expect((await yields.accrueYield({ vault_id: vaultId })).accrual.accrued).toBe(450_500);
    await deposit(2);
    await wage(owner, 10_000);
    const { evidenced } = await evidenceOf(services, owner);
    expect(evidenced).toBeGreaterThan(20_500);
    expect(evidenced).toBeLessThan(20_700);
  });

  test('cannot be spent if one paycheck is only stated', async () => {
    const owner = await saver((saving) => wage(saving, 1, { principal: other, pay_date: '2025-11-01' }));
    expect(await refusal(payEverything(owner))).toEqual(notEvidenced(20_000, 20_000, 500));
  });
});

describe('a scheduled payment', () => {
  const scheduled = async () => {
    const owner = newOwner();
    const { payment_id } = await pay(await wage(owner, 10_000), 10_000, { execute_on: '2026-12-01' });
    clock.set('2026-12-01T08:00:00Z');
    return { owner, ...madeOf(payment_id) };
  };
  const reassign = async (owner_id: string) => {
    const { app_id } = await auth.createApplication({ name: 'Another' });
    await assignOwner(services, { owner_id, app_id });
  };

  test.each([
    ['whose income was withdrawn', forgetEvidence, 'income-not-evidenced'],
    ['of an owner who now belongs to another application', reassign, 'owner-of-another-application'],
  ])('%s fails before the bank sees it, returns the money, and can be retried', async (_what, happens, code) => {
    const { owner, submit, sent, read, timeline } = await scheduled();
    await happens(owner);
    for (let times = 0; times < 2; times += 1) expect(await submit()).toEqual({ outcome: 'settled', status: 'failed' });
    expect(sent()).toBe(0);
    expect(await read()).toMatchObject({ status: 'failed', failure: { code, retryable: true } });
    expect(await timeline()).toEqual(['pending', 'processing', 'failed']);
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 0, vault: 10_000 });
  });

  test('goes to the bank, and if that may have received it is queried again, whatever happened to the income and its owner', async () => {
    const { owner, submitTo, sent } = await scheduled();
    expect(await submitTo('timeout')).toMatchObject({ outcome: 'unknown' });
    await reassign(owner);
    await forgetEvidence(owner);
    expect(await submitTo('ACSP')).toMatchObject({ outcome: 'accepted' });
    expect(sent()).toBe(2);
  });
});

test('whatever happens in any order, the spent money never exceeds the evidenced income', async () => {
  const command = fc.oneof(
    fc.record({
      kind: fc.constant('calculate' as const),
      asserts: fc.boolean(),
      day: fc.integer({ min: 20, max: 23 }),
      amount: fc.integer({ min: 1, max: 2_000 }),
    }),
    fc.record({
      kind: fc.constant('pay' as const),
      amount: fc.integer({ min: 1, max: 1_500 }),
      outcome: fc.constantFrom('ACSC', 'RJCT', 'ACSP', 'later'),
    }),
    fc.record({ kind: fc.constantFrom('retry' as const, 'cancel' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 14 }), async (history) => {
      const owner = newOwner();
      const made: string[] = [];
      const evidenced = new Map<number, number>();
      for (const step of history) {
        if (step.kind === 'calculate') {
          const principal = step.asserts ? payroll : other;
          const done = await refusal(wage(owner, step.amount, { principal, pay_date: `2026-11-${step.day}` }));
          if (done === 'done') evidenced.set(step.day, step.asserts ? step.amount : 0);
        } else if (step.kind === 'pay') {
          const lot = (await services.db.many(lots(owner)))[0];
          if (lot === undefined) continue;
          const more = step.outcome === 'later' ? { execute_on: '2026-12-01' } : {};
          const payment = await pay(lot.allocation_id, step.amount, more).catch(() => undefined);
          if (payment === undefined) continue;
          made.push(payment.payment_id);
          if (step.outcome === 'later') continue;
          await madeOf(payment.payment_id).submitTo(step.outcome);
        } else if (made.length > 0) {
          const { retry, cancel } = madeOf(made.at(-1)!);
          await refusal(step.kind === 'retry' ? retry(other) : cancel(other));
        }
        const { spent, evidenced: counted } = await evidenceOf(services, owner);
        const asserted = [...evidenced.values()].reduce((all, amount) => all + amount, 0);
        expect(counted).toBe(asserted);
        expect(spent).toBeLessThanOrEqual(asserted);
      }
    }),
    { numRuns: 25 },
  );
});

const lots = textQuery<{ allocation_id: string; available: number }>(
  'test.lots',
  'select allocation_id, available from allocations where owner_id = $1 order by available desc',
);

// The service itself never changes an asserted income to a stated one.
async function forgetEvidence(owner: string) {
  await ownerSql(services, 'alter table calculations disable trigger user');
  await ownerSql(
    services,
    `update calculations set income_evidence = 'stated', mac = null, mac_version = null where owner_id = $1`,
    [owner],
  );
  await ownerSql(services, 'alter table calculations enable trigger user');
}
