import fc from 'fast-check';
import { restartPaydays } from '../../../activities/payday/start.ts';
import { addDays } from '../../../domain/dates.ts';
import { coveredBy } from '../../../domain/payday/split.ts';
import { move } from '../../../domain/ledger.ts';
import { pence } from '../../../domain/money.ts';
import { paychecksOf } from '../../helpers/activities.ts';
import { anyKey, balancesOf, moveMoney } from '../../helpers/money.ts';
import { sqlOf } from '../../helpers/oauth.ts';
import { paydaysOf, storePaydaySplit, type Entry } from '../../helpers/paydays.ts';
import { newOwner, paymentOf, withPayments } from '../../helpers/paying.ts';
import { many } from '../../helpers/senders.ts';

/* What a standing split makes of wages. The clock stands at 2026-11-21, a Saturday. */

const { bank, clock, services, pay } = withPayments();
const paydays = paydaysOf(services);
const sql = sqlOf(services);
const at = (day: string) => clock.set(`${day}T12:00:00Z`);
const bill = (pay_day: number | null, more: Entry = {}): Entry => ({
  ...{ provider_id: 'prov_sandbox_instant', pay_day },
  ...more,
});
const NOTHING = { payments: [], left_out: [], attention: false };

async function withSplit(entries: readonly Entry[], split = {}) {
  const owner = newOwner();
  const ids = await storePaydaySplit(services, owner, entries, split);
  return { owner, ids };
}

const pause = (owner: string) => sql.run('update standing_splits set paused_at = now() where owner_id = $1', [owner]);
const drop = (entryId: string) =>
  sql.run('update standing_entries set dropped_at = now() where entry_id = $1', [entryId]);
const reverse = (wageId: string) => sql.run(`update bank_wages set status = 'reversed' where wage_id = $1`, [wageId]);

test('a payday sets aside, keeps the buffer, and pays bills now or on their day, in the name of who set the entry', async () => {
  const saving = { type: 'Holiday', amount: 20_000, category: 'SAVINGS' } as const;
  const { owner } = await withSplit([bill(1, { reference: 'FLAT 4' }), bill(null, { pay_amount: 4_000 }), saving], {
    buffer_rate: '0.25',
  });
  const payday = await paydays.payday(owner, 100_000);
  expect(payday).toMatchObject({ left_out: [], attention: false, attention_reason: null });
  expect(payday.ended_at).not.toBeNull();
  const made = await paydays.payments(owner);
  expect(payday.payments).toEqual(made.map(({ payment_id }) => payment_id));
  expect(made).toMatchObject([
    { amount: 10_000, execute_on: '2026-12-01', due_date: '2026-12-01', status: 'pending' },
    { amount: 4_000, execute_on: null, due_date: '2026-11-21', status: 'processing' },
  ]);
  expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 0, 'Bill 2': 6_000, Holiday: 20_000 });
  expect(await balancesOf(services, owner)).toMatchObject({ safe_to_spend: 35_000, buffer: 25_000, in_flight: 14_000 });
  const stored = await sql.many(
    `select reference, requested_by, calculated_by, (select string_agg(actor, ' ') from audit_events where subject = payment_id) as actor
       from payments p join payment_attempts using (payment_id) join calculations c on c.owner_id = p.owner_id
      where p.payment_id = $1`,
    [made[0]!.payment_id],
  );
  expect(stored).toEqual([{ reference: 'FLAT 4', requested_by: owner, calculated_by: owner, actor: owner }]);
});

test.each<[string, number | null, string, string, string | null, string]>([
  ['a coming day', 1, '2026-11-21', '2026-11-21', '2026-12-01', '2026-12-01'],
  ['the same day', 21, '2026-11-21', '2026-11-21', null, '2026-11-21'],
  ['the 31st in a short month', 31, '2027-02-15', '2027-02-15', '2027-02-28', '2027-02-28'],
  ['a day that passed before the wage was read', 1, '2026-11-30', '2026-12-02', null, '2026-12-01'],
  ['a day long ago', 5, '2026-03-02', '2026-11-21', '2026-12-05', '2026-12-05'],
  ['arrival, though the wage was read late', null, '2026-11-17', '2026-11-21', null, '2026-11-21'],
])('a bill of %s', async (_what, payDay, receivedOn, today, executeOn, dueDate) => {
  at(today);
  const { owner } = await withSplit([bill(payDay)]);
  await paydays.payday(owner, 50_000, receivedOn);
  expect(await paydays.payments(owner)).toMatchObject([{ execute_on: executeOn, due_date: dueDate }]);
});

