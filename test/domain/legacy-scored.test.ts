import { describe, expect, test } from '@jest/globals';
import { readPages, type Scorer } from '../../domain/legacy/extract.ts';
import { KINDS, ROLES, type Kind, type Role } from '../../domain/legacy/scored.ts';
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
