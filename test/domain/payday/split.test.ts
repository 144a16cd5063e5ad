import { pence } from '../../../domain/money.ts';
import { coveredBy } from '../../../domain/payday/split.ts';

test.each([
  ['all to the penny', 600, [100, 500], 2],
  ['a penny too little: not the last one', 599, [100, 500], 1],
  ['the last one would fit alone, but the one before it does not', 150, [100, 500, 50], 1],
  ['less than the first', 99, [100], 0],
  ['no entries', 100, [], 0],
])('a wage covers entries from the beginning of the list: %s', (_what, wage, amounts, covered) => {
  expect(coveredBy(pence(wage), amounts.map(pence))).toBe(covered);
});