test('an entry pays no bill of a day before somebody set it, though the wage had arrived', async () => {
  at('2026-12-02');
  const { owner } = await withSplit([bill(1, { updated_at: '2026-12-02T08:00:00.000Z' })]);
  await paydays.payday(owner, 50_000, '2026-11-30');
  expect(await paydays.payments(owner)).toMatchObject([{ due_date: '2027-01-01' }]);
});

test('weekly wages pay a monthly rent once, from the lots of several wages, to the penny', async () => {
  const { owner } = await withSplit([bill(1, { type: 'Rent', amount: 10_001, pay_amount: 40_003 })]);
  const weeks = [];
  for (let day = '2026-11-01'; day <= '2027-01-03'; day = addDays(day, 7)) {
    at(day);
    const { payments, left_out } = await paydays.payday(owner, 30_000);
    weeks.push(payments.length > 0 ? 'paid' : (left_out[0]?.reason ?? 'nothing'));
  }
  const [short, none] = ['vault-short', 'nothing'];
  expect(weeks).toEqual([short, short, short, 'paid', none, short, short, 'paid', none, short]);
  const due = (await paydays.payments(owner)).map(({ amount, due_date }) => `${amount} ${due_date}`);
  expect(due).toEqual(['40003 2026-12-01', '40003 2027-01-01']);
  expect(await paydays.vaults(owner)).toEqual({ Rent: 10 * 10_001 - 2 * 40_003 });
});

test('more lots than one movement takes are gathered too', async () => {
  const { owner } = await withSplit([bill(null, { amount: 1, pay_amount: 2_500 })]);
  await paydays.payday(owner, 1);
  const vaults = 'select vault_id from vaults where owner_id = $1';
  const vaultId = (await sql.many<{ vault_id: string }>(vaults, [owner]))[0]!.vault_id;
  const lot = () => ({ allocationId: services.newId('alloc'), vaultId, source: 'paycheck', amount: pence(1) }) as const;
  await moveMoney(services, owner, {
    ...{ kind: 'paycheck', subjectId: 'calc_test', at: await services.clock.now(services.db) },
    legs: move(
      pence(2_498),
      { account: 'employer', kind: 'allocation' },
      { account: 'vault', vaultId, kind: 'allocation' },
    ),
    newAllocations: Array.from({ length: 2_498 }, lot),
  });
  expect(await paydays.payday(owner, 1)).toMatchObject({ left_out: [] });
  expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 0 });
});

test('a wage that covers less pays from the beginning of the list, and nothing is set aside for the rest', async () => {
  const saving = { type: 'Holiday', category: 'SAVINGS', amount: 5_000 } as const;
  const { owner } = await withSplit([bill(1), bill(null), saving, bill(1, { amount: 7_000, pay_amount: 9_000 })]);
  const { payments, left_out } = await paydays.payday(owner, 24_999);
  expect(payments).toHaveLength(2);
  expect(left_out).toEqual([
    { type: 'Holiday', amount: 5_000, reason: 'not-covered' },
    { type: 'Bill 4', amount: 7_000, reason: 'not-covered' },
  ]);
  expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 0, 'Bill 2': 0 });
  expect(await balancesOf(services, owner)).toMatchObject({ safe_to_spend: 4_999 });
});

test('two wages of one day are both split, and pay a bill with a day once, and one on arrival twice', async () => {
  const { owner } = await withSplit([bill(1), bill(null)]);
  const both = [await paydays.payday(owner, 50_000), await paydays.payday(owner, 50_000)];
  expect(both.map(({ payments, left_out }) => [payments.length, left_out])).toEqual([
    [2, []],
    [1, []],
  ]);
  expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 10_000, 'Bill 2': 0 });
});

