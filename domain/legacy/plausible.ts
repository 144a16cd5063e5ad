import { niNumberOf } from './codes.ts';
import { isFigure, sheetOf, type Cell, type Figure, type Sheet } from './cells.ts';
import { reachable } from './choice.ts';
import { rowsOf } from './labelled.ts';
import type { Page } from './page.ts';
import type { Extract, Extraction, ReviewReason } from './reading.ts';

/**
 * Judges by its words whether a reading is of one person and one period. `pages` are all pages that were read, also
 * those after the payslip. @returns reasons for a review, or `no-payslip` for pages that only talk about pay.
 */
export function plausibilityOf(
  reading: Extraction,
  pages: readonly Page[],
  extract: Extract,
): ReviewReason[] | 'no-payslip' {
  const number = reading.gross_pay?.page ?? reading.net_pay?.page ?? pages[0]!.number;
  const page = pages.find((one) => one.number === number) ?? pages[0]!;
  const sheet = sheetOf(page);
  if (reading.document_type === 'payslip' && (isCalculator(sheet, reading) || isExplanation(sheet)))
    return 'no-payslip';
  const reasons: ReviewReason[] = [];
  if (isRegister(sheet)) reasons.push('register');
  else if (areSeveral(pages, extract)) reasons.push('several-payslips');
  if (isSpecimen(sheet, page.stamps ?? [])) reasons.push('specimen');
  return reasons;
}

// OCR may lose spaces, so sayings are looked for in letters alone.
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
const textOf = (sheet: Sheet): string => sheet.cells.map(({ text }) => text).join(' ');

const CALCULATOR =
  /(salary|pay|tax|wages?|payroll|income|paye)calculator|calculate(your|my)?(takehome|netpay|salary|pay)|recalculate/;
const FREQUENCIES =
  /\b(yearly|annual|monthly|fortnightly|weekly|daily|hourly|(?:per|an?) (?:year|month|week|day|hour))\b/gi;

/** A calculator shows pay for several frequencies, and names no employer and no day. */
function isCalculator(sheet: Sheet, { ni_number, paye_reference, pay_date }: Extraction): boolean {
  if (ni_number !== null || paye_reference !== null || pay_date !== null) return false;
  const frequencies = new Set(textOf(sheet).toLowerCase().match(FREQUENCIES));
  return frequencies.size >= 3 || CALCULATOR.test(lettersOf(textOf(sheet)));
}

const GUIDE =
  /(howto(read|understand)|understand(ing)?|guideto|explaining)(your|my|a|the)?(payslip|payadvice|wageslip)|(payslip|wageslip)s?(explained|guide)|whatyourpayslip/;
const EXPLAINS =
  /(this|it|here)(is|shows|tells|means)|(amount|money|total|figure|number)(you|that|which)|youremployer(pays|uses|must|has|will|takes)|(shows|tells)(you|how|what|the)|standsfor|youwillsee|checkthat|ifyou|mayalso/g;

function isExplanation(sheet: Sheet): boolean {
  const text = lettersOf(textOf(sheet));
  const explained = text.match(EXPLAINS)?.length ?? 0;
  return explained >= (GUIDE.test(text) ? 3 : 8);
}

const FORM = '(?:pay ?slip|pay advice|pay statement|wage slip|p60|p45|copy|only|document)';
const SPECIMEN = new RegExp(
  String.raw`^\W*(?:specimen|sample|example)(?: of)?(?: an?)? ${FORM}\b|^\W*${FORM}\W+(?:specimen|sample|example)\W*$`,
  'i',
);
const STAMP = /^(specimen|sample|example)+(only|copy|void)?$/;

/** Only a stamp or a title counts: a person, a street or a firm may have the same name. */
function isSpecimen(sheet: Sheet, stamps: readonly string[]): boolean {
  const rows = rowsOf(sheet).map(({ text }) => text);
  return (
    stamps.some((text) => /specimen|sample|example/.test(lettersOf(text))) ||
    [...rows, ...sheet.cells.map(({ text }) => text)].some((text) => SPECIMEN.test(text) || STAMP.test(lettersOf(text)))
  );
}

const NI_NUMBER = /\b[A-Z]{2} ?(?:\d ?){6}[A-D]\b/gi;
const niNumbersIn = (text: string): string[] =>
  (text.match(NI_NUMBER) ?? []).flatMap((found) => niNumberOf(found.replace(/^QQ/i, 'AB')) ?? []);
const REGISTER =
  /(payroll|wages?|pay)(register|summary|listing|journal)|grosstonet|employee(pay)?(summary|register|listing)/;
const NO_NAME =
  /\b(pay|tax|ni|nat|insurance|pension|total|gross|net|year|ytd|date|period|month|week|this|current|previous|basic|hours|salary|deductions?|earnings|employe[er]s?)\b/i;

/** A row for each employee: a name or an NI number with several amounts. */
function isRegister(sheet: Sheet): boolean {
  const isTitled = REGISTER.test(lettersOf(textOf(sheet)));
  const people = rowsOf(sheet).filter(({ text, cells }) => {
    const figures = cells.filter((cell): cell is Figure => isFigure(cell) && cell.exact);
    if (figures.length < 3) return false;
    return niNumbersIn(text).length > 0 || (isNamed(cells) && (isTitled || isPayOfOne(figures)));
  });
  return people.length >= 3;
}

function isNamed(cells: readonly Cell[]): boolean {
  const name = cells
    .slice(0, cells.findIndex(isFigure))
    .map(({ text }) => text)
    .join(' ');
  return /[a-z]{2}.*[ ,.].*[a-z]|[a-z][ ,.].*[a-z]{2}/i.test(name) && !NO_NAME.test(name);
}

/** Whether the largest amount less some of the others is another one. */
function isPayOfOne(figures: readonly Figure[]): boolean {
  const [gross, ...others] = figures.map(({ pence }) => pence).sort((a, b) => b - a) as [number, ...number[]];
  const isNet = (net: number, at: number) => net < gross && reachable(gross - net, others.toSpliced(at, 1));
  return others.length >= 3 && others.length <= 9 && others.some(isNet);
}

/** Whether there are NI numbers of several people, or pages that are payslips of different people or periods. */
function areSeveral(pages: readonly Page[], extract: Extract): boolean {
  const [first, ...more] = pages.flatMap((page) =>
    niNumbersIn(
      rowsOf(sheetOf(page))
        .map(({ text }) => text)
        .join('\n'),
    ),
  );
  const differs = (other: string) => [...other].filter((letter, at) => letter !== first![at]).length > 2;
  if (more.some(differs)) return true;
  if (pages.length === 1) return false;
  const complete = pages.flatMap((page) => extract([page]) ?? []).filter(({ confidence }) => confidence > 0);
  return complete.some((one) => isAnother(one, complete[0]!));
}

function isAnother(one: Extraction, other: Extraction): boolean {
  const differ = (field: 'gross_pay' | 'net_pay' | 'pay_date' | 'pay_period') =>
    one[field] !== null && other[field] !== null && one[field].value !== other[field].value;
  if (one.document_type !== other.document_type || differ('pay_date')) return true;
  return one.document_type === 'p60'
    ? differ('gross_pay')
    : differ('net_pay') && (differ('gross_pay') || differ('pay_period'));
}
