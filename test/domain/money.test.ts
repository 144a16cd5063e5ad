import fc from 'fast-check';
import { exact, least, MAX_AMOUNT, pence, ratioOf, roundHalfUp, share, sum } from '../../domain/money.ts';

const amounts = fc.integer({ min: 0, max: MAX_AMOUNT }).map(pence);
const rates = fc
  .integer({ min: 0, max: 10_000 })
  .map((tenThousandths) => exact(tenThousandths).dividedBy(10_000).toFixed(4));

describe('pence', () => {
  test.each([0, 1, -1, Number.MAX_SAFE_INTEGER])('accepts the whole number %p', (value) => {
    expect(pence(value)).toBe(value);
  });
  test.each([0.5, 1e-9, NaN, Infinity, -Infinity, 2 ** 53])('refuses %p', (value) => {
    expect(() => pence(value)).toThrow(RangeError);
  });
  test('a sum beyond exact numbers is refused', () => {
    expect(() => sum([pence(Number.MAX_SAFE_INTEGER), pence(1)])).toThrow(RangeError);
    expect(sum([])).toBe(0);
  });
  test('least returns the smaller of two', () => {
    expect(least(pence(3), pence(2))).toBe(2);
    expect(least(pence(2), pence(3))).toBe(2);
  });
});

describe('rounding', () => {
  test.each([
    ['0.4999999999', 0],
    ['0.5', 1],
    ['1.5', 2],
    ['2.5', 3],
    ['-0.5', -1],
    ['-2.4999', -2],
    ['1.005', 1],
    ['99999999999.5', 100_000_000_000],
  ])('%s becomes %i: halves round up', (value, rounded) => {
    expect(roundHalfUp(exact(value)) + 0).toBe(rounded);
  });

  test.each([
    [5, '0.1', 1],
    [4, '0.1', 0],
    [15, '0.1', 2],
    [25, '0.1', 3],
    [333, '0.3333', 111],
    [45, '0.0333', 1],
    // In binary floating point 1.15 x 100 is 114.99999999999999.
    [115, '1', 115],
    [MAX_AMOUNT, '0.9999', 99_990_000_000],
  ])('%i x %s is %i', (amount, ratio, expected) => {
    expect(share(pence(amount), ratio)).toBe(expected);
  });

  test('a share is what integer arithmetic says, to the penny', () => {
    fc.assert(
      fc.property(amounts, rates, (amount, rate) => {
        const numerator = BigInt(amount) * BigInt(rate.replace('.', ''));
        expect(share(amount, rate)).toBe(Number((numerator + 5_000n) / 10_000n));
      }),
    );
  });

  test('a share by a ratio up to 1 never exceeds the whole', () => {
    fc.assert(fc.property(amounts, rates, (amount, rate) => share(amount, rate) <= amount));
  });
});

describe('ratioOf', () => {
  test.each([
    [1, 3, 4, '0.3333'],
    [2, 3, 4, '0.6667'],
    [1, 20_000, 4, '0.0001'],
    [1, 20_001, 4, '0.0000'],
    [7, 7, 4, '1.0000'],
    [0, 7, 2, '0.00'],
    [5, 0, 4, '0.0000'],
  ])('%i of %i with %i decimals is %s', (part, whole, places, expected) => {
    expect(ratioOf(pence(part), pence(whole), places)).toBe(expected);
  });
});