test('a bill whose payment was cancelled is not paid again in that month', async () => {
  const { owner } = await withSplit([bill(1)]);
  const first = await paydays.payday(owner, 50_000);
  await paymentOf(services, bank, first.payments[0]!).cancel();
  expect(await paydays.payday(owner, 50_000)).toMatchObject(NOTHING);
});

describe('without a standing split that is at work', () => {
  test.each<[string, (owner: string) => Promise<unknown>]>([
    ['there is none', () => Promise.resolve()],
    ['it is paused', (owner) => storePaydaySplit(services, owner, [bill(1)], { paused_at: '2026-11-01T00:00:00Z' })],
  ])('a wage starts no payday, if %s', async (_what, given) => {
    const owner = newOwner();
    await given(owner);
    const wage_id = await paydays.confirm(owner, 50_000);
    await expect(paydays.splitWage({ wage_id })).rejects.toMatchObject({ code: 'not-found' });
    expect(await paydays.list(owner)).toEqual([]);
  });

  test.each<[string, typeof pause, boolean, object]>([
    ['paused before the wage is split', pause, true, { ...NOTHING, calculation_id: null }],
    ['paused before the bills are paid', pause, false, NOTHING],
    [
      'deleted meanwhile',
      (owner) => sql.run('delete from standing_splits where owner_id = $1', [owner]),
      false,
      NOTHING,
    ],
  ])('a payday goes no further: %s', async (_what, change, isEarly, expected) => {
    const { owner } = await withSplit([bill(1), bill(null)]);
    const wage_id = await paydays.confirm(owner, 50_000);
    if (isEarly) await change(owner);
    await paydays.run(wage_id, (step) => step === 1 && change(owner));
    const [payday] = await paydays.list(owner);
    expect([payday, await paydays.payments(owner)]).toMatchObject([expected, []]);
    expect(payday!.ended_at).not.toBeNull();
  });

  test('an entry that was dropped meanwhile is not paid, and the others are', async () => {
    const { owner, ids } = await withSplit([bill(1), bill(null)]);
    const wage_id = await paydays.confirm(owner, 50_000);
    await paydays.run(wage_id, (step) => step === 1 && drop(ids[0]!));
    expect(await paydays.payments(owner)).toMatchObject([{ execute_on: null }]);
    expect(await paydays.list(owner)).toMatchObject([{ left_out: [] }]);
  });

  test('a scheduled payment of a paused split fails on its day, and can be retried', async () => {
    const { owner } = await withSplit([bill(1)]);
    const { payments } = await paydays.payday(owner, 50_000);
    const ofSplit = paymentOf(services, bank, payments[0]!);
    const other = await pay({ owner, execute_on: '2026-12-01' });
    await pause(owner);
    at('2026-12-01');
    await Promise.all([ofSplit.submit(), other.submit()]);
    expect(await ofSplit.read()).toMatchObject({
      status: 'failed',
      failure: { code: 'split-paused', retryable: true },
    });
    expect([ofSplit.sent(), other.sent()]).toEqual([0, 1]);
    expect(await paydays.vaults(owner)).toMatchObject({ 'Bill 1': 10_000 });
    await ofSplit.retry();
    await ofSplit.submit(2);
    expect(ofSplit.sent()).toBe(1);
  });
});

describe('a wage that went back to its payer', () => {
  const REVERSED = { attention: true, attention_reason: 'wage-reversed' };

  test.each<[string, number, number, object]>([
    ['before it is split, is not split', 0, 0, { calculation_id: null }],
    ['before its second bill is paid, pays no more', 2, 1, {}],
    ['after its payday, asks for attention', 9, 2, {}],
  ])('%s', async (_what, before, paid, more) => {
    const { owner } = await withSplit([bill(1), bill(null)]);
    const wage_id = await paydays.confirm(owner, 50_000);
    if (before === 0) await reverse(wage_id);
    await paydays.run(wage_id, (step) => step === before && reverse(wage_id));
    await reverse(wage_id);
    expect(await paydays.list(owner)).toMatchObject([{ ...REVERSED, ...more }]);
    expect(await paydays.payments(owner)).toHaveLength(paid);
  });
});

