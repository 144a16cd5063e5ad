import fc from 'fast-check';
import { matchAccounts, type KnownAccount, type ListedAccount } from '../../domain/bank/accounts.ts';
import { reconcile, type ReadRow, type StoredRow } from '../../domain/bank/rows.ts';

/** What is at the bank. `text` stands for both texts. */
interface Booked {
  id: string;
  amount: number;
  bookedOn: string;
  text: string;
}

const BANK = 'bank';
const readOf = ({ id, amount, bookedOn, text }: Booked, isShown = true): ReadRow => ({
  stableHash: isShown ? id : null,
  fingerprint: `${bookedOn} ${amount} ${text}`,
  amount,
  bookedOn,
});

function store(stored: readonly StoredRow[], incoming: readonly ReadRow[], bankId = BANK): StoredRow[] {
  const { insert, gain } = reconcile({ stored, incoming, bankId });
  const gained = new Map(gain.map((row) => [row.transactionId, { ...row, bankId }]));
  const all = [
    ...stored.map((row) => ({ ...row, ...gained.get(row.transactionId) })),
    ...insert.map(({ row, ordinal }, index) => ({
      ...row,
      ordinal,
      bankId,
      transactionId: `txn_${stored.length + index}`,
    })),
  ];
  expect(new Set(all.map(({ fingerprint, ordinal }) => `${fingerprint} ${ordinal}`)).size).toBe(all.length);
  const ids = all.filter(({ stableHash }) => stableHash !== null);
  expect(new Set(ids.map((row) => `${row.bankId} ${row.stableHash}`)).size).toBe(ids.length);
  return all;
}

const contents = (rows: readonly { bookedOn: string; amount: number }[]) =>
  rows.map(({ bookedOn, amount }) => `${bookedOn} ${amount}`).toSorted();

const bookings = fc
  .array(
    fc.record({
      amount: fc.constantFrom(-500, 1_111, 1_112),
      bookedOn: fc.constantFrom('2026-11-01', '2026-11-02'),
      text: fc.constantFrom('Rent', 'Pay'),
    }),
    { maxLength: 12 },
  )
  .map((all): Booked[] => all.map((one, index) => ({ ...one, id: `id-${index}` })));

/** Of each booking: whether a read has it, shows its id, repeats it, and where. */
const reads = fc.array(
  fc.array(fc.record({ here: fc.boolean(), shown: fc.boolean(), again: fc.boolean(), place: fc.nat() }), {
    minLength: 12,
    maxLength: 12,
  }),
  { minLength: 1, maxLength: 6 },
);

test('nothing is lost or stored twice, in any order, however often it is read and whichever ids are shown', () => {
  fc.assert(
    fc.property(bookings, reads, (booked, looks) => {
      let stored: StoredRow[] = [];
      for (const [index, look] of looks.entries()) {
        const isLast = index === looks.length - 1;
        const seen = booked.flatMap((one, at) => {
          const { here, shown, again, place } = look[at]!;
          const row = readOf(one, shown);
          if (!here && !isLast) return [];
          // Only a row with an id can be known again within one read.
          return (again && shown ? [row, row] : [row]).map((each) => ({ each, place }));
        });
        const incoming = seen.toSorted((a, b) => a.place - b.place).map(({ each }) => each);
        const before = stored;
        stored = store(stored, incoming);
        expect(stored.length).toBeGreaterThanOrEqual(before.length);
        expect(stored.slice(0, before.length).map(({ transactionId }) => transactionId)).toEqual(
          before.map(({ transactionId }) => transactionId),
        );
        expect(reconcile({ stored, incoming: incoming.toReversed(), bankId: BANK })).toEqual(
          expect.objectContaining({ insert: [], gain: [], refused: 0 }),
        );
      }
      expect(contents(stored)).toEqual(contents(booked));
    }),
  );
});

