import fc from 'fast-check';
import { addDays } from '../../domain/dates.ts';
import {
  reconcile,
  shownStatus,
  type Booking,
  type Found,
  type KnownMatch,
  type Sought,
  type SoughtPayment,
} from '../../domain/reconciliation.ts';
import { paymentsSaid, paymentWords } from '../../domain/reconciliation/words.ts';

const DAY = '2026-11-10';
const day = (days: number) => addDays(DAY, days);
const NOTHING = { debit: null, isDebitKept: false, credit: null, isCreditKept: false, problem: null } as const;

const p = (seq: number, more: Partial<SoughtPayment> = {}): SoughtPayment => {
  const days = { sentOn: more.completedOn ?? DAY, completedOn: DAY, returnedOn: null, readThrough: DAY };
  return { paymentId: `p${seq}`, seq, amount: 100, account: 'main', words: 'rent', ...days, known: null, ...more };
};
const d = (seq: number, more: Partial<Booking> = {}): Booking => {
  const [says, isOwn] = [new Set(['rent']), false];
  return { transactionId: `t${seq}`, seq, account: 'main', amount: -100, bookedOn: DAY, says, isOwn, ...more };
};
const c = (seq: number, more: Partial<Booking> = {}) => d(seq, { amount: 100, ...more });
const on = (days: number) => ({ bookedOn: day(days) });
const says = (...words: string[]) => ({ says: new Set(words) });
const known = (more: Partial<KnownMatch>) => ({ known: { status: 'pending' as const, ...NOTHING, ...more } });
const HAS = known({ status: 'matched', debit: 't0', isDebitKept: true });
const LOST = known({ status: 'matched', debit: 't0' });
const MISSING = known({ status: 'missing', problem: 'missing' });
const LATE = { readThrough: day(6) };
const BACK = { returnedOn: day(2) };
const NOV = { words: 'rent nov' };

/** `amb` is short for `pending ambiguous`. */
function outcomes(payments: SoughtPayment[], bookings: Booking[], onTheirWay: number[] = []): string {
  const found = reconcile({ payments, bookings, onTheirWay: new Set(onTheirWay) });
  return found
    .map((one) => [one.paymentId, one.debit ?? one.status, one.credit, one.problem].filter((word) => word !== null))
    .map((words) => words.join(' ').replace('pending ambiguous', 'amb'))
    .join(', ');
}