test('a wage that cannot be split pays nothing, and its payday asks for attention with the code', async () => {
  const { owner } = await withSplit([bill(null)]);
  const asserted = { principal: anyKey, employee_id: owner, gross_pay: 70_000, obligations: [], buffer_rate: '0' };
  await paychecksOf(services).calculatePaycheck(asserted);
  expect(await paydays.payday(owner, 90_000)).toMatchObject({
    ...{ ...NOTHING, calculation_id: null, attention: true, attention_reason: 'paycheck-asserted' },
  });
  expect(await balancesOf(services, owner)).toEqual({ employer: -70_000, income: 0, safe_to_spend: 70_000 });
  const audited = await sql.many<{ kind: string }>(
    'select kind from audit_events where subject in (select wage_id from paydays where owner_id = $1) order by seq',
    [owner],
  );
  expect(audited.map(({ kind }) => kind)).toEqual(['payday.ended', 'payday.attention']);
});

test('a paycheck that the person calculated from the wage stands, and bills are paid from what it set aside', async () => {
  const { owner } = await withSplit([bill(null), bill(null)]);
  const wage_id = await paydays.confirm(owner, 50_000);
  const obligations = [{ type: 'Bill 1', amount: 12_000, category: 'FIXED' }] as const;
  const own = { principal: anyKey, employee_id: owner, wage_id, obligations, buffer_rate: '0' };
  const { id } = await paychecksOf(services).calculatePaycheck(own);
  await paydays.run(wage_id);
  expect(await paydays.list(owner)).toMatchObject([
    { calculation_id: id, left_out: [{ type: 'Bill 2', amount: 10_000, reason: 'vault-short' }] },
  ]);
  expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 2_000 });
});

describe('at the same time', () => {
  test('each step of a payday, repeated, is done once', async () => {
    const { owner } = await withSplit([bill(1), bill(null)]);
    const wage_id = await paydays.confirm(owner, 50_000);
    const [first] = await many(5, () => paydays.splitWage({ wage_id }));
    await Promise.all(
      first!.entry_ids.flatMap((entry_id) => [1, 2, 3].map(() => paydays.payBill({ wage_id, entry_id }))),
    );
    expect(await paydays.splitWage({ wage_id })).toEqual({ entry_ids: [] });
    await many(5, () => paydays.endPayday({ wage_id }));
    expect(await paydays.payments(owner)).toHaveLength(2);
    const counted = await sql.many(
      `select (select count(*)::int from calculations where owner_id = $1) as calculations,
              (select count(*)::int from audit_events where subject = $2 and kind = 'payday.ended') as ends`,
      [owner, wage_id],
    );
    expect(counted).toEqual([{ calculations: 1, ends: 1 }]);
  });

  test('forty paydays of one owner pay each bill once', async () => {
    const { owner } = await withSplit([bill(1), bill(null), bill(15)]);
    const wages = await many(40, () => paydays.confirm(owner, 40_000));
    await Promise.all(wages.map((wage_id) => paydays.run(wage_id)));
    const made = (await paydays.payments(owner)).map(({ due_date }) => due_date).sort();
    expect(made).toEqual([...Array<string>(40).fill('2026-11-21'), '2026-12-01', '2026-12-15']);
    expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 390_000, 'Bill 2': 0, 'Bill 3': 390_000 });
  });
});

test('calls that no payday makes pay nothing', async () => {
  const [mine, other] = [await withSplit([bill(1)]), await withSplit([bill(1)])];
  const wage_id = await paydays.confirm(mine.owner, 50_000);
  const [entry_id, foreign] = [mine.ids[0]!, other.ids[0]!];
  await paydays.payBill({ wage_id, entry_id });
  await paydays.endPayday({ wage_id });
  await paydays.splitWage({ wage_id });
  await paydays.payBill({ wage_id, entry_id: foreign });
  expect(await paydays.payments(mine.owner)).toEqual([]);
  await paydays.endPayday({ wage_id });
  await paydays.payBill({ wage_id, entry_id });
  expect(await paydays.payments(mine.owner)).toEqual([]);
});

