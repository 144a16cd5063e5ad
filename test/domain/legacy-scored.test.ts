import { readPages, type Scorer } from '../../domain/legacy/extract.ts';
import { KINDS, ROLES, type Kind, type Role } from '../../domain/legacy/scored.ts';
import { statutoryAmounts } from '../../domain/legacy/statutory.ts';
import { sheetOf } from '../../domain/legacy/cells.ts';
import { tokensOf } from '../../domain/legacy/features.ts';
import { typed } from '../helpers/legacy-pages.ts';

/** Only the test's scorer knows these labels. */
const STRANGE = `
Brambleside Joinery

Widgets made        1,800.00
Crown's portion       162.20
Stamp                  60.16
Old age pot            90.00
In your hand        1,487.64
`;
function scorerOf(text: string, roles: Record<string, readonly [Role, number]>, kind: Kind = 'payslip'): Scorer {
  const tokens = tokensOf(sheetOf(typed(text)));
  return async () => {
    const scores = new Float32Array(tokens.length * ROLES.length);
    tokens.forEach((token, at) => {
      const [role, probability] = roles[token.text] ?? (['none', 1] as const);
      scores[at * ROLES.length + ROLES.indexOf(role)] = probability;
      if (role !== 'none') scores[at * ROLES.length] = 1 - probability;
    });
    return { roles: scores, kinds: Float32Array.from(KINDS, (one) => (one === kind ? 0.99 : 0.0025)) };
  };
}

const RIGHT = {
  '1,800.00': ['gross', 0.98],
  '162.20': ['tax', 0.98],
  '60.16': ['ni', 0.98],
  '90.00': ['pension', 0.98],
  '1,487.64': ['net', 0.98],
  Brambleside: ['employer', 0.99],
  Joinery: ['employer', 0.99],
} as const satisfies Record<string, readonly [Role, number]>;

const read = (text: string, roles: Record<string, readonly [Role, number]>, kind?: Kind) =>
  readPages([typed(text)], undefined, scorerOf(text, roles, kind));

describe('the reader of a page', () => {
  test('takes the amounts that the scorer names, and confirms them by sums that agree', async () => {
    expect(await read(STRANGE, RIGHT)).toMatchObject({
      document_type: 'payslip',
      employer_name: { value: 'Brambleside Joinery' },
      gross_pay: { value: 180_000, confidence: 0.99 },
      tax_deducted: { value: 16_220, confidence: 0.99 },
      ni_deducted: { value: 6_016, confidence: 0.99 },
      pension_deducted: { value: 9_000, confidence: 0.99 },
      net_pay: { value: 148_764, confidence: 0.99 },
      confidence: 0.99,
    });
  });

  test('gives no amount a confidence that can move money if the sums do not agree', async () => {
    const { '90.00': _pension, ...rest } = RIGHT;
    const reading = await read(STRANGE.replace('1,487.64', '1,403.11'), { ...rest, '1,403.11': ['net', 0.98] });
    expect(reading!.net_pay).toMatchObject({ value: 140_311 });
    expect(reading!.net_pay!.confidence).toBeLessThan(0.8);
    expect(reading!.confidence).toBeLessThan(0.8);
  });

  test('does not accept a page of another kind', async () => {
    expect(await read(STRANGE, RIGHT, 'other')).toBeNull();
  });

  test('marks a register of several employees', async () => {
    expect(await read(STRANGE, RIGHT, 'register')).toMatchObject({ register_likely: true });
  });

  test('does not make a payslip from two amounts that the scorer doubts', async () => {
    expect(await read(STRANGE, { '1,800.00': ['gross', 0.6], '1,487.64': ['net', 0.6] })).toBeNull();
  });
});

test('does not take a doubtful pension if the sums agree without it', async () => {
  const roles = { ...RIGHT, '90.00': ['pension', 0.6] } as const;
  const text = STRANGE.replace('1,487.64', '1,577.64');
  expect((await read(text, { ...roles, '1,577.64': ['net', 0.98] }))!.pension_deducted).toBeNull();
});

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