test.each<[string, SoughtPayment[], Booking[], string]>([
  ['one debit', [p(1)], [d(1)], 'p1 t1'],
  ['five days before', [p(1)], [d(1, on(-5))], 'p1 t1'],
  ['six days before', [p(1)], [d(1, on(-6))], 'p1 pending'],
  ['five days after', [p(1)], [d(1, on(5))], 'p1 t1'],
  ['six days after', [p(1)], [d(1, on(6))], 'p1 pending'],
  ['the outcome was unknown for a week', [p(1, { sentOn: day(-7) })], [d(1, on(-7))], 'p1 t1'],
  ['another account', [p(1)], [d(1, { account: 'other' })], 'p1 pending'],
  ['another amount', [p(1)], [d(1, { amount: -101 })], 'p1 pending'],
  ['other words', [p(1)], [d(1, says('gas'))], 'p1 pending'],
  ['a credit instead', [p(1, { sentOn: day(1) })], [c(1)], 'p1 pending'],
  ['not read after the last day', [p(1, { readThrough: day(5) })], [], 'p1 pending'],
  ['never read', [p(1, { readThrough: null })], [], 'p1 pending'],
  ['read after the last day', [p(1, LATE)], [], 'p1 missing missing'],
  ['found late', [p(1, { ...LATE, ...MISSING })], [d(1)], 'p1 t1'],
  ['missing, and the account is new', [p(1, { readThrough: null, ...MISSING })], [], 'p1 missing missing'],
  ['two debits', [p(1)], [d(1), d(2)], 'p1 amb'],
  ['a second debit', [p(1, HAS)], [d(1)], 'p1 t0 ambiguous'],
  ['a second debit, of other words', [p(1, HAS)], [d(1, says('gas'))], 'p1 t0'],
  ['a second debit, of another payment', [p(1, HAS), p(2)], [d(1)], 'p1 t0, p2 t1'],
  ['two alike and two debits', [p(2), p(1)], [d(2), d(1)], 'p1 t1, p2 t2'],
  ['two alike and one debit', [p(1), p(2)], [d(1)], 'p1 t1, p2 pending'],
  ['two alike and one debit, late', [p(1, LATE), p(2, LATE)], [d(1)], 'p1 t1, p2 missing missing'],
  ['two alike and three debits', [p(1), p(2)], [d(1), d(2), d(3)], 'p1 amb, p2 amb'],
  ['two of other days and two debits', [p(1, { completedOn: day(3) }), p(2)], [d(1, on(3)), d(2)], 'p2 t2, p1 t1'],
  ['two of other days and one debit', [p(1), p(2, { completedOn: day(3) })], [d(1)], 'p1 pending, p2 pending'],
  ['one of two has no choice', [p(1), p(2, NOV)], [d(1, says('rent', 'rent nov')), d(2)], 'p1 t2, p2 t1'],
  ['two that differ and one debit', [p(1), p(2, NOV)], [d(1, says('rent', 'rent nov'))], 'p1 pending, p2 pending'],
  ['the same, late', [p(1, LATE), p(2, { ...NOV, ...LATE })], [d(1, says('rent', 'rent nov'))], 'p1 amb, p2 amb'],
  [
    'three debits for four payments of two kinds',
    [p(1), p(2), p(3, NOV), p(4, NOV)],
    [d(1), d(2, says('rent', 'rent nov')), d(3, says('rent nov'))],
    'p1 amb, p2 amb, p3 amb, p4 amb',
  ],
  ['it came back', [p(1, BACK)], [d(1), c(2, on(3))], 'p1 t1 t2'],
  ['it came back, not yet to the account', [p(1, BACK)], [d(1)], 'p1 t1'],
  ['it never came back', [p(1, { ...BACK, readThrough: day(8) })], [d(1)], 'p1 t1 return-missing'],
  ['it came back twice', [p(1, BACK)], [d(1), c(2), c(3)], 'p1 t1 ambiguous'],
  ['it came back, which the bank does not say', [p(1)], [d(1), c(2, on(1))], 'p1 t1 unexplained-return'],
  ['a credit of before', [p(1)], [d(1), c(2, on(-1))], 'p1 t1'],
  ['a credit that may be own money', [p(1)], [d(1), c(2, { isOwn: true })], 'p1 t1'],
  ['two alike, and one came back', [p(1), p(2)], [d(1), d(2), c(3)], 'p1 t1 unexplained-return, p2 t2'],
  ['the credit of another that came back', [p(1), p(2, BACK)], [d(1), d(2), c(3)], 'p1 t1, p2 t2 t3'],
  ['its debit comes again under another id', [p(1, LOST)], [d(1)], 'p1 t1'],
  ['its debit is no longer kept', [p(1, { ...LATE, ...LOST })], [], 'p1 t0'],
])('of payments and bookings: %s', (_what, payments, bookings, expected) => {
  expect(outcomes(payments, bookings)).toBe(expected);
});

test('a second debit can be that of an equal payment that is on its way', () => {
  expect(outcomes([p(1)], [d(1), d(2)], [100])).toBe('p1 pending');
  expect(outcomes([p(1, HAS)], [d(1)], [100])).toBe('p1 t0');
});

const anyPayment = fc.record({
  amount: fc.constantFrom(100, 200),
  words: fc.constantFrom('rent', 'gas'),
  days: fc.integer({ min: 0, max: 8 }),
  back: fc.constantFrom(null, 1, 4),
  read: fc.integer({ min: 0, max: 20 }),
});
const anyBooking = fc.record({
  amount: fc.constantFrom(-200, -100, 100, 200),
  bookedOn: fc.integer({ min: -6, max: 14 }).map(day),
  says: fc.subarray(['rent', 'gas'], { minLength: 1 }).map((words) => new Set(words)),
});
const anySought = fc
  .tuple(fc.array(anyPayment, { maxLength: 8 }), fc.array(anyBooking, { maxLength: 10 }))
  .map(([payments, bookings]): Sought => {
    return {
      payments: payments.map(({ amount, words, days, back, read }, seq) => {
        const returnedOn = back === null ? null : day(days + back);
        return p(seq, { amount, words, completedOn: day(days), returnedOn, readThrough: day(read) });
      }),
      bookings: bookings.map((more, seq) => d(seq, more)),
      onTheirWay: new Set(),
    };
  });
