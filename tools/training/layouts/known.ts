import type { CalendarDate } from '../../../domain/dates.ts';
import { sheetOf } from '../../../domain/legacy/cells.ts';
import { tokensOf, type Token } from '../../../domain/legacy/features.ts';
import { dateIn } from '../../../domain/legacy/printed-dates.ts';
import type { Kind, Role } from '../../../domain/legacy/scored.ts';
import { CERTIFICATES, PAYSLIPS } from '../../../test/helpers/legacy-layouts.ts';
import { typed } from '../../../test/helpers/legacy-pages.ts';
import { makeP45, makeP60 } from '../../payslips/certificates.ts';
import { makePay, type Line, type Pay } from '../../payslips/figures.ts';
import { ALL_LAYOUTS, drawn, type Layout, type Truth } from '../../payslips/index.ts';
import type { Random } from '../../payslips/random.ts';
import { newSheet, type Sheet, type TextStyle, type Typeface } from '../../payslips/sheet.ts';
import { ASCENT, pageOf, type Lesson, type LabelledWord, type Words } from './paper.ts';

/*
 * A layout states the amounts of a document, but not which word shows which amount.
 * So the model learns nothing from a word whose amount has two roles.
 */

const TYPED_LAYOUTS = [...PAYSLIPS, ...CERTIFICATES];
/** Of the pages in layouts of the tests, the share that are typed text. */
const TYPED = 0.12;

export function known(random: Random): Words & { kind: Kind } {
  return random.chance(TYPED) ? typedPage(random) : drawnPage(random);
}

function typedPage(random: Random): Words & { kind: Kind } {
  const { text, type, gross, net, tax, ni, pension, employer, period, payDate, taxCode } = random.pick(TYPED_LAYOUTS);
  const { width, height, words } = typed(text, { size: random.between(8, 12) });
  const meanings: Meanings = new Map();
  const add = adding(meanings);
  const amounts = { gross, net, tax, ni, pension };
  for (const role of AMOUNTS) add(amounts[role], role);
  const unlabelled = words.map((word): LabelledWord => ({ ...word, role: 'untaught' }));
  const texts = { employer, period, day: payDate, code: taxCode };
  return { width, height, words: taught({ width, height, words: unlabelled }, type, texts, meanings), kind: type };
}

function drawnPage(random: Random): Words & { kind: Kind } {
  const layout = random.pick(ALL_LAYOUTS);
  const seed = `training:${layout.name}:${random.int(0, 999_999)}`;
  const pages = recorder(layout, random.pick(layout.fonts));
  const truth = drawn(layout, pages.sheet, seed);
  const meanings = meaningsOf(layout, truth, seed);
  const [width, height] = layout.size;
  const texts = { employer: truth.employer_name, period: truth.pay_period, day: truth.pay_date, code: truth.tax_code, reference: truth.paye_reference }; // prettier-ignore
  const papers = pages.all
    .filter((words) => words.length > 0)
    .map((words) => taught({ width, height, words }, layout.type, texts, meanings));
  const best = papers.reduce((a, b) => (amountsIn(b) > amountsIn(a) ? b : a));
  return { width, height, words: best, kind: layout.type };
}

const amountsIn = (words: readonly LabelledWord[]): number =>
  words.filter(({ role }) => role === 'gross' || role === 'net' || role === 'tax' || role === 'ni').length;

const RULERS = new Map<Typeface, Sheet>();

function rulerOf(font: Typeface): Sheet {
  const ruler = RULERS.get(font) ?? newSheet({ size: [595, 842], font, fontSize: 10 });
  RULERS.set(font, ruler);
  return ruler;
}

