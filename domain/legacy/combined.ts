import { pence, type Pence } from '../money.ts';
import { sheetOf, type Figure } from './cells.ts';
import { overall, SURE, textConfidence } from './confidence.ts';
import { extractReading, type RuleReading } from './extract.ts';
import { featuresOf, tokensOf, type Features } from './features.ts';
import type { Page } from './page.ts';
import { dateIn, dayIn, taxYearOf } from './printed-dates.ts';
import type { AmountField, Check, DocumentType, Extraction, FieldReading } from './reading.ts';
import { KINDS, probabilityOf, type Kind, type Scores, type ScoredSheet } from './scored.ts';
import { single, solve, type Solution, type Solved } from './solve.ts';
import { employerIn, foundIn, periodOf, type Said } from './spans.ts';

/** The trained model that judges the words and amounts of a page. */
export type Scorer = (features: Features) => Promise<Scores>;

/**
 * Reads the fields of pages by fixed rules and by a trained model. Keeps values that the rules confirmed. The model
 * fills in and confirms the other values. Returns null if the pages contain no payslip, P60 or P45.
 */
export async function readPages(
  pages: readonly Page[],
  hint: DocumentType | undefined,
  score: Scorer,
): Promise<Extraction | null> {
  const byRules = extractReading(pages, hint);
  const scored: ScoredSheet[] = [];
  for (const page of pages) {
    const known = SCORED.get(page) ?? (await scoredSheet(page, score));
    SCORED.set(page, known);
    if (known.tokens.length > 0) scored.push(known);
  }
  const type = byRules?.document_type ?? typeOf(scored);
  if (type === null) return null;
  const found = scored.map((one) => amountsOf(one, type)).sort((a, b) => b.worth - a.worth)[0];
  if (found === undefined || (byRules === null && !isFound(found, type))) return byRules;
  return combined(byRules, found, type);
}

/** Caches the model's result for each page. A file is read page by page, each time together with all pages before. */
const SCORED = new WeakMap<Page, ScoredSheet>();

async function scoredSheet(page: Page, score: Scorer): Promise<ScoredSheet> {
  const sheet = sheetOf(page);
  const tokens = tokensOf(sheet);
  const none = { roles: new Float32Array(), kinds: new Float32Array() };
  return { sheet, tokens, scores: tokens.length === 0 ? none : await score(featuresOf(sheet, tokens)) };
}

/**
 * Whether the model alone recognises a document. It must be certain of three amounts of a payslip, or of two that add
 * up.
 */
function isFound({ scored, worth, amounts, closes }: Found, type: DocumentType): boolean {
  const isSure = (one: Solved | null): boolean => one !== null && one.probability > LIKELY;
  const sure = Object.values(amounts).filter(isSure).length;
  const isTaxed = isSure(amounts.tax_deducted) || isSure(amounts.ni_deducted);
  const isClosed = closes.linesClose === true || closes.totalsClose === true;
  // A picture shows fewer amounts clearly.
  const isSeen = scored.sheet.cells.some(({ source }) => source === 'ocr');
  return worth > LEAST_WORTH && sure > (type !== 'payslip' || (isTaxed && (isClosed || isSeen)) ? 1 : 2);
}

const LEAST_WORTH = 1.8;
const LIKELY = 0.9;

function typeOf(scored: readonly ScoredSheet[]): DocumentType | null {
  const kinds = scored.map(({ scores }): [Kind, number] => {
    const most = Math.max(...scores.kinds);
    return [KINDS[scores.kinds.indexOf(most)]!, most];
  });
  const [kind] =
    kinds.find(([one, probability]) => probability > LIKELY && one !== 'register' && one !== 'other') ?? [];
  return kind === undefined || kind === 'register' || kind === 'other' ? null : kind;
}

/** The amounts that the model found on a page. */
interface Found {
  scored: ScoredSheet;
  amounts: Record<AmountField, Solved | null>;
  closes: Pick<Solution, 'totalsClose' | 'linesClose'>;
  worth: number;
}