const all = (found: Found[]) => [...found].sort((a, b) => (a.paymentId < b.paymentId ? -1 : 1));

test('no booking is two payments’, whatever comes in whatever order, and the same again changes nothing', () => {
  fc.assert(
    fc.property(anySought, fc.infiniteStream(fc.nat()), ({ payments, bookings, onTheirWay }, order) => {
      const found = reconcile({ payments, bookings, onTheirWay });
      const used = found.flatMap(({ debit: one, credit: other }) => [one, other].filter((id) => id !== null));
      expect(new Set(used).size).toBe(used.length);
      const amounts = new Map(bookings.map(({ transactionId, amount }) => [transactionId, amount]));
      for (const { paymentId, debit: id, status } of found) {
        const { amount } = payments.find((one) => one.paymentId === paymentId)!;
        expect(id === null || amounts.get(id) === -amount).toBe(true);
        expect(status === 'matched').toBe(id !== null);
      }
      const mixed = <Item>(items: readonly Item[]) =>
        items
          .map((item) => ({ item, at: order.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item);
      expect(all(reconcile({ payments: mixed(payments), bookings: mixed(bookings), onTheirWay }))).toEqual(all(found));
      const stored = payments.map((one) => {
        const {
          debit: id,
          credit: back,
          status,
          problem,
        } = found.find(({ paymentId }) => paymentId === one.paymentId)!;
        const kept = { isDebitKept: id !== null, isCreditKept: back !== null };
        return { ...one, known: { status, debit: id, credit: back, problem, ...kept } };
      });
      const left = bookings.filter(({ transactionId }) => !used.includes(transactionId));
      expect(all(reconcile({ payments: stored, bookings: left, onTheirWay }))).toEqual(all(found));
    }),
  );
});

test.each<[string, string | null, number, string | null, string | null, boolean]>([
  ['the reference, in other case and spacing', 'Flat  2\tRent', -1, null, 'PAYMENT FLAT 2 RENT', true],
  ['the reference as the counterparty', 'Flat 2', -1, 'flat 2', null, true],
  ['compatible characters', 'Flat ２', -1, null, 'flat 2', true],
  ['another reference', 'Flat 2', -1, 'Energy Ltd', 'FLAT 3', false],
  ['no text', 'Flat 2', -1, null, null, false],
  ['the payee, for a payment without a reference', null, -1, 'ENERGY LTD', null, true],
  ['the payee in the reference alone', null, -1, null, 'Energy Ltd', false],
  ['a blank reference, which is none', '  ', -1, 'Energy Ltd', 'x', true],
  ['a part of a word', null, -1, 'ENERGY LTDX', null, false],
  ['a credit of the payee', 'Flat 2', 1, 'Energy Ltd', null, true],
  ['a credit with the reference', 'Flat 2', 1, 'Bank', 'RETURNED FLAT 2', true],
])('a booking is known by its texts: %s', (_what, reference, amount, counterparty, said, expected) => {
  const words = new Map([['key', paymentWords(reference, 'Energy Ltd')]]);
  expect(paymentsSaid(amount, { counterparty, reference: said }, words).has('key')).toBe(expected);
});

test.each([
  ['failed', null, true, 'not-applicable'],
  ['cancelled', null, true, 'not-applicable'],
  ['processing', null, true, 'pending'],
  ['processing', null, false, 'not-applicable'],
  ['completed', 'pending', true, 'pending'],
  ['completed', 'pending', false, 'not-applicable'],
  ['completed', 'matched', false, 'matched'],
  ['returned', 'missing', false, 'missing'],
] as const)('a payment that is %s, and stored as %s, read: %s, shows %s', (status, stored, isRead, shown) => {
  expect(shownStatus(status, stored, isRead)).toBe(shown);
});
