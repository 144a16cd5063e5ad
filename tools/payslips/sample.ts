import { writeFile } from 'node:fs/promises';
import { row } from './parts.ts';
import { A4, newSheet } from './sheet.ts';
import { money } from './words.ts';

/*
 * Writes the payslip that the demo reads: `node tools/payslips/sample.ts [FILE]`, by default to
 * programs/demo/payslip.pdf.
 * The people are invented. The PAYE reference, NI number and postcode have forms that are never issued.
 * The amounts follow the rules for month 7 of 2026-27: code 1257L, NI letter A, 5 % pension before tax.
 */

const INK = '#16213a';
const SOFT = '#5d6880';
const ACCENT = '#1c6e5c';
const PALE = '#edf4f2';

type Entry = readonly [label: string, units: string, rate: string, amount: number, ytd: number];
/** Amounts are pence. */
const PAYMENTS: readonly Entry[] = [
  ['Basic pay', '', '', 333_333, 2_333_331],
  ['Early shift allowance', '', '', 30_000, 210_000],
  ['Overtime', '5.00', '24.44', 12_220, 63_544],
];
const DEDUCTIONS: readonly Entry[] = [
  ['PAYE tax', '', '', 50_380, 348_540],
  ['National Insurance', '', '', 21_660, 149_862],
  ['Pension (5 %)', '', '', 18_778, 130_344],
];
const EMPLOYER: readonly Entry[] = [
  ['Employer National Insurance', '', '', 50_078, 347_246],
  ['Employer pension (3 %)', '', '', 11_267, 78_207],
];

const now = (entries: readonly Entry[]) => entries.reduce((sum, [, , , amount]) => sum + amount, 0);
const ytd = (entries: readonly Entry[]) => entries.reduce((sum, [, , , , total]) => sum + total, 0);

export async function samplePayslip(): Promise<Buffer> {
  const sheet = newSheet({ size: A4, font: 'inter', fontSize: 9.5, producer: 'Ringfence demo' });
  sheet.box(0, 0, A4[0], 6, { fill: ACCENT });
  sheet.text(50, 66, 'Example Street Bakery Ltd', { size: 17, bold: true, colour: INK, font: 'source-serif' });
  sheet.text(50, 82, '1 Example Street, Sampletown, ZZ1 1ZZ', { size: 8.5, colour: SOFT });
  sheet.text(545, 66, 'Payslip', { size: 17, colour: ACCENT, align: 'right', font: 'source-serif' });
  sheet.text(545, 82, 'PAYE reference 000/EX123', { size: 8.5, colour: SOFT, align: 'right' });
  const facts: [string, string][] = [
    ['Employee', 'Ms Alex Example'],
    ['Employee number', '0042'],
    ['National Insurance number', 'QQ 12 34 56 C'],
    ['Tax code', '1257L'],
    ['Pay period', 'October 2026'],
    ['Pay date', '30 October 2026'],
    ['Tax year', '2026/27'],
    ['NI category', 'A'],
  ];
  sheet.box(50, 100, 495, 68, { fill: PALE, radius: 6 });
  facts.forEach(([label, value], n) => {
    const [x, y] = [64 + (n % 4) * 122, 118 + Math.floor(n / 4) * 30];
    sheet.text(x, y, label, { size: 7.5, colour: SOFT });
    sheet.text(x, y + 13, value, { bold: true, colour: INK });
  });
  const columns = [{ x: 58 }, { x: 310, align: 'right' }, { x: 370, align: 'right' }, { x: 455, align: 'right' }, { x: 537, align: 'right' }] as const; // prettier-ignore
  let y = 204;
  const section = (heads: readonly string[], entries: readonly Entry[], total?: string) => {
    row(sheet, y, columns, heads, { size: 8, bold: true, colour: ACCENT });
    sheet.line(50, y + 7, 545, y + 7, { stroke: ACCENT, thickness: 0.8 });
    y += 24;
    for (const [label, units, rate, amount, toDate] of entries) {
      row(sheet, y, columns, [label, units, rate, money(amount), money(toDate)], { colour: INK });
      sheet.line(50, y + 7, 545, y + 7, { stroke: '#e2e7ee', thickness: 0.5 });
      y += 21;
    }
    if (total !== undefined) {
      row(sheet, y, columns, [total, '', '', money(now(entries)), money(ytd(entries))], { bold: true, colour: INK });
      y += 21;
    }
    y += 18;
  };
  section(['Payments', 'Hours', 'Rate', 'This period', 'Year to date'], PAYMENTS, 'Gross pay');
  section(['Deductions', '', '', 'This period', 'Year to date'], DEDUCTIONS, 'Total deductions');
  sheet.box(50, y - 14, 495, 44, { fill: INK, radius: 6 });
  sheet.text(64, y + 13, 'Net pay', { size: 13, bold: true, colour: '#ffffff' });
  const net = now(PAYMENTS) - now(DEDUCTIONS);
  sheet.text(455, y + 13, money(net, { pound: true }), { size: 14, bold: true, colour: '#ffffff', align: 'right' });
  sheet.text(537, y + 13, money(ytd(PAYMENTS) - ytd(DEDUCTIONS)), { size: 9, colour: '#c9d3e6', align: 'right' });
  y += 66;
  section(['Paid by your employer', '', '', 'This period', 'Year to date'], EMPLOYER);
  sheet.text(50, y, 'Paid by bank transfer to the account ending 5678.', { size: 8.5, colour: SOFT });
  sheet.text(50, 800, 'A specimen for demonstrations: neither the employer nor the employee exists.', {
    size: 8,
    colour: SOFT,
  });
  return sheet.finish();
}

if (import.meta.main) {
  const file = process.argv[2] ?? new URL('../../programs/demo/payslip.pdf', import.meta.url);
  await writeFile(file, await samplePayslip());
}