function amountsOf(scored: ScoredSheet, type: DocumentType): Found {
  if (type !== 'payslip') {
    const [gross_pay, tax_deducted, ni_deducted] = [
      single(scored, 'gross'),
      single(scored, 'tax'),
      type === 'p60' ? single(scored, 'ni') : null,
    ];
    const amounts = { gross_pay, net_pay: null, tax_deducted, ni_deducted, pension_deducted: null };
    return { scored, amounts, closes: { totalsClose: null, linesClose: null }, worth: worthOf(amounts) };
  }
  const { gross, net, tax, ni, pension, ...closes } = solve(scored);
  const amounts = { gross_pay: gross, net_pay: net, tax_deducted: tax, ni_deducted: ni, pension_deducted: pension };
  return { scored, amounts, closes, worth: worthOf(amounts) };
}

const worthOf = (amounts: Found['amounts']): number =>
  Object.values(amounts).reduce((sum, one) => sum + (one?.probability ?? 0), 0);

function combined(byRules: RuleReading | null, found: Found, type: DocumentType): Extraction {
  const { scored, closes } = found;
  const amount = (field: AmountField) => {
    // Prefers an amount that the rules confirmed, because the model does not know which column belongs to the period
    // being paid.
    const rule = byRules?.[field] ?? null;
    if (byRules?.decided && rule !== null && rule.confidence >= CONFIRMED) return rule;
    const best = chosen(rule, found, { field, isForm: type !== 'payslip' });
    return best && byRules?.undecided ? { ...best, confidence: Math.min(best.confidence, DISPUTED) } : best;
  };
  const amounts = {
    gross_pay: amount('gross_pay'),
    net_pay: amount('net_pay'),
    tax_deducted: amount('tax_deducted'),
    ni_deducted: amount('ni_deducted'),
    pension_deducted: amount('pension_deducted'),
  };
  const page = scored.sheet.page;
  const left = type === 'p45' ? foundIn(scored, 'date', (text) => dayIn(text)?.text ?? null) : null;
  const leaving = left && { ...left, value: dateIn(left.value)!.date };
  return {
    document_type: type,
    employer_name: asField(employerIn(scored), page),
    ...amounts,
    pay_period: surerText(byRules?.pay_period ?? null, left ?? periodOf(scored), page),
    pay_date: byRules?.pay_date ?? asField(leaving, page),
    tax_year: byRules?.tax_year ?? asField(leaving && { ...leaving, value: taxYearOf(leaving.value) }, page),
    tax_code: byRules?.tax_code ?? null,
    paye_reference: byRules?.paye_reference ?? null,
    ni_number: byRules?.ni_number ?? null,
    checks: byRules?.checks.some(({ holds }) => holds === true) ? byRules.checks : checksOf(type, closes),
    ...(type === 'payslip' && !isSettled(byRules) && isPensionDoubted(scored) && { pension_doubted: true }),
    confidence: overall(type, amounts),
  };
}

/**
 * Below this chance of an error, the model's pension counts as certain. In a test of 500 random payslips, one pension
 * was missed.
 */
const LEAST_DOUBT = 0.02;

/** Whether the rules confirmed all amounts, including the pension. */
const isSettled = (byRules: Extraction | null): boolean =>
  byRules !== null && Math.min(byRules.confidence, byRules.pension_deducted?.confidence ?? 1) >= CONFIRMED;

const isPensionDoubted = (scored: ScoredSheet): boolean =>
  scored.tokens.some(({ figure }, at) => {
    const probability = probabilityOf(scored, at, 'pension');
    return figure !== null && figure.pence !== 0 && Math.min(probability, 1 - probability) > LEAST_DOUBT;
  });

function checksOf(type: DocumentType, { totalsClose, linesClose }: Found['closes']): Check[] {
  if (type !== 'payslip') return [];
  return [
    { name: 'net-is-gross-less-deductions', holds: totalsClose ?? linesClose },
    { name: 'deductions-add-up', holds: linesClose },
    { name: 'year-to-date-covers-period', holds: null },
  ];
}

