import { doubtsOf } from '../../domain/documents.ts';
import { pence } from '../../domain/money.ts';

const pension = (confidence: number) => ({ value: pence(15_000), confidence, page: 1 });

test.each([
  [0.9, pension(0.9), []],
  [0.9, null, []],
  [0.89, pension(0.99), ['low-confidence']],
  [0.99, pension(0.89), ['pension-uncertain']],
  [0, pension(0), ['low-confidence', 'pension-uncertain']],
])('a confidence of %d and a pension of %j give %j', (confidence, pension_deducted, reasons) => {
  expect(doubtsOf({ confidence, pension_deducted })).toEqual(reasons);
});
