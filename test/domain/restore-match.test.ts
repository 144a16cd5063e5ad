import fc from 'fast-check';
import { matchDebits, type Bookable, type Debit } from '../../domain/restore/match.ts';

const RENT = { account: 'house', amount: 95_000, words: 'RENT to A', sentOn: '2026-11-20' };
const payment = (paymentId: string, more: Partial<Bookable> = {}): Bookable => ({ ...RENT, paymentId, ...more });
const debit = (id: string, more: Partial<Debit> = {}): Debit => ({
  ...{ id, account: 'house', amount: 95_000, bookedOn: '2026-11-21', names: [], says: new Set(['RENT to A']) },
  ...more,
});
const found = (payments: Bookable[], debits: Debit[]) => {
  const matched = matchDebits(payments, debits);
  return { found: Object.fromEntries(matched.found), left: matched.unexplained.map(({ id }) => id) };
};

describe('a debit of the statement is the payment', () => {
  const NOBODY = { names: ['pay_lost'] };
  test.each<[string, Bookable[], Debit[], object]>([
    ['that it says, if only one can be', [payment('p')], [debit('d')], { found: { p: 'd' }, left: [] }],
    [
      'whose id it names, on any day',
      [payment('p')],
      [debit('d', { names: ['p'], bookedOn: '2026-12-24' })],
      { found: { p: 'd' }, left: [] },
    ],
    [
      'whose id it names, once',
      [payment('p')],
      [debit('d', { names: ['p'] }), debit('e', { names: ['p'] })],
      { found: { p: 'd' }, left: ['e'] },
    ],
    ['not with another amount', [payment('p')], [debit('d', { names: ['p'], amount: 1 })], { found: {}, left: ['d'] }],
    ['not if it names another', [payment('p')], [debit('d', NOBODY)], { found: {}, left: ['d'] }],
    ['not with other words', [payment('p')], [debit('d', { says: new Set(['GAS']) })], { found: {}, left: ['d'] }],
    ['not of another account', [payment('p')], [debit('d', { account: 'other' })], { found: {}, left: ['d'] }],
    ['not before it was sent', [payment('p')], [debit('d', { bookedOn: '2026-11-18' })], { found: {}, left: ['d'] }],
    ['not a month later', [payment('p')], [debit('d', { bookedOn: '2026-12-21' })], { found: {}, left: ['d'] }],
    [
      'of two that are not alike, neither',
      [payment('p'), payment('q', { words: 'RENT to B' })],
      [debit('d', { says: new Set(['RENT to A', 'RENT to B']) })],
      { found: {}, left: ['d'] },
    ],
    [
      'not by words, if the payment has none',
      [payment('p', { words: null })],
      [debit('d')],
      { found: {}, left: ['d'] },
    ],
    [
      'of one that is booked already, not of the one in doubt',
      [payment('done', { sentOn: '2026-11-15' }), payment('p')],
      [debit('d', { bookedOn: '2026-11-15' })],
      { found: { done: 'd' }, left: [] },
    ],
  ])('%s', (_case, payments, debits, expected) => {
    expect(found(payments, debits)).toEqual(expected);
  });

  test('that nobody else has, whatever the order', () => {
    const day = fc.integer({ min: 10, max: 28 }).map((of) => `2026-11-${of}`);
    const words = fc.constantFrom('a', 'b');
    const payments = fc.array(fc.record({ words, sentOn: day, amount: fc.integer({ min: 1, max: 2 }) }), {
      maxLength: 6,
    });
    const debits = fc.array(fc.record({ says: words, bookedOn: day, amount: fc.integer({ min: 1, max: 2 }) }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(payments, debits, (wanted, booked) => {
        const given = wanted.map((one, index) => payment(`p${index}`, one));
        const seen = booked.map((one, index) => debit(`d${index}`, { ...one, says: new Set([one.says]) }));
        const { found: taken, unexplained } = matchDebits(given, seen);
        const used = [...taken.values()];
        expect(new Set(used).size).toBe(used.length);
        expect(used.length + unexplained.length).toBe(seen.length);
        const turned = matchDebits(given.toReversed(), seen.toReversed());
        expect(new Set(turned.unexplained.map(({ id }) => id))).toEqual(new Set(unexplained.map(({ id }) => id)));
        for (const [paymentId, id] of taken) {
          const [one, other] = [given.find((row) => row.paymentId === paymentId)!, seen.find((row) => row.id === id)!];
          expect([other.amount, other.says.has(one.words!)]).toEqual([one.amount, true]);
        }
      }),
    );
  });
});
