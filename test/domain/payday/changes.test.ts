import fc from 'fast-check';
import { addDays, monthStartOf } from '../../../domain/dates.ts';
import { pence } from '../../../domain/money.ts';
import * as rules from '../../../domain/payday/changes.ts';
import type { KnownEntry, WantedEntry } from '../../../domain/payday/changes.ts';
import { billDayOf } from '../../../domain/payday/days.ts';

const bill = { providerId: 'landlord', payDay: 1, payAmount: null, reference: null };
const noBill = { providerId: null, payDay: null, payAmount: null, reference: null };
const entry = (type: string, more: Partial<KnownEntry> = {}): KnownEntry => ({
  ...{ entryId: type, type, category: 'FIXED', amount: pence(100), ...noBill, paysFrom: null },
  ...more,
});
const [rent, food, twin] = [entry('Rent', bill), entry('Food'), entry('twin', { type: 'Rent' })];
const flat = { ...rent, type: 'Flat' };
const isNew = (known: KnownEntry): WantedEntry => ({ ...known, entryId: null });

test.each<[string, object[], string[]]>([
  ['a bill', [{ provider_id: 'p', pay_on: 1, pay_amount: 5, reference: 'R' }, {}], []],
  ['a payee without a day', [{ provider_id: 'p', reference: 'R' }], ['0/pay_on']],
  ['a day without a payee', [{}, { pay_on: 'on_arrival', pay_amount: 5 }], ['1/provider_id']],
  ['what only bills have', [{ pay_amount: 5, reference: 'R' }], ['0/pay_amount', '0/reference']],
  ['an id that comes again', [{ entry_id: 'a' }, { entry_id: 'a', pay_on: 1 }], ['1/entry_id', '1/provider_id']],
])('faults of %s', (_what, obligations, pointers) => {
  const faults = rules.entryFaults(obligations).map(({ pointer }) => pointer);
  expect(faults).toEqual(pointers.map((pointer) => `/obligations/${pointer}`));
});

const OTHERS = { type: 'X', amount: pence(9), payDay: 2, payAmount: pence(9), reference: 'R', category: 'SAVINGS' };
test.each<[string, boolean, KnownEntry[], WantedEntry[], 'pauses'?]>([
  ['a first entry without a payee', false, [], [isNew(food)]],
  ['another order and another entry', false, [rent, food], [{ ...food, amount: pence(9) }, rent]],
  ['a dropped entry without a payee', false, [rent, food], [rent]],
  ['a pause without payees', false, [food], [food], 'pauses'],
  ['a new bill', true, [food], [food, isNew(rent)]],
  ['a dropped bill', true, [rent, food], [food]],
  ['a pause', true, [rent, food], [rent, food], 'pauses'],
  ['an entry that gets a payee', true, [food], [{ ...food, ...bill }]],
  ['an entry that loses its payee', true, [rent], [{ ...rent, ...noBill }]],
  ...Object.entries(OTHERS).map(([name, value]): [string, true, KnownEntry[], WantedEntry[]] => {
    return [`another ${name} of a bill`, true, [rent], [{ ...rent, [name]: value }]];
  }),
])('%s concerns bills: %s', (_what, expected, before, wanted, ...pauses) => {
  expect(rules.concernsBills(rules.changesOf(before, wanted), pauses.length > 0)).toBe(expected);
});

test.each<[string, KnownEntry[], WantedEntry[], string[]]>([
  ['an entry alone in its vault', [rent, food], [flat, food], ['Rent > Flat']],
  ['an entry that shares its vault', [rent, twin], [flat], []],
  ['an entry whose name a new one takes', [rent], [flat, isNew(twin)], []],
  [
    'entries that swap names',
    [rent, food],
    [
      { ...rent, type: 'Food' },
      { ...food, type: 'Rent' },
    ],
    [],
  ],
  ['an entry of another category', [rent], [{ ...flat, category: 'SAVINGS' }], []],
  ['a namesake of another category', [rent, { ...twin, category: 'SAVINGS' }], [flat], ['Rent > Flat']],
])('vaults renamed with %s', (_what, before, wanted, renames) => {
  const found = rules.renamesOf(rules.changesOf(before, wanted));
  expect(found.map(({ from, to }) => `${from} > ${to}`)).toEqual(renames);
});

test.each<[string, string | null, KnownEntry[], WantedEntry, string?]>([
  ['a new bill', null, [], isNew(rent)],
  ['a new bill of a paid account', '2026-12-01', [], isNew(rent), '2026-11-01'],
  ['another payee that was paid', '2026-12-01', [rent], { ...rent, providerId: 'energy' }, '2026-11-01'],
  ['another day', '2026-12-01', [rent], { ...rent, payDay: 28 }, '2026-11-01'],
  ['each wage in place of a day', '2026-12-01', [rent], { ...rent, payDay: null }, '2026-11-01'],
  ['a new bill of an account that is paid next month', '2027-01-01', [], isNew(rent), '2026-12-01'],
  ['another amount of a paid bill', null, [rent], { ...rent, amount: pence(9) }, '2026-11-01'],
  ['another amount of a waiting bill', '2026-12-01', [{ ...rent, paysFrom: '2026-12-01' }], flat],
  ['an entry that pays no more', null, [rent], { ...rent, ...noBill }, '2026-11-01'],
])('%s pays from %s', (_what, expected, before, wanted, ...[paidThrough]) => {
  expect(rules.paysFrom(rules.changesOf(before, [wanted]).entries[0]!, paidThrough)).toBe(expected);
});

test('however often a bill is sent again, with its id or as new, wages pay it at most once a month', () => {
  const step = fc.record({
    today: fc.integer({ min: 0, max: 60 }).map((days) => addDays('2026-10-15', days)),
    late: fc.integer({ min: 0, max: 5 }),
    entryId: fc.constantFrom(undefined, null),
    payDay: fc.constantFrom(1, 15, 28, 31),
  });
  const steps = fc.array(step, { maxLength: 12 }).map((all) => all.toSorted((a, b) => (a.today < b.today ? -1 : 1)));
  const pays = fc.property(steps, (changes) => {
    let known = rent;
    const paid: { entryId: string; month: string }[] = [];
    for (const [number, { today, late, entryId = known.entryId, payDay }] of changes.entries()) {
      const matched = rules.changesOf([known], [{ ...known, payDay, entryId }]).entries[0]!;
      const recent = paid.filter(({ month }) => month >= rules.earliestMonth(today)).map(({ month }) => month);
      const paysFrom = rules.paysFrom(matched, recent.toSorted().at(-1));
      known = { ...known, payDay, entryId: entryId ?? `new ${number}`, paysFrom };
      const receivedOn = addDays(today, -late);
      const due = billDayOf(payDay, { receivedOn, setOn: receivedOn, today });
      const month = monthStartOf(due);
      const isPaid = paid.some((one) => one.entryId === known.entryId && one.month === month);
      if (!isPaid && (paysFrom === null || due >= paysFrom)) paid.push({ entryId: known.entryId, month });
    }
    expect(new Set(paid.map(({ month }) => month)).size).toBe(paid.length);
  });
  fc.assert(pays, { numRuns: 500 });
});
