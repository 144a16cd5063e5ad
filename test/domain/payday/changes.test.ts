import fc from 'fast-check';
import { monthStartOf } from '../../../domain/dates.ts';
import { pence } from '../../../domain/money.ts';
import {
  changesOf,
  concernsBills,
  earliestMonth,
  entryFaults,
  paysFrom,
  renamesOf,
  type KnownEntry,
  type WantedEntry,
} from '../../../domain/payday/changes.ts';
import { billDayOf } from '../../../domain/payday/days.ts';

const bill = { providerId: 'landlord', payDay: 1, payAmount: null, reference: null };
const noBill = { providerId: null, payDay: null, payAmount: null, reference: null };
const entry = (type: string, more: Partial<KnownEntry> = {}): KnownEntry => ({
  ...{ entryId: type, type, category: 'FIXED', amount: pence(100), ...noBill, paysFrom: null },
  ...more,
});
const rent = entry('Rent', bill);
const food = entry('Food');
const isNew = ({ paysFrom: _, ...more }: KnownEntry): WantedEntry => ({ ...more, entryId: null });
const changed = (before: readonly KnownEntry[], wanted: readonly WantedEntry[], pauses = false) =>
  concernsBills(changesOf(before, wanted), pauses);

test.each<[string, object[], string[]]>([
  ['a bill', [{ provider_id: 'p', pay_on: 1, pay_amount: 5, reference: 'R' }, {}], []],
  ['a payee without a day', [{ provider_id: 'p', reference: 'R' }], ['/obligations/0/pay_on']],
  ['a day without a payee', [{}, { pay_on: 'on_arrival', pay_amount: 5 }], ['/obligations/1/provider_id']],
  [
    'what only bills have',
    [{ pay_amount: 5, reference: 'R' }],
    ['/obligations/0/pay_amount', '/obligations/0/reference'],
  ],
  [
    'an id that comes again',
    [{ entry_id: 'a' }, { entry_id: 'a', pay_on: 1 }],
    ['/obligations/1/entry_id', '/obligations/1/provider_id'],
  ],
])('faults of %s', (_what, obligations, pointers) => {
  expect(entryFaults(obligations).map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each<[string, boolean, () => boolean]>([
  ['a first entry without a payee', false, () => changed([], [isNew(food)])],
  [
    'another order, and a change of another entry',
    false,
    () => changed([rent, food], [{ ...food, amount: pence(9) }, rent]),
  ],
  ['an entry without a payee that is dropped', false, () => changed([rent, food], [rent])],
  ['a pause without payees', false, () => changed([food], [food], true)],
  ['a new bill', true, () => changed([food], [food, isNew(rent)])],
  ['a bill that is dropped', true, () => changed([rent, food], [food])],
  ['a pause', true, () => changed([rent, food], [rent, food], true)],
  ['an entry that gets a payee', true, () => changed([food], [{ ...food, ...bill }])],
  ['an entry that loses its payee', true, () => changed([rent], [{ ...rent, ...noBill }])],
  ...Object.entries({
    type: 'Flat',
    amount: pence(9),
    payDay: 2,
    payAmount: pence(9),
    reference: 'R',
    category: 'SAVINGS',
  }).map(([field, value]): [string, boolean, () => boolean] => [
    `a bill with another ${field}`,
    true,
    () => changed([rent], [{ ...rent, [field]: value }]),
  ]),
])('whether %s concerns bills: %s', (_what, expected, concerned) => {
  expect(concerned()).toBe(expected);
});

test('an id that is unknown, or was dropped, is refused', () => {
  const refused = expect.objectContaining({
    code: 'unknown-entry',
    message: expect.stringContaining('/obligations/1/'),
  });
  expect(() => changesOf([rent], [rent, { ...food, entryId: 'Food' }])).toThrow(refused);
});

test.each<[string, KnownEntry[], WantedEntry[], string[]]>([
  ['an entry alone in its vault', [rent, food], [{ ...rent, type: 'Flat' }, food], ['Rent > Flat']],
  [
    'an entry that another shares the vault with',
    [rent, entry('2', { type: 'Rent' })],
    [{ ...rent, type: 'Flat' }],
    [],
  ],
  ['an entry whose name a new one takes', [rent], [{ ...rent, type: 'Flat' }, isNew(entry('Rent'))], []],
  [
    'two entries that swap their names',
    [rent, food],
    [
      { ...rent, type: 'Food' },
      { ...food, type: 'Rent' },
    ],
    [],
  ],
  ['an entry of another category', [rent], [{ ...rent, type: 'Flat', category: 'SAVINGS' }], []],
  [
    'a namesake of another category',
    [rent, entry('2', { type: 'Rent', category: 'SAVINGS' })],
    [{ ...rent, type: 'Flat' }],
    ['Rent > Flat'],
  ],
])('vaults renamed with %s', (_what, before, wanted, renames) => {
  expect(renamesOf(changesOf(before, wanted)).map(({ from, to }) => `${from} > ${to}`)).toEqual(renames);
});

const NOVEMBER = '2026-11-01';
const start = (before: KnownEntry[], wanted: WantedEntry, paid: string | undefined) =>
  paysFrom(changesOf(before, [wanted]).entries[0]!, paid);
test.each<[string, string | null, () => string | null]>([
  ['a new bill', null, () => start([], isNew(rent), undefined)],
  ['a new bill of an account that was paid', '2026-12-01', () => start([], isNew(rent), NOVEMBER)],
  ['another payee that was paid', '2026-12-01', () => start([rent], { ...rent, providerId: 'energy' }, NOVEMBER)],
  ['another day', '2026-12-01', () => start([rent], { ...rent, payDay: 28 }, NOVEMBER)],
  ['each wage in place of a day', '2026-12-01', () => start([rent], { ...rent, payDay: null }, NOVEMBER)],
  ['a payment that is scheduled for the next month', '2027-01-01', () => start([], isNew(rent), '2026-12-01')],
  ['another amount of a bill that was paid', null, () => start([rent], { ...rent, amount: pence(9) }, NOVEMBER)],
  [
    'another amount of a bill that waits',
    '2026-12-01',
    () => start([{ ...rent, paysFrom: '2026-12-01' }], { ...rent, amount: pence(9) }, undefined),
  ],
  ['an entry that pays no more', null, () => start([rent], { ...rent, ...noBill }, NOVEMBER)],
])('%s pays from %s', (_what, expected, from) => {
  expect(from()).toBe(expected);
});

test('however often a split is sent again with or without ids, wages pay each bill at most once a month', () => {
  const day = fc
    .integer({ min: 0, max: 60 })
    .map((after) => new Date(Date.UTC(2026, 9, 15 + after)).toISOString().slice(0, 10));
  const step = fc.record({
    day,
    late: fc.integer({ min: 0, max: 5 }),
    keepsIds: fc.boolean(),
    payDay: fc.constantFrom(1, 15, 28, 31),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let entries = [rent];
      const paid: { entryId: string; month: string }[] = [];
      for (const [number, { day: today, late, keepsIds, payDay }] of steps
        .toSorted((a, b) => (a.day < b.day ? -1 : 1))
        .entries()) {
        const { entries: matched } = changesOf(
          entries,
          entries.map((one) => ({ ...one, payDay, ...(!keepsIds && { entryId: null }) })),
        );
        const through = paid
          .map(({ month }) => month)
          .filter((month) => month >= earliestMonth(today))
          .toSorted()
          .at(-1);
        entries = matched.map((one) => ({
          ...one.wanted,
          entryId: one.wanted.entryId ?? `new ${number}`,
          paysFrom: paysFrom(one, through),
        }));
        for (const { entryId, payDay: on, paysFrom: from } of entries) {
          const receivedOn = new Date(Date.parse(today) - late * 86_400_000).toISOString().slice(0, 10);
          const due = billDayOf(on!, { receivedOn, today });
          const month = monthStartOf(due);
          const isPaid = paid.some((one) => one.entryId === entryId && one.month === month);
          if (!isPaid && (from === null || due >= from)) paid.push({ entryId, month });
        }
      }
      const months = paid.map(({ month }) => month);
      expect(months).toEqual([...new Set(months)]);
    }),
    { numRuns: 500 },
  );
});
