import fc from 'fast-check';
import { addDays, monthStartOf } from '../../domain/dates.ts';
import type { PlanHistory } from '../../domain/debt/standing.ts';
import { simulateRepayment } from '../../domain/debt/simulation.ts';
import { pence } from '../../domain/money.ts';
import { openPlanOf, type OpenPlan } from '../../domain/outlook/debts.ts';
import { outlookOf, type Prospects, type StandingEntry } from '../../domain/outlook.ts';
import { planPaycheck, splitPaycheck } from '../../domain/paycheck.ts';
import { billDayOf } from '../../domain/payday/days.ts';
import { coveredBy } from '../../domain/payday/split.ts';

const TODAY = '2026-10-05';
const nothing: Prospects = {
  ...{ today: TODAY, safeToSpend: pence(0), bufferRate: '0.10', wages: [], entries: [] },
  ...{ vaults: [], scheduled: [], sent: [], plans: [] },
};
const look = (given: Partial<Prospects>, count = 31) => outlookOf({ ...nothing, ...given }, count);
const wagesOn = (amount: number, ...days: string[]) => days.map((on) => ({ on, amount: pence(amount) }));
const bill = (payDay: number | null, amount: number, more: Partial<StandingEntry['bill']> = {}) => ({
  ...{ providerId: 'prov_1', payDay, amount: pence(amount), paysFrom: null, paidMonths: [] },
  ...more,
});
const entry = (type: string, amount: number, of: StandingEntry['bill'] = null): StandingEntry => ({
  ...{ type, category: 'FIXED', amount: pence(amount), bill: of },
});
const vault = (type: string, balance: number) => ({ type, category: 'FIXED' as const, balance: pence(balance) });

interface Debts {
  name?: string | null;
  startsOn: string;
  budget: number;
  owes: readonly number[];
  rate?: number;
  payee?: string | null;
  paid?: readonly [on: string, amount: number][];
  today?: string;
}

function plan({
  name = null,
  startsOn,
  budget,
  owes,
  rate = 0,
  payee = null,
  paid = [],
  today = TODAY,
}: Debts): OpenPlan {
  const debts = owes.map((balance, index) => ({
    ...{ name: `Debt ${index}`, balance: pence(balance), rate, minimum: pence(100), accrued: pence(0) },
    ...{ providerId: payee, isGiven: true },
  }));
  const terms = { strategy: 'avalanche', monthlyBudget: pence(budget) } as const;
  const history: PlanHistory = {
    revisions: [{ ...terms, startsOn, madeOn: startsOn, at: `${startsOn}T09:00:00Z`, debts }],
    payments: paid.map(([on, amount]) => ({
      on,
      at: `${on}T10:00:00Z`,
      amount: pence(amount),
      to: { debt: 'Debt 0' },
    })),
  };
  return openPlanOf(name, history, today);
}

/** Days with income, expenses or bills, such as `10-09 +90 -0 =90 Rent 5`. */
const eventsOf = ({ days }: ReturnType<typeof outlookOf>) =>
  days
    .filter((day) => day.in + day.out + day.bills.length > 0)
    .map((day) => [
      `${day.date.slice(5)} +${day.in} -${day.out} =${day.balance}`,
      ...day.bills.map(({ type, amount }) => `${type} ${amount}`),
    ])
    .map((parts) => parts.join(' '));

test('a month by hand: weekly wages, rent on the 31st, a short vault, a scheduled payment and two debt plans', () => {
  const outlook = look({
    safeToSpend: pence(5_000),
    bufferRate: '0.05',
    // Of each wage of £600, £327.50 are set aside and £30 are the buffer: £242.50 stay.
    wages: wagesOn(60_000, '2026-10-09', '2026-10-16', '2026-10-23', '2026-10-30'),
    entries: [
      entry('Rent', 20_000, bill(31, 90_000)),
      entry('Lessons', 5_000, bill(null, 5_000)),
      entry('Phone', 1_250, bill(12, 3_000)),
      entry('Holiday', 4_000),
      entry('Card', 2_500, bill(20, 10_000, { providerId: 'prov_card' })),
    ],
    vaults: [vault('Rent', 4_000), vault('Card', 1_000)],
    scheduled: [{ on: '2026-10-07', type: 'Council tax', amount: pence(15_000), providerId: 'prov_2' }],
    plans: [
      // £75 are left of the budget of £200 after £100 by the split and £25 before today; £40 were for the month before.
      plan({
        ...{ name: 'Cards', startsOn: '2026-08-22', budget: 20_000, owes: [300_000], payee: 'prov_card' },
        paid: [
          ['2026-09-22', 4_000],
          ['2026-10-01', 2_500],
        ],
      }),
      // £65 and 1% interest are less than the budget.
      plan({ startsOn: '2026-09-08', budget: 8_000, owes: [6_500], rate: 1_200 }),
    ],
  });
  expect(eventsOf(outlook)).toEqual([
    '10-07 +0 -0 =5000 Council tax 15000',
    '10-08 +0 -6565 =-1565 Debt plan 6565',
    '10-09 +24250 -0 =22685 Lessons 5000',
    '10-12 +0 -1750 =20935 Phone 3000',
    '10-16 +24250 -0 =45185 Lessons 5000',
    '10-20 +0 -4000 =41185 Card 10000',
    '10-22 +0 -7500 =33685 Cards 7500',
    '10-23 +24250 -0 =57935 Lessons 5000',
    '10-30 +24250 -0 =82185 Lessons 5000',
    '10-31 +0 -6000 =76185 Rent 90000',
  ]);
  const { days, ...rest } = outlook;
  expect(rest).toEqual({
    ...{ from: '2026-10-05', to: '2026-11-04', starts_with: 5_000, short_on: '2026-10-08' },
    lowest: { date: '2026-10-08', amount: -1_565 },
  });
  expect(days).toHaveLength(31);
  expect(days[6]).toEqual({ date: '2026-10-11', in: 0, out: 0, balance: 22_685, bills: [] });
  expect(days[30]).toEqual({ date: '2026-11-04', in: 0, out: 0, balance: 76_185, bills: [] });
});

