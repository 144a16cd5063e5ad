import fc from 'fast-check';
import { isNamedIn } from '../../domain/bank/names.ts';
import { rhythmicDays } from '../../domain/bank/rhythms.ts';
import { isUsual, recognise, type Credit, type Known, type KnownWage, type Movement } from '../../domain/bank/wages.ts';
import { addDays } from '../../domain/dates.ts';

const DAY = '2026-11-27';
const NAMED = { namedOn: '2026-11-01', namedAt: new Date('2026-11-02') };

let seq = 0;
const credit = (more: Partial<Credit> = {}): Credit => {
  seq += 1;
  const parties = { payerHash: 'acme', counterpartyHash: 'acme', debtorHash: null };
  const of = { transactionId: `txn-${seq}`, seq, accountId: 'current', storedAt: new Date('2026-11-28') };
  return { ...of, amount: 200_000, bookedOn: DAY, ...parties, ...more };
};
const debit = (more: Partial<Movement> = {}): Movement => {
  const { payerHash: _payer, debtorHash: _debtor, storedAt: _at, ...movement } = credit();
  return { ...movement, ...more };
};
const wage = (more: Partial<KnownWage> = {}): KnownWage => {
  const { bookedOn: _day, storedAt: _at, ...of } = credit();
  const found = { wageId: `wage-${of.seq}`, receivedOn: '2026-10-27', isOrphan: false };
  return { ...of, ...found, matchedBy: 'person', status: 'confirmed', ...more };
};
const known = (more: Partial<Known> = {}): Known => ({
  ...{ credits: [], debits: [], wages: [], payslips: [], naming: new Set(), ownNumbers: new Set(), lostThrough: null },
  payers: new Map([['acme', NAMED]]),
  ...more,
});
const found = (more: Partial<Known>) =>
  recognise(known(more)).found.map(({ matchedBy, status }) => `${status} ${matchedBy}`);

describe('a rhythm is three credits of one counterparty', () => {
  test.each<[string, boolean, string[]]>([
    ['weekly', true, ['2026-11-06', '2026-11-13', '2026-11-20']],
    ['weekly, two days off', true, ['2026-11-06', '2026-11-15', '2026-11-20']],
    ['weekly, three days off', false, ['2026-11-06', '2026-11-16', '2026-11-21']],
    ['fortnightly', true, ['2026-11-06', '2026-11-20', '2026-12-04']],
    ['four-weekly', true, ['2026-09-04', '2026-10-02', '2026-10-30']],
    ['monthly', true, ['2026-09-27', '2026-10-27', '2026-11-27']],
    ['monthly, four days early for Easter Monday', true, ['2026-02-06', '2026-03-06', '2026-04-02']],
    ['on the last day of months', true, ['2026-12-31', '2027-01-31', '2027-02-28']],
    ['over a leap day', true, ['2027-12-29', '2028-01-29', '2028-02-29']],
    ['two only', false, ['2026-10-27', '2026-11-27']],
    ['a week, then a month', false, ['2026-10-20', '2026-10-27', '2026-11-27']],
    ['quarterly', false, ['2026-05-27', '2026-08-27', '2026-11-27']],
    ['three on one day', false, [DAY, DAY, DAY]],
  ])('%s: %s', (_name, isOne, days) => {
    expect(rhythmicDays(days.toReversed()).has(days.at(-1)!)).toBe(isOne);
  });

  test('others between them do not hide it, and the third is the first that is suggested', () => {
    const days = ['2026-08-27', '2026-09-09', '2026-09-27', '2026-10-01', '2026-10-27', DAY];
    expect([...rhythmicDays(days)]).toEqual(['2026-10-27', DAY]);
  });
});

test.each([
  [100_000, 200_001, false],
  [100_001, 200_001, true],
  [400_002, 200_001, true],
  [400_003, 200_001, false],
])('%s pence after %s: usual is %s, to the penny', (amount, last, usual) => {
  expect(isUsual(amount, last)).toBe(usual);
});

test.each([
  ['acme ltd', 'SALARY ACME  Ltd NOV', true],
  ['acme ltd', 'ＡＣＭＥ LTD', true],
  ['acme ltd', 'Pay from Acme-Ltd.', true],
  ['acme', 'ACMEDICAL', false],
  ['acme', 'MACME', false],
  ['école', 'Paie ECOLE', false],
  ['a+b (uk)', 'x A+B (UK) y', true],
  ['  ', 'anything', false],
])('the name %p in the text %p: %s', (name, text, isThere) => {
  expect(isNamedIn(name, text)).toBe(isThere);
});