test('a payday whose workflow was lost starts again until it has ended', async () => {
  await sql.run('update paydays set ended_at = now()', []);
  const { owner } = await withSplit([]);
  const wage_id = await paydays.confirm(owner, 50_000);
  const started = `select kind from outbox_messages where workflow_id = $1`;
  expect(await restartPaydays(services, { silent_for_s: 60, limit: 10 })).toBe(0);
  at('2026-11-22');
  expect(await restartPaydays(services, { silent_for_s: 60, limit: 10 })).toBe(1);
  expect(await sql.many(started, [wage_id])).toEqual([{ kind: 'payday.start' }, { kind: 'payday.start' }]);
  await paydays.run(wage_id);
  expect(await restartPaydays(services, { silent_for_s: 60, limit: 10 })).toBe(0);
});

test('whatever wages come, no entry with a day is paid twice in a month, and every penny is accounted for', async () => {
  const amounts = fc.integer({ min: 1, max: 20_000 });
  const entry = fc.record({
    ...{ type: fc.constantFrom('One', 'Two', 'Three'), amount: amounts },
    ...{ pay_amount: fc.option(amounts), pay_day: fc.option(fc.integer({ min: 1, max: 31 })) },
  });
  const wage = fc.record({
    after: fc.integer({ min: 0, max: 20 }),
    late: fc.integer({ min: 0, max: 9 }),
    amount: fc.integer({ min: 1, max: 60_000 }),
  });
  const entries = fc.array(entry, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(entries, fc.array(wage, { minLength: 1, maxLength: 7 }), async (given, wages) => {
      const { owner } = await withSplit(given.map((one) => ({ ...one, provider_id: 'prov_sandbox_instant' })));
      let [day, setAside, income] = ['2026-01-10', 0, 0];
      for (const { after, late, amount } of wages) {
        day = addDays(day, after);
        at(day);
        const { left_out } = await paydays.payday(owner, amount, addDays(day, -late));
        const covered = coveredBy(
          pence(amount),
          given.map((one) => pence(one.amount)),
        );
        expect(left_out.filter(({ reason }) => reason === 'not-covered')).toHaveLength(given.length - covered);
        setAside += given.slice(0, covered).reduce((total, one) => total + one.amount, 0);
        income += amount;
      }
      const paid = await sql.many<{ entry_id: string; month: string | null; amount: number; asked: number }>(
        `select b.entry_id, date_trunc('month', p.due_date)::date::text as month, p.amount::int,
                coalesce(e.pay_amount, e.amount)::int as asked
           from payday_bills b join payments p using (payment_id) join standing_entries e using (entry_id)
          where b.owner_id = $1 and e.pay_day is not null`,
        [owner],
      );
      expect(new Set(paid.map(({ entry_id, month }) => `${entry_id} ${month}`)).size).toBe(paid.length);
      expect(paid.every(({ amount, asked }) => amount === asked)).toBe(true);
      const { vault = 0, in_flight = 0, safe_to_spend = 0 } = await balancesOf(services, owner);
      const payments = (await paydays.payments(owner)).reduce((total, one) => total + one.amount, 0);
      expect([vault + payments, in_flight, safe_to_spend]).toEqual([setAside, payments, income - setAside]);
    }),
    { numRuns: 30 },
  );
});

test('after a restore, neither a payday from before nor a wage from before its end pays bills, which might be paid already', async () => {
  const { owner } = await withSplit([bill(null), bill(22)]);
  const open = await paydays.confirm(owner, 50_000);
  const values = `('rst_1', 'finished', $1, $1, $1, $1, $1::timestamptz)`;
  const columns = 'restore_id, state, noticed_at, backup_at, begun_at, ended_at, lost_until';
  await sql.run(`insert into restores (${columns}) values ${values}`, [
    (await services.clock.now(services.db)).toISOString(),
  ]);
  await paydays.run(open);
  await paydays.confirm(owner, 50_000);
  const started = await sql.many('select ended_at is not null as ended from paydays where owner_id = $1', [owner]);
  expect([started, await paydays.payments(owner)]).toEqual([[{ ended: true }], []]);
  at('2026-11-23');
  await paydays.payday(owner, 50_000);
  expect(await paydays.payments(owner)).toMatchObject([{ due_date: '2026-11-23' }, { due_date: '2026-12-22' }]);
});
