import { niNumberOf } from './codes.ts';
import { isFigure, sheetOf, type Figure, type Sheet } from './cells.ts';
import { tall } from './geometry.ts';
import { DATE_TEXT, dateIn } from './printed-dates.ts';
import { rowsOf } from './row.ts';
import { reachable } from './solve.ts';
import type { Page } from './page.ts';
import type { Extract, Extraction, ReviewReason } from './reading.ts';

/** `no-payslip` if the document only calculates or explains pay. `pages` are all that were read. */
export async function plausibilityOf(reading: Extraction, pages: readonly Page[], extract: Extract) {
  const reasons: ReviewReason[] = [];
  const number = (reading.gross_pay ?? reading.net_pay)?.page;
  const page = pages.find((one) => one.number === number) ?? pages[0]!;
  const sheet = sheetOf(page);
  const isPayslip = reading.document_type === 'payslip';
  if (isPayslip && (isCalculator(sheet, reading) || isGuide(sheet))) return 'no-payslip';
  if (reading.register_likely) reasons.push('register');
  else if (await areSeveral(pages, extract)) reasons.push('several-payslips');
  if (isSpecimen(sheet, page.stamps ?? [])) reasons.push('specimen');
  return reasons;
}

// Keeps only letters for most comparisons, because OCR may lose spaces.
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
const linesOf = (sheet: Sheet): string[] => rowsOf(sheet).map(({ text }) => text);

const CALCULATOR =
  /(salary|pay|tax|wages?|payroll|income|paye)calculator|(re)?calculate(your|my)(takehome|netpay|salary|pay)|estimate(your|d)(takehome|netpay|pay|incometax)/;
const FREQUENCIES = /\b(year|annual|month|fortnight|week|day|daily|hour)(?:ly)?\b/g;

function isCalculator(sheet: Sheet, { ni_number, paye_reference, pay_date }: Extraction): boolean {
  if (ni_number !== null || paye_reference !== null || pay_date !== null) return false;
  const lines = linesOf(sheet).map((line) => line.toLowerCase());
  const isHead = (line: string) => new Set(line.match(FREQUENCIES)).size >= 3 && !/tax (year|month|week)/.test(line);
  return lines.some(isHead) || CALCULATOR.test(lettersOf(lines.join()));
}

const GUIDE =
  /(howto(read|understand)|understand(ing)?|guideto|explaining)(your|my|a|the)?(payslip|payadvice|wageslip)|(payslip|wageslip)s?(explained|guide)|what(doesmy|doesyour|doesa|your|my)payslip/;
const EXPLAINS =
  /(this|it|here)(is|shows|tells|means)|(amount|money|total|figure|number)(you|that|which|taken)|youremployer(pays|uses|must|has|will|takes)|(shows|tells)(you|how|what|the)|you(willsee|need|can|maypay|have|areleft)|checkthat|ifyou|ifitis|sentto|usedto|credited/g;

function isGuide(sheet: Sheet): boolean {
  const text = lettersOf(linesOf(sheet).join());
  const explained = text.match(EXPLAINS)?.length ?? 0;
  const titles = sheet.cells.filter((cell) => GUIDE.test(lettersOf(cell.text)) && cell.top < 0.15 * sheet.height);
  // A payslip may itself explain some of its terms at its foot, so a few sentences are not enough.
  return explained >= (GUIDE.test(text) ? 6 : 12) || titles.some((title) => tall(title) > 1.3 || explained >= 3);
}

const FORM = '(?:pay ?slip|pay advice|pay statement|wage slip|p60|p45|copy|only|document)';
const SPECIMEN = new RegExp(
  String.raw`^\W*(?:this is )?(?:an? )?(?:specimen|sample|example) (?:of an? )?(?:${FORM}|company|ltd|limited|employe[er])\b|^\W*${FORM}\W+(?:specimen|sample|example)\W*$|^.{0,20}\bspecimen\W*$`,
  'i',
);
const STAMP = /^(specimen|sample|example)+(only|copy|void|notvalid)?$/;

