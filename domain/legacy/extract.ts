import { pence, type Pence } from '../money.ts';
import { isFromOcr } from './cell.ts';
import { sheetOf, type Sheet } from './cells.ts';
import { niNumberOf, payeReferenceOf, taxCodeIn } from './codes.ts';
import { amountConfidence, CONFIDENCE, overall, textConfidence } from './confidence.ts';
import { featuresOf, tokensOf, type Features } from './features.ts';
import { sameRow } from './geometry.ts';
import { withMisreadAmount } from './misread-amount.ts';
import type { Page } from './page.ts';
import { periodOf } from './paid-period.ts';
import { dateIn, dayIn, taxYearIn, taxYearOf } from './printed-dates.ts';
import { hasRivalColumn, paidColumn } from './period-columns.ts';
import { isRegister } from './plausible.ts';
import { AMOUNT_FIELDS, type AmountField, type Check, type DocumentType, type Extraction, type FieldReading } from './reading.ts'; // prettier-ignore
import { rowsOf } from './row.ts';
import { KINDS, probabilityOf, type Kind, type ScoredSheet, type Scores } from './scored.ts';
import { single, solve, type Solution, type Solved } from './solve.ts';
import { employerIn, foundIn, type Said } from './spans.ts';

/** The trained model that judges the words and amounts of a page. */
export type Scorer = (features: Features) => Promise<Scores>;

/** Null if too little is found. `hint` makes this type of document likelier. */
export async function readPages(
  pages: readonly Page[],
  hint: DocumentType | undefined,
  score: Scorer,
): Promise<Extraction | null> {
  const scored: ScoredSheet[] = [];
  for (const page of pages) {
    const known = SCORED.get(page) ?? (await scoredSheet(page, score));
    SCORED.set(page, known);
    if (known.tokens.length > 0) scored.push(known);
  }
  const type = typeOf(scored, hint);
  if (type === null) return null;
  const found = scored.map((one) => amountsOf(one, type)).reduce((a, b) => (b.worth > a.worth ? b : a));
  return isFound(found, type) ? extractionOf(found, type) : null;
}

function isFound({ scored, worth, amounts, closes }: Found, type: DocumentType): boolean {
  if (type !== 'payslip') return worth > LIKELY;
  const isOver = (one: Solved | null, least: number): boolean => one !== null && one.probability > least;
  const isTaxed = isOver(amounts.tax_deducted, LIKELY) || isOver(amounts.ni_deducted, LIKELY);
  if (isRegisterPage(scored)) return worth > 0;
  const isClosed = closes.linesClose === true || closes.totalsClose === true;
  const isClear = isOver(amounts.gross_pay, CLEAR) && isOver(amounts.net_pay, CLEAR);
  if (isClosed && isClear && kindOf(scored, 'payslip') > CERTAIN) return true;
  const sure = Object.values(amounts).filter((one) => isOver(one, LIKELY)).length;
  // In an image, fewer amounts are clear.
  return worth > LEAST_WORTH && sure > (isTaxed && (isClosed || isFromOcr(scored.sheet.cells)) ? 1 : 2);
}

const isRegisterPage = (scored: ScoredSheet): boolean =>
  kindOf(scored, 'register') > LEAST_KIND || isRegister(scored.sheet);

const LEAST_WORTH = 1.8;
const CERTAIN = 0.97;
const LIKELY = 0.9;
const CLEAR = 0.7;

/** A file is read page by page, each time together with all earlier pages, so results are cached. */
const SCORED = new WeakMap<Page, ScoredSheet>();

async function scoredSheet(page: Page, score: Scorer): Promise<ScoredSheet> {
  const sheet = sheetOf(page);
  const tokens = tokensOf(sheet);
  const none = { roles: new Float32Array(), kinds: new Float32Array() };
  return { sheet, tokens, scores: tokens.length === 0 ? none : await score(featuresOf(sheet, tokens)) };
}

const LEAST_KIND = 0.5;
/** Added to a type's probability: for the hint, and for a text that begins with `P60` or `P45`. */
const HINT = 0.3;
const TITLE = 0.6;