test('another bank takes over the rows of an account, whatever texts and ids it has, and goes on from there', () => {
  fc.assert(
    fc.property(bookings, fc.boolean(), fc.boolean(), (booked, shownBefore, shownAfter) => {
      const first = store(
        [],
        booked.map((one) => readOf(one, shownBefore)),
        'former',
      );
      const other = booked.map((one) => readOf({ ...one, id: `other-${one.id}`, text: `${one.text}!` }, shownAfter));
      const taken = store(first, other);
      expect(taken.map(({ transactionId }) => transactionId)).toEqual(first.map(({ transactionId }) => transactionId));
      expect(reconcile({ stored: taken, incoming: other.toReversed(), bankId: BANK }).insert).toEqual([]);
      expect(contents(store(taken, [...other, readOf({ ...NEW, id: 'new' }, shownAfter)]))).toEqual(
        contents([...booked, NEW]),
      );
    }),
  );
});

const NEW: Booked = { id: 'new', amount: 7, bookedOn: '2026-11-03', text: 'New' };

test.each([
  ['another amount', { amount: 8 }],
  ['another day', { bookedOn: '2026-11-04' }],
])('a stable id with %s is refused, and the stored row stays', (_what, change) => {
  const stored = store([], [readOf(NEW)]);
  const changed = readOf({ ...NEW, ...change });
  const nothing = { insert: [], gain: [], refused: 1 };
  expect(reconcile({ stored, incoming: [changed], bankId: BANK })).toEqual(nothing);
  for (const incoming of [
    [changed, readOf(NEW)],
    [readOf(NEW), changed],
  ])
    expect(reconcile({ stored, incoming, bankId: BANK })).toEqual(nothing);
});

describe('an account', () => {
  const base = { kind: 'current', currency: 'GBP', name: 'Main', number: '1', iban: null, last4: null } as const;
  const listed = (more: Partial<ListedAccount> = {}): ListedAccount => ({ ...base, ref: 'r1', ...more });
  const unknown = { ...base, accountId: 'A', refs: [], linked: false };
  const known = (more: Partial<KnownAccount> = {}): KnownAccount => ({ ...unknown, ...more });
  const card = { kind: 'card', number: null, last4: '1234', linked: true } as const;
  const pot = { kind: 'savings', name: 'Pot' } as const;

  test.each<[string, ListedAccount[], KnownAccount[], (string | null)[]]>([
    ['its number, under a new id and name', [listed({ ref: 'r9', name: 'x' })], [known({ refs: ['r1'] })], ['A']],
    ['its IBAN', [listed({ number: null, iban: 'i' })], [known({ number: null, iban: 'i' })], ['A']],
    ["the bank's id, if nothing else is told", [listed({ number: null })], [known({ refs: ['r1'] })], ['A']],
    ['nothing in another bank or consent', [listed({ number: null })], [known({ number: null })], [null]],
    ['no number of another kind', [listed({ kind: 'savings' })], [known()], [null]],
    ['no number in another currency', [listed({ currency: 'EUR' })], [known()], [null]],
    ['no IBAN with another number', [listed({ iban: 'i' })], [known({ iban: 'i', number: '2' })], [null]],
    ['the name and last digits of a card', [listed({ ...card, ref: 'r9' })], [known(card)], ['A']],
    ['no last digits of a card elsewhere', [listed(card)], [known({ ...card, linked: false })], [null]],
    ['no last digits that two cards have', [listed(card)], [known(card), known({ ...card, accountId: 'B' })], [null]],
    ['no last digits of an account', [listed({ ...card, kind: 'other' })], [known({ ...card, kind: 'other' })], [null]],
    [
      'kind and name, where pots share the number',
      [listed({ ...pot, name: 'Car' }), listed({ ...pot, ref: 'r2' }), listed({ ref: 'r3' })],
      [known(), known({ ...pot, accountId: 'B' })],
      [null, 'B', 'A'],
    ],
  ])('is known again by %s', (_by, now, before, expected) => {
    expect(matchAccounts(now, before)).toEqual(expected);
    expect(matchAccounts(now.toReversed(), before.toReversed())).toEqual(expected.toReversed());
  });
});
