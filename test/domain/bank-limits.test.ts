import fc from 'fast-check';
import { beyondConsent, consentMonth, requireWithinConsent } from '../../domain/bank/limits.ts';
import { addDays, londonDateOf } from '../../domain/dates.ts';

test.each([
  ['2026-05-10', '2026-05-10T12:00:00Z', '2026-05-10', '2026-06-09'],
  ['2026-05-10', '2026-06-09T12:00:00Z', '2026-05-10', '2026-06-09'],
  ['2026-05-10', '2026-06-10T12:00:00Z', '2026-06-10', '2026-07-09'],
  ['2026-05-10', '2027-05-09T12:00:00Z', '2027-04-10', '2027-05-09'],
  ['2026-01-01', '2026-12-31T12:00:00Z', '2026-12-01', '2026-12-31'],
  // Shorter months begin on their last day, and the day comes back after them.
  ['2026-01-31', '2026-02-27T12:00:00Z', '2026-01-31', '2026-02-27'],
  ['2026-01-31', '2026-02-28T12:00:00Z', '2026-02-28', '2026-03-30'],
  ['2026-01-31', '2026-03-31T12:00:00Z', '2026-03-31', '2026-04-29'],
  ['2026-01-31', '2026-04-30T12:00:00Z', '2026-04-30', '2026-05-30'],
  ['2027-12-30', '2028-02-28T12:00:00Z', '2028-01-30', '2028-02-28'],
  ['2027-12-30', '2028-02-29T12:00:00Z', '2028-02-29', '2028-03-29'],
  ['2028-02-29', '2029-02-28T12:00:00Z', '2029-02-28', '2029-03-28'],
  // In summer, a day in London begins at 23:00 UTC, and from the last Sunday of October on at midnight.
  ['2026-03-29', '2026-03-29T00:30:00Z', '2026-03-29', '2026-04-28'],
  ['2026-03-29', '2026-04-28T22:59:00Z', '2026-03-29', '2026-04-28'],
  ['2026-03-29', '2026-04-28T23:00:00Z', '2026-04-29', '2026-05-28'],
  ['2026-09-25', '2026-10-24T22:59:00Z', '2026-09-25', '2026-10-24'],
  ['2026-09-25', '2026-10-24T23:00:00Z', '2026-10-25', '2026-11-24'],
  ['2026-09-25', '2026-11-24T23:59:00Z', '2026-10-25', '2026-11-24'],
])('of a consent that began on %s, %s is in the month from %s to %s', (startsOn, instant, from, to) => {
  expect(consentMonth(startsOn, londonDateOf(new Date(instant)))).toEqual({ from, to });
});

/** `PeriodAlignment` `Consent` in other words: a month begins where the day of the month is the first day's, or the month ends. */
function isFirst(startsOn: string, day: string): boolean {
  const [wanted, is] = [startsOn, day].map((date) => Number(date.slice(8)));
  return is === wanted || (is! < wanted! && addDays(day, 1).endsWith('-01'));
}

test('the months of a consent follow each other without a gap or an overlap, each day in one', () => {
  const days = fc.integer({ min: 0, max: 3_000 }).map((count) => addDays('2024-01-01', count));
  fc.assert(
    fc.property(days, (startsOn) => {
      let month = consentMonth(startsOn, startsOn);
      expect(month.from).toBe(startsOn);
      for (let day = startsOn, count = 0; count < 800; count += 1, day = addDays(day, 1)) {
        const of = consentMonth(startsOn, day);
        if (day > startsOn && isFirst(startsOn, day)) {
          expect([month.to, of.from]).toEqual([addDays(day, -1), day]);
          month = of;
        }
        expect(of).toEqual(month);
      }
    }),
    { numRuns: 40 },
  );
});

test.each([
  ['the last penny of one payment', { amount: 50, used: 0 }, null],
  ['a penny more than one payment', { amount: 51, used: 0 }, { limit: 50, used: 0, available: 50 }],
  ['the last penny of the month', { amount: 30, used: 70 }, null],
  ['a penny more than the month', { amount: 31, used: 70 }, { limit: 100, used: 70, available: 30 }],
  ['a penny after more than the month', { amount: 1, used: 101 }, { limit: 100, used: 101, available: 0 }],
])('of 50 for a payment and 100 for a month, %s: %j is beyond by %j', (_what, wanted, beyond) => {
  const limits = { perPayment: 50, perMonth: 100, ...wanted };
  expect(beyondConsent(limits)).toEqual(beyond);
  const refused = expect(() => requireWithinConsent(limits));
  if (beyond === null) refused.not.toThrow();
  else refused.toThrow(expect.objectContaining({ code: 'exceeds-consent-limit', extra: beyond }) as Error);
});
