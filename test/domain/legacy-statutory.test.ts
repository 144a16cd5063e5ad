import { statutoryAmounts } from '../../domain/legacy/statutory.ts';

const paid = { gross: 300_000, tax: 39_020, ni: 15_616, pension: null, code: '1257L' };

describe('tax and NI', () => {
  // The first row is the example of the UK facts. The others follow from the thresholds for category A.
  test.each([
    ['of a month', paid],
    ['of a week', { gross: 60_000, tax: 7_160, ni: 2_864, pension: null, code: '1257L' }],
    ['above the upper earnings limit', { gross: 500_000, tax: 95_200, ni: 26_750, pension: null, code: '1257L' }],
    ['with the code BR', { ...paid, tax: 60_000, code: 'BR' }],
    ['of which a pension lowers the tax only', { ...paid, tax: 36_020, pension: 15_000 }],
    ['of 2023', { ...paid, ni: 23_424 }],
  ])('%s are statutory', (_, amounts) => {
    expect(statutoryAmounts(amounts)).toEqual({ tax: true, ni: true });
  });

  test.each([
    ['swapped', { ...paid, tax: 15_616, ni: 39_020 }, { tax: false, ni: false }],
    ['with a misread digit', { ...paid, ni: 15_676 }, { tax: false, ni: false }],
    ['with another tax', { ...paid, tax: 39_520 }, { tax: false, ni: true }],
    ['with a Scottish code', { ...paid, code: 'S1257L' }, { tax: false, ni: true }],
    ['without NI', { ...paid, ni: null }, { tax: false, ni: false }],
    ['with NI of zero', { ...paid, gross: 90_000, ni: 0 }, { tax: false, ni: false }],
  ])('%s are not, or nothing is said of them', (_, amounts, expected) => {
    expect(statutoryAmounts(amounts)).toEqual(expected);
  });
});