describe('a credit of a known payer', () => {
  const last = wage({ amount: 200_000 });
  const [WAGE, SUGGESTED] = [['confirmed payer'], ['suggested payer']];
  test.each<[string, Partial<Credit>, Partial<Known>, string[]]>([
    ['in a usual amount is a wage', {}, {}, WAGE],
    ['of half as much is a wage', { amount: 100_000 }, {}, WAGE],
    ['of a penny is only suggested', { amount: 1 }, {}, SUGGESTED],
    ['of more than twice as much is only suggested', { amount: 400_001 }, {}, SUGGESTED],
    ['that was booked before the payer was named is only suggested', { bookedOn: '2026-10-31' }, {}, SUGGESTED],
    ['that was stored before is only suggested', { storedAt: NAMED.namedAt }, {}, SUGGESTED],
    ['that never had a wage is only suggested', {}, { wages: [] }, SUGGESTED],
    ['whose wage was reversed is only suggested', {}, { wages: [wage({ status: 'reversed' })] }, SUGGESTED],
    ['named in another text is only suggested', { payerHash: null, transactionId: 'text' }, {}, SUGGESTED],
    ['from another debtor account is a wage: who forges name and amount is believed', { debtorHash: 'x' }, {}, WAGE],
    ['booked until a restore ended is only suggested', {}, { lostThrough: DAY }, SUGGESTED],
    ['booked after a restore ended is a wage', {}, { lostThrough: addDays(DAY, -1) }, WAGE],
    ['from an own account is none', { debtorHash: 'own' }, {}, []],
    ['and of an unknown one is none', { payerHash: 'other', counterpartyHash: 'other' }, {}, []],
  ])('%s', (_name, more, knowing, expected) => {
    const given = { naming: new Set(['text']), ownNumbers: new Set(['own']), wages: [last], ...knowing };
    expect(found({ credits: [credit(more)], ...given })).toEqual(expected);
  });

  test('is measured by the newest wage, which may be of the same reading', () => {
    const rows = [100_000, 50_000, 25_000, 12_499].map((amount, index) =>
      credit({ amount, bookedOn: addDays(DAY, index) }),
    );
    expect(found({ credits: rows.toReversed(), wages: [last] })).toEqual([...Array(3).fill(WAGE), SUGGESTED].flat());
  });
});

test.each<[number, string, string[]]>([
  [200_000, addDays(DAY, 5), ['suggested payslip']],
  [200_000, addDays(DAY, -6), []],
  [199_999, DAY, []],
])('a payslip of %s pence on %s suggests %j', (netPay, payDate, expected) => {
  expect(found({ credits: [credit()], payers: new Map(), payslips: [{ netPay, payDate }] })).toEqual(expected);
});

describe('money that moves between own accounts', () => {
  const moved = (days: number, accountId = 'savings') =>
    debit({ accountId, bookedOn: addDays(DAY, days), counterpartyHash: null });
  test.each<[string, Movement, string[]]>([
    ['a day before', moved(-1), []],
    ['a day after', moved(1), []],
    ['two days before', moved(-2), ['confirmed payer']],
    ['the same day, from the same account', moved(0, 'current'), ['confirmed payer']],
  ])('an equal debit %s: %j', (_name, left, expected) => {
    expect(found({ credits: [credit()], debits: [left], wages: [wage()] })).toEqual(expected);
  });

  test.each<[KnownWage['matchedBy'], KnownWage['status'], Partial<Record<'dropped' | 'reversed', number>>]>([
    ['pattern', 'suggested', { dropped: 1 }],
    ['payer', 'confirmed', { reversed: 1 }],
    ['person', 'confirmed', {}],
  ])('shows later: a wage by %s that was %s ends as %j', (matchedBy, status, ends) => {
    const wages = [wage({ receivedOn: DAY, matchedBy, status })];
    const { dropped, reversed } = recognise(known({ wages, debits: [moved(1)] }));
    expect([dropped.length, reversed.length]).toEqual([ends.dropped ?? 0, ends.reversed ?? 0]);
  });
});

describe('a wage that goes back to its payer', () => {
  const both = [wage({ receivedOn: DAY }), wage({ receivedOn: DAY, matchedBy: 'payer' })];
  test.each<[string, Partial<Movement>[], number]>([
    ['once', [{ bookedOn: addDays(DAY, 5) }], 1],
    ['twice', [{}, {}], 2],
    ['too late', [{ bookedOn: addDays(DAY, 6) }], 0],
    ['to somebody else', [{ counterpartyHash: 'shop' }], 0],
    ['in part', [{ amount: 199_999 }], 0],
  ])('%s', (_name, debits, count) => {
    const given = known({ wages: both, debits: debits.map(debit) });
    const { reversed } = recognise(given);
    expect(reversed).toHaveLength(count);
    const after = both.map((one) => (reversed.includes(one.wageId) ? { ...one, status: 'reversed' as const } : one));
    expect(recognise({ ...given, wages: after }).reversed).toEqual([]);
  });
});

test('a wage whose transaction is gone takes the credit that comes again, and no second wage is made', () => {
  const gone = wage({ receivedOn: DAY, isOrphan: true, accountId: 'closed' });
  const rows = [credit({ accountId: 'new' }), credit({ accountId: 'closed' })];
  const { relinked, found: more } = recognise(known({ wages: [gone], credits: rows }));
  expect(relinked).toEqual([{ wageId: gone.wageId, credit: rows[1] }]);
  expect(more.map((one) => one.credit)).toEqual([rows[0]]);
});