const rent = (day: number | null, more: object = {}) => ({ entries: [entry('Rent', 1, bill(day, 500, more))] });

describe('edges', () => {
  const PAY = wagesOn(10_000, '2026-10-09');
  const late = { on: '2026-10-02', type: 'Tax', amount: pence(700), providerId: 'prov_1' };
  test.each<[string, Partial<Prospects>, string[]]>([
    ['nothing known', {}, []],
    ['no split: the whole wage less the buffer', { wages: PAY }, ['10-09 +9000 -0 =9000']],
    ['a wage of today', { wages: wagesOn(10_000, TODAY) }, ['10-05 +9000 -0 =9000']],
    ['two wages of a day', { wages: [...PAY, ...PAY] }, ['10-09 +18000 -0 =18000']],
    ['no wages: the bill is due', rent(7), ['10-07 +0 -500 =-500 Rent 500']],
    ['a bill of today', { ...rent(5), vaults: [vault('Rent', 500)] }, ['10-05 +0 -0 =0 Rent 500']],
    ['a bill of yesterday is due next month', rent(4), ['11-04 +0 -500 =-500 Rent 500']],
    ['a month with its payment', rent(7, { paidMonths: ['2026-10-01'] }), []],
    ['paid from next month on', rent(1, { paysFrom: '2026-11-01' }), ['11-01 +0 -500 =-500 Rent 500']],
    [
      'on arrival from next month on: set aside only',
      { wages: PAY, ...rent(null, { paysFrom: '2026-11-01' }) },
      ['10-09 +8999 -0 =8999'],
    ],
    [
      'on arrival with a short vault: the second wage pays',
      { wages: wagesOn(10_000, '2026-10-09', '2026-10-16'), entries: [entry('Gym', 300, bill(null, 500))] },
      ['10-09 +8700 -0 =8700', '10-16 +8700 -0 =17400 Gym 500'],
    ],
    [
      'a wage that covers the first entry only: the other one is left out, and what is left is less than the buffer',
      { wages: PAY, entries: [entry('Rent', 9_500, bill(9, 9_500)), entry('Gym', 501, bill(null, 501))] },
      ['10-09 +0 -0 =0 Rent 9500'],
    ],
    [
      'entries of one name share a vault, and one of another category is another',
      {
        entries: [entry('Rent', 1, bill(7, 300)), entry('Rent', 1, bill(8, 300))],
        vaults: [vault('Rent', 500), { ...vault('Rent', 900), category: 'SAVINGS' }],
      },
      ['10-07 +0 -0 =0 Rent 300', '10-08 +0 -100 =-100 Rent 300'],
    ],
    ['a scheduled payment that is late', { scheduled: [late] }, ['10-05 +0 -0 =0 Tax 700']],
  ])('%s', (_, given, events) => {
    expect(eventsOf(look(given))).toEqual(events);
  });

  test('92 days have one bill on the 31st or the last day of each month, across February and the change to summer time', () => {
    const outlook = look({ today: '2027-01-20', ...rent(31) }, 92);
    expect(eventsOf(outlook).map((event) => event.slice(0, 5))).toEqual(['01-31', '02-28', '03-31']);
    expect([outlook.to, outlook.days.length, new Set(outlook.days.map(({ date }) => date)).size]).toEqual([
      '2027-04-21',
      92,
      92,
    ]);
  });

  test('the first of equally low days is the lowest, and zero is not short', () => {
    const outlook = look({ safeToSpend: pence(500), ...rent(7) });
    expect([outlook.lowest, outlook.short_on]).toEqual([{ date: '2026-10-07', amount: 0 }, null]);
  });
});

