import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withOcr } from '../helpers/ocr.ts';
import { ALL_LAYOUTS, FORMS, makeDocument } from '../../tools/payslips/index.ts';
import { insuranceOn, makePay, SCHEMES, taxOn } from '../../tools/payslips/figures.ts';

const ocr = withOcr();

describe('the generated documents', () => {
  test('each layout has a unique name, and none is in two sets', () => {
    expect(new Set(ALL_LAYOUTS.map(({ name }) => name)).size).toBe(ALL_LAYOUTS.length);
  });

  test('the same arguments give the same bytes and content in every form, below the upload limit', async () => {
    // jest's globals slow down work on pixels.
    const [first, second] = await Promise.all([written('brightpay'), written('brightpay')]);
    expect([...first.keys()].toSorted()).toHaveLength(2 * FORMS.length);
    for (const [name, bytes] of first) {
      expect(second.get(name)?.equals(bytes)).toBe(true);
      expect(bytes.length).toBeLessThan(5_242_880);
    }
  });

  test('another seed gives other figures', async () => {
    const netOf = async (seed: number) => (await makeDocument({ layout: 'sap', seed, form: 'text' })).truth.net_pay;
    expect(await netOf(2)).not.toBe(await netOf(1));
  });
});

async function written(layout: string): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-payslips-'));
  try {
    await promisify(execFile)(process.execPath, ['tools/payslips/write.ts', folder, '--layout', layout]);
    const names = await readdir(folder);
    return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the content of payslips', () => {
  const pays = Array.from({ length: 400 }, (_, seed) => makePay(`sum:${seed}`));

  test('gross less deductions is net, and both are the sums of their lines', () => {
    for (const pay of pays) {
      const sum = (lines: readonly { amount: number }[]) => lines.reduce((total, { amount }) => total + amount, 0);
      expect(pay.gross).toBe(sum(pay.payments));
      expect(pay.totalDeductions).toBe(sum(pay.deductions));
      expect(pay.net).toBe(pay.gross - pay.totalDeductions);
      expect(pay.net).toBeGreaterThan(0);
    }
  });

  test('tax, National Insurance and pension are among the deductions', () => {
    for (const pay of pays) {
      const of = (...kinds: string[]) =>
        pay.deductions.reduce((total, { kind, amount }) => total + (kinds.includes(kind) ? amount : 0), 0);
      expect([pay.tax, pay.ni, pay.pension ?? 0]).toEqual([of('tax'), of('ni'), of('pension', 'avc')]);
    }
  });

  test('the year to date covers the period, unless tax was given back', () => {
    for (const pay of pays) {
      expect(pay.ytd.gross).toBeGreaterThanOrEqual(pay.gross);
      expect(pay.ytd.ni).toBeGreaterThanOrEqual(pay.ni);
      expect(pay.ytd.tax).toBeGreaterThanOrEqual(pay.tax);
      expect(pay.ytd.pension).toBeGreaterThanOrEqual(pay.pension ?? 0);
    }
  });

  test('payslips vary in frequency, tax code, pension, refunds and hours', () => {
    expect(new Set(pays.map(({ frequency }) => frequency)).size).toBe(4);
    expect(new Set(pays.map(({ taxCode }) => taxCode)).size).toBeGreaterThan(10);
    expect(pays.some(({ pension }) => pension === null)).toBe(true);
    expect(pays.some(({ tax }) => tax < 0)).toBe(true);
    expect(pays.some(({ payments }) => payments.some(({ kind }) => kind === 'sacrifice'))).toBe(true);
  });

  test('a month of £3,000 under 1257L and letter A has the tax and insurance of the rules', () => {
    expect([taxOn(300_000, '1257L', SCHEMES.monthly), insuranceOn(300_000, 'A', SCHEMES.monthly)]).toEqual([
      39_020, 15_616,
    ]);
  });
});

describe('the payslip of the demo', () => {
  test('is read by its text, exactly and with confidence', async () => {
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
      },
    });
  });
});
