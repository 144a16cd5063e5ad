import fc from 'fast-check';
import {
  addDays,
  addMonths,
  daysBetween,
  isCalendarDate,
  londonDateOf,
  startOfLondonDay,
  wholeMonths,
} from '../../domain/dates.ts';

const dates = fc
  .date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2090-12-31T00:00:00Z'), noInvalidDate: true })
  .map((instant) => instant.toISOString().slice(0, 10));

test.each([
  ['2026-01-15T00:00:00Z', '2026-01-15'],
  ['2026-01-14T23:59:59.999Z', '2026-01-14'],
  ['2026-07-14T22:59:59.999Z', '2026-07-14'],
  ['2026-07-14T23:00:00Z', '2026-07-15'],
  // London's clocks change at 01:00 UTC on 29 March and 25 October.
  ['2026-03-29T00:59:59Z', '2026-03-29'],
  ['2026-03-29T23:00:00Z', '2026-03-30'],
  ['2026-10-24T23:00:00Z', '2026-10-25'],
  ['2026-10-25T23:30:00Z', '2026-10-25'],
])('at %s it is %s in London', (instant, date) => {
  expect(londonDateOf(new Date(instant))).toBe(date);
});

test('an instant’s date is the date that the time zone database gives for London', () => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London', dateStyle: 'short' });
  const instants = fc.date({ min: new Date('1960-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  fc.assert(fc.property(instants, (instant) => expect(londonDateOf(instant)).toBe(format.format(instant))));
});

test.each([
  ['2026-01-15', '2026-01-15T00:00:00.000Z'],
  ['2026-07-15', '2026-07-14T23:00:00.000Z'],
  ['2026-03-29', '2026-03-29T00:00:00.000Z'],
  ['2026-03-30', '2026-03-29T23:00:00.000Z'],
  ['2026-10-25', '2026-10-24T23:00:00.000Z'],
  ['2026-10-26', '2026-10-26T00:00:00.000Z'],
])('the day %s begins at %s', (date, instant) => {
  expect(startOfLondonDay(date).toISOString()).toBe(instant);
});

test('a day’s first instant is on that day, and the previous instant is on the previous day', () => {
  fc.assert(
    fc.property(dates, (date) => {
      const start = startOfLondonDay(date);
      expect(londonDateOf(start)).toBe(date);
      expect(londonDateOf(new Date(start.getTime() - 1))).toBe(addDays(date, -1));
    }),
  );
});

test.each([
  ['2026-02-28', 1, '2026-03-01'],
  ['2028-02-28', 1, '2028-02-29'],
  ['2026-03-29', 1, '2026-03-30'],
  ['2026-01-01', -1, '2025-12-31'],
  ['2026-01-01', 365, '2027-01-01'],
])('%s plus %i days is %s', (date, days, expected) => {
  expect(addDays(date, days)).toBe(expected);
});

test('adding and then subtracting days gives the same date', () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: -10_000, max: 10_000 }), (date, days) => {
      expect(addDays(addDays(date, days), -days)).toBe(date);
    }),
  );
});

test.each([
  ['2026-01-31', 1, '2026-02-28'],
  ['2028-01-31', 1, '2028-02-29'],
  ['2026-01-31', 2, '2026-03-31'],
  ['2026-01-31', 3, '2026-04-30'],
  ['2026-11-21', 2, '2027-01-21'],
  ['2026-12-31', 1_200, '2126-12-31'],
  ['2028-02-29', 12, '2029-02-28'],
  ['2026-03-31', -1, '2026-02-28'],
  ['2026-01-15', -1, '2025-12-15'],
  ['2026-05-05', 0, '2026-05-05'],
])('%s plus %i months is %s', (date, months, expected) => {
  expect(addMonths(date, months)).toBe(expected);
});

test.each([
  ['2026-01-31', '2026-02-27', 0],
  ['2026-01-31', '2026-02-28', 1],
  ['2026-01-31', '2026-03-30', 1],
  ['2026-01-31', '2026-03-31', 2],
  ['2026-11-21', '2026-11-21', 0],
  ['2026-11-21', '2026-11-20', 0],
  ['2026-11-21', '2020-01-01', 0],
  ['2026-11-21', '2027-11-20', 11],
  ['2026-11-21', '2027-11-21', 12],
])('from %s to %s there are %i whole months', (from, to, expected) => {
  expect(wholeMonths(from, to)).toBe(expected);
});

test('whole months are the most months that can be added without passing the date', () => {
  fc.assert(
    fc.property(dates, fc.nat(4_000), (from, days) => {
      const to = addDays(from, days);
      const months = wholeMonths(from, to);
      expect(addMonths(from, months) <= to).toBe(true);
      expect(addMonths(from, months + 1) > to).toBe(true);
      expect(daysBetween(from, to)).toBe(days);
    }),
  );
});

test.each(['2026-02-28', '2028-02-29', '2000-02-29', '2026-12-31'])('%s is a date', (text) => {
  expect(isCalendarDate(text)).toBe(true);
});

test.each([
  ...['2026-02-29', '1900-02-29', '0000-01-01', '2026-13-01', '2026-00-10', '2026-04-31'],
  ...['2026-1-1', '', '2026-01-01T00:00:00Z', '20260101'],
])('"%s" is not a date', (text) => {
  expect(isCalendarDate(text)).toBe(false);
});