/** Makes a sheet that records the words instead of drawing them. */
function recorder(
  { size: [width, height], fontSize }: Layout,
  font: Typeface,
): { sheet: Sheet; all: LabelledWord[][] } {
  const all: LabelledWord[][] = [[]];
  const widthOf = (text: string, style: TextStyle = {}): number =>
    rulerOf(style.font ?? font).widthOf(text, { ...style, size: style.size ?? fontSize });
  const text = (x: number, y: number, printed: string, style: TextStyle = {}): void => {
    const { align = 'left', bold = false, size = fontSize } = style;
    if (style.upward === true) return;
    const left = x - { left: 0, right: 1, center: 0.5 }[align] * (align === 'left' ? 0 : widthOf(printed, style));
    for (const found of printed.matchAll(/\S+/g)) {
      const at = found.index === 0 ? left : left + widthOf(printed.slice(0, found.index), style);
      all.at(-1)!.push({ text: found[0], x: at, y: y - ASCENT * size, width: widthOf(found[0], style), height: size, probability: 1, bold, source: 'text', role: 'untaught' }); // prettier-ignore
    }
  };
  const sheet: Sheet = {
    width,
    height,
    text,
    widthOf,
    lines: (x, y, leading, lines, style) => lines.forEach((line, n) => text(x, y + n * leading, line, style)),
    box() {},
    line() {},
    nextPage: () => void all.push([]),
    finish: () => Promise.reject(new Error('nothing is drawn')),
  };
  return { sheet, all };
}

/** From pence to roles. */
type Meanings = Map<number, Set<Role>>;

const adding =
  (meanings: Meanings) =>
  (pence: number | null | undefined, role: Role): void => {
    if (pence === null || pence === undefined || pence === 0) return;
    meanings.set(Math.abs(pence), (meanings.get(Math.abs(pence)) ?? new Set()).add(role));
  };

function meaningsOf(layout: Layout, truth: Truth, seed: string): Meanings {
  const meanings: Meanings = new Map();
  const add = adding(meanings);
  if (layout.type === 'payslip') payMeanings(makePay(seed, layout.pay), add);
  else if (layout.type === 'p60') {
    const { previous } = makeP60(seed);
    add(previous?.pay, 'base');
    add(previous?.tax, 'base');
  } else {
    const { toDate, thisEmployment } = makeP45(seed);
    for (const one of toDate === null ? [] : [thisEmployment]) {
      add(one?.pay, 'base');
      add(one?.tax, 'base');
    }
  }
  add(truth.gross_pay, 'gross');
  add(truth.net_pay, 'net');
  add(truth.tax_deducted, 'tax');
  add(truth.ni_deducted, 'ni');
  add(truth.pension_deducted, 'pension');
  return meanings;
}

const AMOUNTS = ['gross', 'net', 'tax', 'ni', 'pension'] as const;
const OWN: Partial<Record<Line['kind'], Role>> = { tax: 'tax', ni: 'ni', pension: 'pension', avc: 'pension' };

function payMeanings(pay: Pay, add: (pence: number, role: Role) => void): void {
  for (const line of pay.payments) add(line.amount, 'payment');
  for (const line of pay.deductions) add(line.amount, OWN[line.kind] ?? 'other-deduction');
  for (const line of [...pay.payments, ...pay.deductions]) add(line.ytd, 'year');
  for (const total of Object.values(pay.ytd)) add(total, 'year');
  add(pay.totalDeductions, 'deductions');
  add(pay.employerNi, 'employers');
  add(pay.employerPension, 'employers');
  add(pay.taxable, 'base');
}

interface Texts {
  employer?: string | null | undefined;
  period?: string | null | undefined;
  /** The pay date; on a P45, the leaving date. */
  day?: CalendarDate | null | undefined;
  code?: string | null | undefined;
  reference?: string | null;
}

