import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withOcr } from '../helpers/ocr.ts';
import { checksOf, CONFIDENT } from '../../tools/payslips/checks.ts';
import { ALL_LAYOUTS, makeDocument } from '../../tools/payslips/index.ts';

const MOST_MODEL_BYTES = 5_000_000;
const MOST_UPLOAD_BYTES = 5_242_880;
/** The reader misreads or misses these fields, and is not confident. */
const DOUBTFUL = ['sage-artwork: pay_period', 'mailer: pension_deducted', 'care: employer_name'];

const ocr = withOcr();

test('the model has at most 5 MB', () => {
  expect(statSync(new URL('../../infra/documents/scorer.onnx', import.meta.url)).size).toBeLessThan(MOST_MODEL_BYTES);
});

// onnxruntime does not accept the arrays of jest's environment, and jest's globals slow down work on pixels.
const run = async (...args: string[]) => (await promisify(execFile)(process.execPath, args)).stdout;

test('of random payslips that the model was not trained on, 95 % of the amounts are right, and no amount with high confidence is wrong', async () => {
  const found = JSON.parse(await run('tools/training/check.ts', '--count', '150')) as Record<string, unknown>;
  const { all, right, surelyWrong } = found as { all: number; right: number; surelyWrong: string[] };
  expect(all).toBeGreaterThan(100);
  expect(right / all).toBeGreaterThanOrEqual(0.95);
  expect(surelyWrong).toEqual([]);
});

describe('the generated documents', () => {
  test('each layout has a unique name, and none is in two sets', () => {
    expect(new Set(ALL_LAYOUTS.map(({ name }) => name)).size).toBe(ALL_LAYOUTS.length);
  });

  test.each(ALL_LAYOUTS.map(({ name }) => name))(
    'in the layout %s are read right, and have only the reasons for a review that their confidence gives',
    async (layout) => {
      const { bytes, truth } = await makeDocument({ layout, seed: 11, form: 'text' });
      const { outcome } = await ocr.read(bytes);
      if (outcome.kind !== 'read') throw new Error(outcome.code);
      const wrong = checksOf(truth, outcome).filter(({ isRight }) => !isRight);
      expect(wrong.filter(({ confidence }) => confidence >= CONFIDENT)).toEqual([]);
      expect(DOUBTFUL).toEqual(expect.arrayContaining(wrong.map(({ field }) => `${layout}: ${field}`)));
      const { confidence, pension_deducted, pension_doubted, review_reasons } = outcome.reading;
      const doubts = [
        ...(confidence < CONFIDENT ? ['low-confidence'] : []),
        ...((pension_deducted?.confidence ?? 1) < CONFIDENT || pension_doubted ? ['pension-uncertain'] : []),
      ];
      expect(review_reasons).toEqual(doubts);
    },
  );

  test('the same arguments give the same bytes and content, below the upload limit', async () => {
    const [first, second] = await Promise.all([written(), written()]);
    expect(first.size).toBe(2);
    for (const [name, bytes] of first) {
      expect(second.get(name)!.equals(bytes)).toBe(true);
      expect(bytes.length).toBeLessThan(MOST_UPLOAD_BYTES);
    }
  });
});

/** Writes a photo, the form with the most flaws, and its truth. */
async function written(): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-payslips-'));
  try {
    await run('tools/payslips/write.ts', folder, '--layout', 'brightpay', '--form', 'photo');
    const names = await readdir(folder);
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the payslip of the demo is read by its text, exactly and with confidence, and needs no review', async () => {
  const bytes = await readFile(new URL('../../programs/demo/payslip.pdf', import.meta.url));
  const { outcome } = await ocr.read(bytes);
  expect(outcome).toMatchObject({
    kind: 'read',
    by: 'text',
    reading: {
      employer_name: { value: 'Example Street Bakery Ltd' },
      pay_period: { value: 'October 2026' },
      gross_pay: { value: 375_553 },
      net_pay: { value: 284_735 },
      tax_deducted: { value: 50_380 },
      ni_deducted: { value: 21_660 },
      pension_deducted: { value: 18_778 },
      tax_year: { value: '2026-27' },
      review_reasons: [],
    },
  });
});
