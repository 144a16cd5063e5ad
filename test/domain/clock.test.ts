import fc from 'fast-check';
import { clockMoveOf, firstsPassed, requireMove } from '../../domain/clock.ts';
import { londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import { refusalOf } from '../helpers/refusal.ts';

const at = (instant: string) => new Date(instant);

describe('clockMoveOf', () => {
  test('accepts a duration or an instant', () => {
    expect(clockMoveOf({ advance: 'P31D' })).toEqual({ advance: 'P31D' });
    expect(clockMoveOf({ now: '2027-01-01T00:00:00+01:00' })).toEqual({ now: at('2026-12-31T23:00:00Z') });
  });

  test.each([
    [{}, '/advance'],
    [{ advance: 'P1D', now: '2027-01-01T00:00:00Z' }, '/now'],
    [{ now: '2027-01-01T23:59:61Z' }, '/now'],
  ])('refuses %p at %s', (given, pointer) => {
    expect(refusalOf(() => clockMoveOf(given))).toMatchObject({
      code: 'invalid-request',
      extra: { errors: [{ pointer }] },
    });
  });
});

describe('requireMove', () => {
  const from = at('2026-11-21T12:00:00.000Z');

  test.each(['2026-11-21T12:00:00.001Z', '2026-12-22T12:00:00Z', '2036-11-21T12:00:00Z'])(
    'accepts a move to %s',
    (to) => {
      expect(() => requireMove(from, at(to))).not.toThrow();
    },
  );

  test.each(['2026-11-21T12:00:00.000Z', '2026-11-21T11:59:59.999Z', '1970-01-01T00:00:00Z'])(
    'refuses a move that is not forward: %s',
    (to) => {
      expect(refusalOf(() => requireMove(from, at(to)))).toMatchObject({
        code: 'clock-not-forward',
        extra: { now: '2026-11-21T12:00:00.000Z' },
      });
    },
  );

  test('moves at most ten years at once, and never beyond 2100', () => {
    expect(refusalOf(() => requireMove(from, at('2037-01-01T00:00:00Z')))).toMatchObject({
      code: 'clock-too-far',
      extra: { latest: '2036-11-22T12:00:00.000Z' },
    });
    const late = at('2095-01-01T00:00:00Z');
    expect(() => requireMove(late, at('2100-12-31T23:59:59.999Z'))).not.toThrow();
    expect(refusalOf(() => requireMove(late, at('2101-01-01T00:00:00Z')))).toMatchObject({
      code: 'clock-too-far',
      extra: { latest: '2100-12-31T23:59:59.999Z' },
    });
  });
});

describe('firstsPassed', () => {
  test.each([
    ['2026-11-21T12:00:00Z', '2026-11-30T23:59:59.999Z', []],
    ['2026-11-21T12:00:00Z', '2026-12-01T00:00:00Z', ['2026-12-01']],
    ['2026-12-01T00:00:00Z', '2026-12-31T23:00:00Z', []],
    ['2026-11-21T12:00:00Z', '2027-02-01T02:00:00Z', ['2026-12-01', '2027-01-01', '2027-02-01']],
    // In summer a day in London begins at 23:00 UTC.
    ['2027-05-21T12:00:00Z', '2027-05-31T22:59:59.999Z', []],
    ['2027-05-21T12:00:00Z', '2027-05-31T23:00:00Z', ['2027-06-01']],
    ['2027-05-31T23:00:00Z', '2027-06-30T22:00:00Z', []],
    ['2028-01-31T12:00:00Z', '2028-03-01T00:00:00Z', ['2028-02-01', '2028-03-01']],
  ])('from %s to %s: %p', (from, to, firsts) => {
    expect(firstsPassed(at(from), at(to))).toEqual(firsts);
  });

  test('two moves pass the same first days of months as one', () => {
    const instants = fc
      .date({ min: at('2020-01-01T00:00:00Z'), max: at('2040-12-31T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.getTime());
    fc.assert(
      fc.property(fc.tuple(instants, instants, instants), (unordered) => {
        const sorted = unordered.toSorted((a, b) => a - b).map((ms) => new Date(ms));
        const [first, second, third] = sorted as [Date, Date, Date];
        const all = firstsPassed(first, third);
        expect([...firstsPassed(first, second), ...firstsPassed(second, third)]).toEqual(all);
        for (const day of all) {
          expect(day).toMatch(/-01$/);
          expect(startOfLondonDay(day) > first || londonDateOf(first) < day).toBe(true);
          expect(startOfLondonDay(day) <= third).toBe(true);
        }
      }),
    );
  });
});