const kindOf = ({ scores }: ScoredSheet, kind: Kind): number => scores.kinds[KINDS.indexOf(kind)]!;

/** A register counts as a payslip here, and gets its own reason for a review. */
function typeOf(scored: readonly ScoredSheet[], hint: DocumentType | undefined): DocumentType | null {
  const chance = (kind: Kind): number => Math.max(0, ...scored.map((one) => kindOf(one, kind)));
  const isTitled = (title: RegExp): number => (scored.some(({ sheet }) => sheet.cells.some(({ text }) => title.test(text))) ? TITLE : 0); // prettier-ignore
  const chances: [DocumentType, number][] = [
    ['payslip', Math.max(chance('payslip'), chance('register'))],
    ['p60', chance('p60') + isTitled(/^\W*(your |employee |form )?p60\b/i)],
    ['p45', chance('p45') + isTitled(/^\W*(your |employee |form )?p45\b/i)],
  ];
  const [best] = chances
    .map(([type, probability]) => ({ type, probability: probability + (type === hint ? HINT : 0) }))
    .sort((a, b) => b.probability - a.probability);
  return best!.probability > LEAST_KIND ? best!.type : null;
}

interface Found {
  scored: ScoredSheet;
  amounts: Record<AmountField, Solved | null>;
  closes: Pick<Solution, 'totalsClose' | 'linesClose' | 'pensionLead'>;
  /** Whether a different column of amounts might be that of the paid period. */
  undecided: boolean;
  worth: number;
}

function amountsOf(whole: ScoredSheet, type: DocumentType): Found {
  const { scored, isNamed } = type === 'payslip' ? paidColumn(whole) : { scored: whole, isNamed: null };
  const found = (amounts: Found['amounts'], closes: Found['closes'], hasRival = false): Found => {
    const worth = Object.values(amounts).reduce((sum, one) => sum + (one?.probability ?? 0), 0);
    return { scored, amounts, closes, undecided: isNamed === false || hasRival, worth };
  };
  if (type === 'payslip') {
    const solution = withMisreadAmount(scored, solve(scored));
    const { gross, net, tax, ni, pension, ...closes } = solution;
    const hasRival = isNamed === null && hasRivalColumn(scored, solution);
    return found({ gross_pay: gross, net_pay: net, tax_deducted: tax, ni_deducted: ni, pension_deducted: pension }, closes, hasRival); // prettier-ignore
  }
  const amounts = {
    gross_pay: single(scored, 'gross'),
    net_pay: null,
    tax_deducted: single(scored, 'tax'),
    ni_deducted: type === 'p60' ? single(scored, 'ni') : null,
    pension_deducted: null,
  };
  return found(amounts, { totalsClose: null, linesClose: null, pensionLead: Infinity }, !isPlausible(amounts));
}

function isPlausible({ gross_pay, tax_deducted, ni_deducted }: Found['amounts']): boolean {
  const pay = gross_pay?.pence ?? 0;
  return (tax_deducted?.pence ?? 0) <= 0.6 * pay && (ni_deducted?.pence ?? 0) <= 0.16 * pay;
}

const UNDECIDED = 0.7;