function isSpecimen(sheet: Sheet, stamps: readonly string[]): boolean {
  const texts = [...linesOf(sheet), ...sheet.cells.map(({ text }) => text)];
  if (texts.some((text) => SPECIMEN.test(text) || STAMP.test(lettersOf(text)))) return true;
  return stamps.some((text) => /specimen|sample|example/.test(lettersOf(text)));
}

const NI_NUMBER = /\b[A-Z]{2} ?(?:\d ?){6}[A-D]\b/gi;
const niNumbersIn = (text: string): string[] =>
  (text.match(NI_NUMBER) ?? []).flatMap((found) => niNumberOf(found.replace(/^QQ/i, 'AB')) ?? []);
const REGISTER =
  /(payroll|wages?|pay)(register|summary|listing|journal)|grosstonet|employee(pay)?(summary|register|listing)/;
const NO_NAME =
  /\b(pay|tax|ni|nat|insurance|pension|total|gross|net|year|ytd|date|period|month|week|this|current|previous|basic|hours|salary|deductions?|earnings|employe[er]s?)\b/i;

/** A register has rows with a name and amounts, confirmed by a title, NI numbers or sums. */
export function isRegister(sheet: Sheet): boolean {
  const isTitled = REGISTER.test(lettersOf(linesOf(sheet).join()));
  const people = rowsOf(sheet).filter(({ text, cells }) => {
    const figures = cells.filter((cell): cell is Figure => isFigure(cell) && cell.exact);
    const name = text.slice(0, text.search(/\d[\d,]*\.\d\d/));
    if (figures.length < 3 || !/[a-z]{2}/i.test(name) || NO_NAME.test(name)) return false;
    const [gross = 0, ...others] = figures.map(({ pence }) => pence).sort((a, b) => b - a);
    const isNet = (net: number, at: number) => net < gross && reachable(gross - net, others.toSpliced(at, 1));
    return isTitled || niNumbersIn(text).length > 0 || (others.length >= 3 && others.some(isNet));
  });
  return people.length >= 2 || (isTitled && niNumbersIn(linesOf(sheet).join('\n')).length >= 3);
}

const PAID_ON = new RegExp(
  String.raw`(?<!next |last |previous )\b(?:pay(?:ment)? date|date paid|paid on)\W*(${DATE_TEXT})`,
  'gi',
);

async function areSeveral(pages: readonly Page[], extract: Extract): Promise<boolean> {
  const lines = pages.map((page) => linesOf(sheetOf(page)).join('\n'));
  const [first = '', ...more] = lines.flatMap(niNumbersIn);
  // Tolerates one or two different letters, which OCR may have misread.
  if (more.some((other) => Array.from(other).filter((letter, at) => letter !== first[at]).length > 2)) return true;
  if (lines.some(hasSeveralDays)) return true;
  if (pages.length === 1) return false;
  const alone = await Promise.all(pages.map((page) => extract([page])));
  const [one, ...others] = alone.filter((reading) => reading !== null && reading.confidence > 0) as Extraction[];
  return one !== undefined && others.some((other) => isAnother(one, other));
}

function hasSeveralDays(text: string): boolean {
  const days = Array.from(text.matchAll(PAID_ON), ([, day]) => dateIn(day!)?.date);
  return new Set(days.filter((day) => day !== undefined)).size > 1;
}

function isAnother(one: Extraction, other: Extraction): boolean {
  const differ = (field: 'gross_pay' | 'net_pay' | 'pay_date' | 'pay_period') =>
    one[field] !== null && other[field] !== null && one[field].value !== other[field].value;
  if (one.document_type !== other.document_type || differ('pay_date')) return true;
  return differ(one.document_type === 'p60' ? 'gross_pay' : 'net_pay') && (differ('gross_pay') || differ('pay_period'));
}
