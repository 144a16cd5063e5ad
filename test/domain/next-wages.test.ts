import { nextWageDays } from '../../domain/bank/next-wages.ts';
import { addDays } from '../../domain/dates.ts';

const expected = (wages: readonly string[], from: string, to: string, others: readonly string[] = []) =>
  nextWageDays({ wages, credits: [...wages, ...others] }, { from, to });
const every = (days: number, count: number, last: string) =>
  Array.from({ length: count }, (_, index) => addDays(last, -days * index));

test.each([
  ['weekly', every(7, 3, '2026-10-02'), ['2026-10-09', '2026-10-16', '2026-10-23', '2026-10-30']],
  ['weekly for long, which is fortnightly too', every(7, 50, '2026-10-02'), every(7, 4, '2026-10-30').reverse()],
  ['fortnightly', every(14, 3, '2026-10-02'), ['2026-10-16', '2026-10-30']],
  ['four-weekly', every(28, 4, '2026-10-02'), ['2026-10-30']],
  ['monthly, though each month is nearly four weeks', ['2026-07-31', '2026-08-28', '2026-09-30'], ['2026-10-31']],
  ['monthly by the calendar', ['2026-07-16', '2026-08-16', '2026-09-16'], ['2026-10-16']],
  [
    'with a late one, from which it goes on, and the next one late too',
    ['2026-09-11', '2026-09-18', '2026-09-27'],
    ['2026-10-05', '2026-10-11', '2026-10-18', '2026-10-25', '2026-11-01'],
  ],
  [
    'weekly at first, now monthly',
    [...every(7, 9, '2026-06-26'), '2026-07-20', '2026-08-20', '2026-09-20'],
    ['2026-10-20'],
  ],
  ['two credits are no rhythm', every(7, 2, '2026-10-02'), []],
  ['no rhythm', ['2026-08-01', '2026-08-12', '2026-09-25', '2026-10-01'], []],
  ['a rhythm that the payer gave up', [...every(7, 3, '2026-08-14'), '2026-09-16', '2026-10-01'], []],
  ['nothing for 92 days', every(7, 3, '2026-07-04'), []],
])('credits of the past, %s, say when the next ones come', (_, wages, days) => {
  expect(expected(wages, '2026-10-05', '2026-11-01')).toEqual(days);
});

test('who is paid on the last day of each month is paid on the 31st again after February', () => {
  const wages = ['2027-12-31', '2028-01-31', '2028-02-29'];
  expect(expected(wages, '2028-03-01', '2028-05-31')).toEqual(['2028-03-31', '2028-04-30', '2028-05-31']);
});

test.each([
  ['is expected today, unless it came', '2026-10-09', [], ['2026-10-09', '2026-10-16']],
  ['came today', '2026-10-09', ['2026-10-09'], ['2026-10-16']],
  ['is two days late', '2026-10-11', [], ['2026-10-11', '2026-10-16']],
  ['is too late, and is expected no more', '2026-10-12', [], ['2026-10-16']],
  ['came a day early, with an unusual amount', '2026-10-09', ['2026-10-08'], ['2026-10-16']],
])('a weekly wage of 9 October that %s', (_, today, others, days) => {
  expect(expected(every(7, 3, '2026-10-02'), today, '2026-10-20', others)).toEqual(days);
});