function extractionOf({ scored, amounts: found, closes, undecided }: Found, type: DocumentType): Extraction {
  const { sheet } = scored;
  const amount = (field: AmountField): FieldReading<Pence> | null => {
    const solved = found[field];
    if (solved === null) return null;
    const confidence = Math.min(amountConfidence(solved, field, closes, type), undecided ? UNDECIDED : 1);
    return { value: pence(solved.pence), confidence, page: sheet.page };
  };
  const text = <T>(said: Said<T> | null): FieldReading<T> | null =>
    said === null ? null : { value: said.value, confidence: textConfidence(said), page: sheet.page };
  const amounts = Object.fromEntries(AMOUNT_FIELDS.map((field) => [field, amount(field)])) as Pick<Extraction, AmountField>; // prettier-ignore
  const printedDay = foundIn(scored, 'date', (printed) => dayIn(printed)?.text ?? null);
  const day = printedDay === null ? null : text({ ...printedDay, value: dateIn(printedDay.value)!.date });
  const printedYear = yearIn(sheet, taxYearIn);
  const periods = { payslip: () => periodOf(scored), p60: () => yearIn(sheet, printedYearIn) ?? periodOf(scored), p45: () => null }; // prettier-ignore
  return {
    document_type: type,
    employer_name: text(employerIn(scored)),
    ...amounts,
    // If no period is found, the printed date takes its place, except on a P60.
    pay_period: text(periods[type]() ?? (type === 'p60' ? null : printedDay)),
    pay_date: type === 'p60' ? null : day,
    tax_year: text(printedYear) ?? (day === null ? null : { ...day, value: taxYearOf(day.value) }),
    tax_code: text(foundIn(scored, 'code', taxCodeIn)),
    paye_reference: text(foundIn(scored, 'reference', (printed) => payeReferenceOf(printed, true))),
    ni_number: text(niNumberIn(sheet)),
    checks: checksOf(type, scored, found, closes),
    ...(closes.pensionLead < CONFIDENCE.leastLead && { pension_doubted: true }),
    ...(isRegisterPage(scored) && { register_likely: true }),
    confidence: overall(type, amounts),
  };
}

function yearIn(sheet: Sheet, valueOf: (text: string) => string | null): Said<string> | null {
  for (const { text, cells } of rowsOf(sheet)) {
    const year = /year/i.test(text) && taxYearIn(text) !== null ? valueOf(text) : null;
    if (year !== null) return { value: year, words: cells.flatMap(({ words }) => words), probability: 1 };
  }
  return null;
}

const PRINTED_YEAR = /(?:tax\s*)?year\s*(?:(?:to|ended|ending).*\d{4}|20\d\d\s*to\s*20\d\d)|20\d\d\s*[/\-–]\s*\d+/i;

const printedYearIn = (text: string): string | null =>
  PRINTED_YEAR.exec(text)?.[0]
    .replace(/^(tax)?\s*(year)\s*(to)\s*(?=\d)/i, '$1 $2 $3 ')
    .trim() ?? null;

/** The parts of the number may be printed in separate boxes. */
function niNumberIn(sheet: Sheet): Said<string> | null {
  for (const { cells } of rowsOf(sheet)) {
    const words = cells.flatMap((cell) => cell.words);
    for (let from = 0; from < words.length; from += 1)
      for (let to = from + 1; to <= Math.min(words.length, from + 9); to += 1) {
        const part = words.slice(from, to);
        const value = niNumberOf(part.map(({ text }) => text).join(''));
        if (value !== null) return { value, words: part, probability: 1 };
      }
  }
  return null;
}

function checksOf(
  type: DocumentType,
  scored: ScoredSheet,
  amounts: Found['amounts'],
  { totalsClose, linesClose }: Found['closes'],
): Check[] {
  if (type !== 'payslip') return [];
  return [
    { name: 'net-is-gross-less-deductions', holds: totalsClose ?? linesClose },
    { name: 'deductions-add-up', holds: linesClose },
    { name: 'year-to-date-covers-period', holds: yearCovers(scored, amounts) },
  ];
}

/** Compares amounts on the same rows. Null if there are none to compare. */
function yearCovers(scored: ScoredSheet, { gross_pay, tax_deducted, ni_deducted }: Found['amounts']): boolean | null {
  const years = scored.tokens.filter(({ figure }, at) => figure !== null && probabilityOf(scored, at, 'year') > 0.5);
  const compared = [gross_pay, tax_deducted, ni_deducted].flatMap((one) => {
    const [own] = one?.figures ?? [];
    if (own === undefined || one!.pence < 0) return [];
    return years.filter((year) => sameRow(year, own)).map(({ figure }) => Math.abs(figure!.pence) >= one!.pence);
  });
  return compared.length === 0 ? null : compared.every(Boolean);
}