const CONFIRMED = 0.9;
/** An amount that only the model found may be a yearly total if its probability is lower than this. */
const LEAST_ALONE = 0.3;
/** The confidence of an amount that the rules confirmed, if the model found a different amount that also adds up. */
const DISPUTED = 0.7;

/**
 * Chooses the amount of a field: an amount that the rules confirmed, or one that the model's sums confirm, or the
 * likelier one.
 */
function chosen(
  rule: FieldReading<Pence> | null,
  { amounts, closes }: Found,
  { field, isForm }: { field: AmountField; isForm: boolean },
): FieldReading<Pence> | null {
  const solved = amounts[field];
  const agrees = rule !== null && rule.value === solved?.pence;
  const isClosed = closes.linesClose === true;
  if (rule !== null && rule.confidence >= CONFIRMED) {
    const isDisputed = isClosed && solved !== null && solved.probability > SURE && !agrees;
    return isDisputed ? { ...rule, confidence: DISPUTED } : rule;
  }
  // The sums already agree without this amount, so the rules took it from something else.
  if (solved === null)
    return rule === null || isClosed ? null : { ...rule, confidence: Math.min(rule.confidence, DISPUTED) };
  // A pension that only the model found, with low probability, may be a pension that the person receives.
  const least = field === 'pension_deducted' ? LIKELY : LEAST_ALONE;
  if (rule === null && solved.probability < least) return null;
  const confidence = confidenceOf(solved, { agrees, field, closes, isForm });
  if (rule !== null && !agrees && confidence < DISPUTED) return { ...rule, confidence: Math.min(rule.confidence, 0.6) };
  return { value: pence(solved.pence), confidence, page: solved.figures[0]!.page };
}

interface Support {
  agrees: boolean;
  field: AmountField;
  closes: Found['closes'];
  isForm: boolean;
}

/**
 * The confidence in the model's amount, 0 to 1. Measured on layouts that were not used in training
 * (test/training/README.md).
 */
function confidenceOf({ figures, probability }: Solved, { agrees, field, closes, isForm }: Support): number {
  const letters = Math.min(...figures.map((figure) => figure.probability));
  const isRead = figures.some((figure: Figure) => figure.source === 'ocr');
  const isPension = field === 'pension_deducted';
  const inTotals = closes.totalsClose === true && (field === 'gross_pay' || field === 'net_pay');
  if (closes.linesClose === true && probability > (isPension || !agrees ? SURE : LIKELY)) return isRead ? 0.97 : 0.99;
  if ((agrees || inTotals) && probability > SURE) return round(0.95 * letters);
  // Excludes amounts read by OCR: without a sum, nothing would show a misread digit.
  const isOpen = closes.linesClose !== false && closes.totalsClose !== false;
  if (!isRead && isOpen && isForm && probability > SURE) return 0.93;
  if (agrees && probability > LIKELY) return round(0.85 * letters);
  return round((probability > SURE ? 0.78 : 0.6 * probability) * letters);
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The model's text replaces the text found by the rules from this probability on. */
const LEAST_NAME = 0.98;

/** Whether one text contains every word of the other. */
const isPartOf = (part: string, whole: string): boolean => part.split(' ').every((word) => whole.includes(word));

const asField = <T>(said: Said<T> | null, page: number): FieldReading<T> | null =>
  said === null ? null : { value: said.value, confidence: textConfidence(said), page };

/** Returns the text that the rules found if it has a label, otherwise the model's text. */
function surerText(rule: FieldReading<string> | null, scored: Said<string> | null, page: number) {
  if (scored === null || (rule !== null && rule.confidence >= CONFIRMED)) return rule;
  if (rule !== null && rule.value === scored.value)
    return { ...rule, confidence: round(Math.max(rule.confidence, textConfidence(scored))) };
  if (rule !== null && (scored.probability < LEAST_NAME || isPartOf(scored.value, rule.value))) return rule;
  return asField(scored, page);
}
