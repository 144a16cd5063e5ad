import { doubtsOf, incomeOf } from '../../domain/documents.ts';
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

describe('the income on a document', () => {
  const net_pay = { value: pence(148_764), confidence: 0.95, page: 1 };

  test.each([[[]], [['low-confidence']], [['pension-uncertain', 'page-limit']]] as const)(
    'is its net pay with the reasons %j',
    (review_reasons) => {
      expect(incomeOf({ net_pay, confidence: 0.85, review_reasons })).toBe(148_764);
    },
  );

  test.each([
    [0.79, []],
    [0.99, ['specimen']],
    [0.99, ['register']],
    [0.99, ['several-payslips']],
  ] as const)('is refused with a confidence of %d and the reasons %j', (confidence, review_reasons) => {
    expect(() => incomeOf({ net_pay, confidence, review_reasons })).toThrow(
      expect.objectContaining({ code: 'document-confidence-too-low' }),
    );
  });
});