describe('debt plans', () => {
  const outs = (plans: OpenPlan[], given: Partial<Prospects> = {}) =>
    look({ plans, ...given }, 92).days.flatMap(({ date, out }) => (out > 0 ? `${date.slice(5)} ${out}` : []));

  test('ask for the payments of their schedule, to the end, with interest', () => {
    const today = '2026-01-31';
    const debts = { budget: 30_000, owes: [40_000, 25_000], rate: 2_399 };
    const { schedule } = simulateRepayment({
      ...{ strategy: 'avalanche', monthlyBudget: pence(debts.budget) },
      debts: debts.owes.map((balance, index) => ({
        name: `Debt ${index}`,
        balance: pence(balance),
        rate: debts.rate,
        minimum: pence(100),
      })),
    });
    const byMonth = Map.groupBy(schedule, ({ month }) => month);
    const paid = [...byMonth.values()].map((rows) => rows.reduce((sum, { payment }) => sum + payment, 0));
    const days = ['02-28', '03-31', '04-30'].map((day, index) => `${day} ${paid[index]}`);
    expect(outs([plan({ ...debts, startsOn: today, today })], { today })).toEqual(days);
  });

  const begun = { startsOn: '2026-09-10', budget: 100, payee: 'prov_1' };
  test.each<[string, Debts[], Partial<Prospects>, string[]]>([
    ['that begin later', [{ ...begun, startsOn: '2026-11-20', owes: [900] }], {}, ['12-20 100']],
    ['that are repaid', [{ ...begun, owes: [900], paid: [['2026-10-01', 900]] }], {}, []],
    [
      'whose month ends today',
      [{ ...begun, startsOn: '2026-09-05', owes: [150], paid: [[TODAY, 30]] }],
      {},
      ['10-05 70', '11-05 50'],
    ],
    [
      'of which a payment at the bank pays one month',
      [{ ...begun, owes: [150] }],
      { sent: [{ providerId: 'prov_1', amount: pence(100) }] },
      ['11-10 50'],
    ],
    [
      'of which the newest counts a payment, and the next one only what comes later',
      [
        { ...begun, owes: [60] },
        { ...begun, owes: [300] },
      ],
      { entries: [entry('Card', 1, bill(8, 60))], vaults: [vault('Card', 180)] },
      ['10-10 100', '11-10 40', '12-10 40'],
    ],
  ])('%s', (_, plans, given, expected) => {
    expect(outs(plans.map(plan), given)).toEqual(expected);
  });
});

const amounts = fc.integer({ min: 1, max: 50_000 });
const anything = fc.record({
  safeToSpend: fc.nat(100_000).map(pence),
  wages: fc.array(
    fc.record({ on: fc.nat(91).map((days) => addDays(TODAY, days)), amount: fc.nat(200_000).map(pence) }),
    { maxLength: 15 },
  ),
  entries: fc.array(
    fc
      .record({ amount: amounts, payDay: fc.option(fc.integer({ min: 1, max: 31 })), paid: amounts })
      .map(({ amount, payDay, paid }) => entry(`Bill ${amount % 3}`, amount, bill(payDay, paid))),
    { maxLength: 6 },
  ),
  plans: fc.array(
    fc
      .record({ budget: fc.integer({ min: 200, max: 9_000 }), owed: amounts })
      .map(({ budget, owed }) => plan({ startsOn: '2026-09-20', budget, owes: [owed], payee: 'prov_1' })),
    { maxLength: 3 },
  ),
});

test('each balance is the start, and all that came, less all that went', () => {
  fc.assert(
    fc.property(anything, fc.integer({ min: 1, max: 92 }), (given, count) => {
      const { starts_with, days, lowest, short_on } = look(given, count);
      let balance = starts_with;
      for (const day of days) expect(day.balance).toBe((balance = pence(balance + day.in - day.out)));
      expect(lowest.amount).toBe(Math.min(...days.map((day) => day.balance)));
      expect(short_on !== null).toBe(lowest.amount < 0);
    }),
  );
});

test('with enough in the vaults, balances and bills are those of the rules of paycheck and payday', () => {
  const wages = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 13, maxLength: 13 });
  fc.assert(
    fc.property(anything, wages, ({ safeToSpend, entries }, weekly) => {
      const paid = weekly.map((amount, week) => ({ on: addDays(TODAY, week * 7), amount: pence(amount) }));
      const vaults = [0, 1, 2].map((name) => vault(`Bill ${name}`, 1_000_000_000));
      const { days } = look({ safeToSpend, entries, wages: paid, vaults }, 92);
      const bills = new Set<string>();
      let held = safeToSpend;
      for (const { on, amount } of paid) {
        const covered = entries.slice(
          0,
          coveredBy(
            amount,
            entries.map((one) => one.amount),
          ),
        );
        const split = splitPaycheck(amount, covered, nothing.bufferRate);
        held = pence(held + planPaycheck(null, split, covered, { safeToSpend: held, buffer: pence(0) }).safeToSpend);
        expect(days.find(({ date }) => date === on)!.balance).toBe(held);
        for (const one of covered) if (one.bill!.payDay === null) bills.add(`${on} ${entries.indexOf(one)} arrival`);
        for (const [index, { bill: of }] of entries.entries()) {
          const day = of!.payDay === null ? null : billDayOf(of!.payDay, { receivedOn: on, setOn: on, today: on });
          if (day !== null && day <= days.at(-1)!.date) bills.add(`${monthStartOf(day)} ${index} dated`);
        }
      }
      expect(days.flatMap((day) => day.bills)).toHaveLength(bills.size);
    }),
  );
});