function taught(page: Words, type: Kind, texts: Texts, meanings: Meanings): LabelledWord[] {
  const tokens = tokensOf(sheetOf(pageOf(page)));
  const printed = new Set(tokens.map(({ figure }) => Math.abs(figure?.pence ?? NaN)));
  // An amount may be missing, or printed only in parts.
  const isInLines = [...meanings].some(([pence, roles]) => AMOUNTS.some((role) => roles.has(role)) && !printed.has(pence)); // prettier-ignore
  const amountLesson = (pence: number): Lesson => {
    if (pence === 0) return 'untaught';
    const roles = meanings.get(Math.abs(pence));
    if (roles === undefined) return isInLines ? 'untaught' : 'no-amount';
    return roles.size === 1 ? [...roles][0]! : 'untaught';
  };
  const lessons = tokens.map((token) => (token.figure === null ? wordLesson(token) : amountLesson(token.figure.pence)));
  const mark = (ranges: [at: number, count: number][], role: Lesson): void => {
    for (const [at, count] of ranges) lessons.fill(role, at, at + count);
  };
  const days = texts.day ? daysOf(texts.day, tokens) : [];
  const period = texts.period?.replace(NUMBERED, '$1') ?? '';
  const isDay = type === 'p45' || dateIn(period)?.date === texts.day;
  mark(rangesOf(texts.employer ?? '', tokens), 'employer');
  mark(days, 'date');
  // If the period is the pay date itself, a printed day may be either.
  const ranges = rangesOf(period, tokens);
  if (!isDay) mark(ranges.length > 0 ? ranges : endsOf(period, tokens), 'period');
  else if (type !== 'p45' && days.length > 1) mark(days, 'untaught');
  mark(rangesOf(texts.code ?? '', tokens), 'code');
  mark(rangesOf(texts.reference ?? '', tokens), 'reference');
  const lessonOf = new Map(tokens.flatMap((token, at) => token.words.map((word) => [word.origin, lessons[at]!])));
  return page.words.map((word) => ({ ...word, role: lessonOf.get(word) ?? 'untaught' }));
}

/** Of the name of a tax week or month, only the number counts as the period. */
const NUMBERED = /^(?:tax )?(?:month|week|period)(?: number| no\.?)? (\d{1,2})$/i;

/** A word is not a name, and not a period either unless it may be part of a date. */
const wordLesson = ({ text }: Token): Lesson => (/\d|^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i.test(text) ? 'no-name' : 'no-name-or-period'); // prettier-ignore

function daysOf(day: CalendarDate, tokens: readonly Token[]): [at: number, count: number][] {
  const isDay = (at: number, count: number): boolean => {
    const part = tokens.slice(at, at + count);
    const text = part.map((token) => token.text.replace(/^[(]|[,;:)]$/g, '')).join(' ');
    const found = part.every(({ figure, top }) => figure === null && Math.abs(top - part[0]!.top) < 0.6) ? dateIn(text) : null; // prettier-ignore
    return part.length === count && found?.date === day && found.text.length >= text.length - 1;
  };
  return tokens.flatMap((_, at) => [1, 2, 3].flatMap((count) => (isDay(at, count) ? [[at, count] as [number, number]] : []))); // prettier-ignore
}

/** Takes the last day nearest to the first. */
function endsOf(period: string, tokens: readonly Token[]): [at: number, count: number][] {
  const [from, to] = period.split(/ (?:-|–|to) /i);
  const starts = to === undefined ? [] : rangesOf(from!, tokens);
  return starts.flatMap((start) => {
    const far = ([at]: [number, number]): number => Math.abs(tokens[at]!.left - tokens[start[0]]!.left) + 3 * Math.abs(tokens[at]!.top - tokens[start[0]]!.top); // prettier-ignore
    const [end] = rangesOf(to!, tokens).toSorted((a, b) => far(a) - far(b));
    return end === undefined ? [] : [start, end];
  });
}

/** The first token of each range with this text, and the number of tokens. */
function rangesOf(text: string, tokens: readonly Token[]): [at: number, count: number][] {
  if (text === '') return [];
  const words = text.split(/\s+/);
  const plain = (one: string) => one.replace(/^[(]|[,;:.)]$/g, '');
  const isAt = (at: number): boolean =>
    words.every((word, n) => {
      const [token, before] = [tokens[at + n], n === 0 ? undefined : tokens[at + n - 1]];
      if (token === undefined) return false;
      const isNext = before === undefined || Math.abs(token.top - before.top) < 0.6;
      return token.figure === null && plain(token.text) === plain(word) && isNext;
    });
  return tokens.flatMap((_, at) => (isAt(at) ? [[at, words.length] as [number, number]] : []));
}
