import fc from 'fast-check';
import { addDays, isCalendarDate, londonDateOf, startOfLondonDay } from '../../domain/dates.ts';

const dates = fc
  .date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2090-12-31T00:00:00Z'), noInvalidDate: true })
  .map((instant) => instant.toISOString().slice(0, 10));

test.each([
  ['2026-01-15T00:00:00Z', '2026-01-15'],
  ['2026-01-14T23:59:59.999Z', '2026-01-14'],
  ['2026-07-14T22:59:59.999Z', '2026-07-14'],
  ['2026-07-14T23:00:00Z', '2026-07-15'],
  // Clocks go forward at 01:00 UTC on 29 March and back at 01:00 UTC on 25 October.
  ['2026-03-29T00:59:59Z', '2026-03-29'],
  ['2026-03-29T23:00:00Z', '2026-03-30'],
  ['2026-10-24T23:00:00Z', '2026-10-25'],
  ['2026-10-25T23:30:00Z', '2026-10-25'],
])('at %s it is %s in London', (instant, date) => {
  expect(londonDateOf(new Date(instant))).toBe(date);
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

test('the first instant of a day is of that day, and the one before it is of the day before', () => {
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
])('%s and %i days is %s', (date, days, expected) => {
  expect(addDays(date, days)).toBe(expected);
});

test('days that are added can be taken off again', () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: -10_000, max: 10_000 }), (date, days) => {
      expect(addDays(addDays(date, days), -days)).toBe(date);
    }),
  );
});

test.each(['2026-02-28', '2028-02-29', '2000-02-29', '2026-12-31'])('%s is a date', (text) => {
  expect(isCalendarDate(text)).toBe(true);
});

test.each([
  '2026-02-29',
  '1900-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '2026-1-1',
  '',
  '2026-01-01T00:00:00Z',
  '20260101',
])('"%s" is none', (text) => {
  expect(isCalendarDate(text)).toBe(false);
});