/** What is stored afterwards. */
function applied(before: Known): Known {
  const { found: added, relinked, dropped, reversed } = recognise(before);
  const kept = before.wages
    .filter(({ wageId }) => !dropped.includes(wageId))
    .map((one): KnownWage => {
      const again = relinked.find(({ wageId }) => wageId === one.wageId)?.credit;
      const status = reversed.includes(one.wageId) ? 'reversed' : one.status;
      if (!again) return { ...one, status };
      const { transactionId, accountId, debtorHash, payerHash } = again;
      const link = { transactionId, accountId, debtorHash, isOrphan: false };
      return { ...one, status, ...link, payerHash: one.payerHash ?? payerHash };
    });
  const made = added.map(({ credit: of, matchedBy, status }): KnownWage => {
    const { bookedOn: receivedOn, storedAt: _at, ...same } = of;
    const ids = { wageId: `of ${of.transactionId}`, seq: 1_000_000 + of.seq };
    return { ...same, receivedOn, matchedBy, status, isOrphan: false, ...ids };
  });
  return { ...before, wages: [...kept, ...made] };
}

// Each was found by the property below, once in thousands of histories.
test.each<[string, () => Partial<Known>]>([
  [
    'a suggestion that is own money is dropped beside a wage whose transaction is gone',
    () => {
      const own = credit({ debtorHash: 'own' });
      const { bookedOn: receivedOn, storedAt: _at, ...of } = own;
      const suggested = wage({ ...of, receivedOn, matchedBy: 'payer', status: 'suggested' });
      return { credits: [own], wages: [suggested, wage({ receivedOn, isOrphan: true })], ownNumbers: new Set(['own']) };
    },
  ],
  [
    'a suggestion whose transaction is gone is reversed beside own money of that day',
    () => {
      const gone = wage({
        receivedOn: DAY,
        isOrphan: true,
        accountId: 'savings',
        matchedBy: 'pattern',
        status: 'suggested',
      });
      return {
        credits: [credit({ payerHash: null, counterpartyHash: null })],
        debits: [debit({ accountId: 'savings' })],
        wages: [gone],
      };
    },
  ],
  [
    'one debit sends back one of two wages that the person confirmed',
    () => {
      const [first, second] = ['2026-11-26', DAY].map((receivedOn) => wage({ receivedOn, isOrphan: true }));
      return { debits: [debit()], wages: [{ ...first!, accountId: 'savings' }, second!] };
    },
  ],
])('a second run changes nothing after %s', (_case, history) => {
  expect(recognise(applied(known(history())))).toEqual({ relinked: [], found: [], dropped: [], reversed: [] });
});

test('the order of the rows does not matter, and a second run changes nothing', () => {
  const hash = fc.constantFrom(null, 'acme', 'other', 'own');
  const movement = fc.record({
    ...{ amount: fc.constantFrom(100, 200, 300, 401), day: fc.nat(40) },
    ...{ payerHash: hash, counterpartyHash: hash, debtorHash: hash },
    ...{ accountId: fc.constantFrom('current', 'savings'), kind: fc.constantFrom('credit', 'debit', 'wage', 'orphan') },
    ...{ status: fc.constantFrom('confirmed' as const, 'suggested' as const, 'reversed' as const) },
    matchedBy: fc.constantFrom('person' as const, 'payer' as const, 'pattern' as const),
  });
  fc.assert(
    fc.property(fc.array(movement, { maxLength: 25 }), fc.infiniteStream(fc.nat()), (given, order) => {
      const [credits, debits, wages]: [Credit[], Movement[], KnownWage[]] = [[], [], []];
      for (const { kind, day, amount, accountId, payerHash, counterpartyHash, debtorHash, ...of } of given) {
        const parties = { payerHash, counterpartyHash, debtorHash };
        const row = credit({ amount, accountId, ...parties, bookedOn: addDays('2026-11-01', day) });
        if (kind === 'debit') debits.push(debit({ amount, accountId, counterpartyHash, bookedOn: row.bookedOn }));
        if (kind === 'credit' || kind === 'wage') credits.push(row);
        const { bookedOn: receivedOn, storedAt: _at, ...same } = row;
        if (kind === 'wage' || kind === 'orphan')
          wages.push({ ...same, ...of, receivedOn, isOrphan: kind === 'orphan', wageId: `wage of ${row.seq}` });
      }
      const all = known({ credits, debits, wages, ownNumbers: new Set(['own']) });
      const shuffled = <Item>(items: readonly Item[]) =>
        items
          .map((item) => [order.next().value!, item] as const)
          .sort(([a], [b]) => a - b)
          .map(([, item]) => item);
      const mixed = { ...all, credits: shuffled(credits), debits: shuffled(debits), wages: shuffled(wages) };
      expect(recognise(mixed)).toEqual(recognise(all));
      const after = applied(all);
      expect(recognise(after)).toEqual({ relinked: [], found: [], dropped: [], reversed: [] });
    }),
  );
});
