import { makePay, type Pay } from '../../payslips/figures.ts';
import { inForm, type AnyForm, type File } from '../../payslips/forms.ts';
import type { PayslipLayout } from '../../payslips/layout.ts';
import { seeded, type Random } from '../../payslips/random.ts';
import { A4, newSheet, type Sheet, type TextStyle } from '../../payslips/sheet.ts';
import * as others from './others.ts';
import { poundColumns } from './arrangements.ts';
import { boxGrid, sidebar, triplet } from './products.ts';
import { twoSides } from './weekly.ts';

export interface Answer {
  /** Whether the failure `no-payslip-found` is correct. */
  failed: boolean;
  /** If reading succeeds, the outcome must include one of these reasons for a review. */
  reasons: readonly string[];
  /** For the text of the failure. */
  detail?: RegExp;
}

interface Negative {
  name: string;
  answer: Answer;
  /** Several pages, which are not made into a picture. */
  pages?: true;
  draw(sheet: Sheet, pay: Pay, random: Random): void;
}

const FAILED: Answer = { failed: true, reasons: [] };

export const NEGATIVES: readonly Negative[] = [
  { name: 'calculator', answer: FAILED, draw: others.calculator },
  { name: 'explainer', answer: { failed: true, reasons: ['specimen'] }, draw: others.explainer },
  { name: 'register', answer: { failed: true, reasons: ['register'] }, draw: others.register },
  { name: 'benefits-form', answer: FAILED, draw: others.benefitsForm },
  { name: 'invoice', answer: FAILED, draw: others.invoice },
  { name: 'bank-statement', answer: FAILED, draw: others.bankStatement },
  { name: 'offer', answer: FAILED, draw: others.offer },
  { name: 'pension-statement', answer: FAILED, draw: others.pensionStatement },
  { name: 'timesheet', answer: FAILED, draw: others.timesheet },
  { name: 'specimen', answer: { failed: false, reasons: ['specimen'] }, draw: specimen },
  { name: 'two-on-a-page', answer: { failed: false, reasons: ['several-payslips'] }, draw: twoOnAPage },
  { name: 'two-pages', answer: { failed: false, reasons: ['several-payslips'] }, pages: true, draw: twoPages },
  { name: 'far-page', answer: { ...FAILED, detail: /\b(?:10|ten|tenth)\b/i }, pages: true, draw: farPage },
];

function specimen(sheet: Sheet, _: Pay, random: Random): void {
  const mark = random.pick(['SPECIMEN', 'SAMPLE']);
  const layout = random.pick([sidebar, boxGrid, twoSides]);
  if (random.chance(0.5))
    sheet.text(sheet.width / 2, 600, mark, { size: 84, bold: true, align: 'center', colour: '#c4c4c4' }); // prettier-ignore
  else sheet.text(sheet.width / 2 + 60, 26, `${mark} PAYSLIP`, { size: 14, bold: true, align: 'center' });
  drawAt(sheet, 0, layout, random);
}

function twoOnAPage(sheet: Sheet, _: Pay, random: Random): void {
  const layout = random.pick([triplet, poundColumns]);
  for (const down of [0, sheet.height / 2]) drawAt(sheet, down, layout, random);
  sheet.line(10, sheet.height / 2, sheet.width - 10, sheet.height / 2, { dash: 3 });
}

function twoPages(sheet: Sheet, _: Pay, random: Random): void {
  const layout = random.pick([sidebar, boxGrid, twoSides]);
  drawAt(sheet, 0, layout, random);
  sheet.nextPage();
  drawAt(sheet, 0, layout, random);
}

function farPage(sheet: Sheet, { employer }: Pay, random: Random): void {
  for (let page = 1; page <= 12; page++) {
    if (page > 1) sheet.nextPage();
    if (page === 11) drawAt(sheet, 0, sidebar, random);
    else sheet.lines(60, 80, 18, [`${employer.name}: staff handbook, page ${page}`, '', ...Array.from({ length: 24 }, () => random.pick(['Please tell your manager as soon as you can when you are ill.', 'Holidays are agreed at least two weeks before they begin.', 'Keep fire doors shut and corridors free.', 'The canteen is open from eight until three.']))]); // prettier-ignore
  }
}

function drawAt(sheet: Sheet, down: number, layout: PayslipLayout, random: Random): void {
  const sized = (style?: TextStyle) => ({ size: layout.fontSize, ...style });
  const part: Sheet = {
    ...sheet,
    text: (x, y, text, style) => sheet.text(x, y + down, text, sized(style)),
    lines: (x, y, leading, lines, style) => sheet.lines(x, y + down, leading, lines, sized(style)),
    box: (x, y, width, height, style) => sheet.box(x, y + down, width, height, style),
    line: (x1, y1, x2, y2, style) => sheet.line(x1, y1 + down, x2, y2 + down, style),
    widthOf: (text, style) => sheet.widthOf(text, sized(style)),
  };
  layout.draw(part, makePay(`other:${random.digits(9)}`, layout.pay), random);
}

interface MadeNegative extends File {
  form: AnyForm;
}

/** A picture for an even seed, unless the file has several pages. */
export async function makeNegative({ name, pages, draw }: Negative, seed: number): Promise<MadeNegative> {
  const random = seeded(`other:${name}:${seed}`);
  const sheet = newSheet({ size: A4, font: random.pick(['helvetica', 'inter', 'lato']), fontSize: 10 });
  draw(sheet, makePay(`other:${name}:${seed}`, { frequency: 'monthly' }), random);
  const form = pages || seed % 2 === 1 ? 'text' : random.pick(['scan', 'photo', 'screenshot', 'fax'] as const);
  return { ...(await inForm(form, await sheet.finish(), random)), form };
}
