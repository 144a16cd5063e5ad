import type { Cell, Figure, Sheet } from './cells.ts';
import { centre, overlapAcross, sameRow } from './geometry.ts';
import { grouped } from './grouped.ts';
import { periodIn } from './period.ts';
import { dateIn, monthsIn } from './printed-dates.ts';
import { probabilityOf, ROLES, type ScoredSheet } from './scored.ts';
import type { Solution } from './solve.ts';
import { foundIn } from './spans.ts';

/** Amounts of another period have no role, if the paid period has an amount on the same row. */
interface PaidColumn {
  scored: ScoredSheet;
  /** Null if no columns name periods. */
  isNamed: boolean | null;
}

/** `names` has the period in several forms, the most explicit first. */
interface Heading {
  cell: Cell;
  names: readonly string[];
}

/** Gives the amounts in the paid period's column (`July | August`) the roles of all amounts on their rows. */
export function paidColumn(scored: ScoredSheet): PaidColumn {
  const { sheet } = scored;
  const rows = headingRows(sheet);
  if (rows.length === 0) return { scored, isNamed: null };
  const headings = new Set(rows.flat().map(({ cell }) => cell));
  const roles = new Map<Figure, Float32Array>();
  let isNamed = true;
  for (const row of rows) {
    const paid = row.find(({ names }) => names[0] === 'now') ?? paidOne(scored, row, headings);
    isNamed &&= paid !== null;
    if (paid === null) continue;
    const own = figuresUnder(sheet, paid.cell);
    for (const other of row.filter((one) => one !== paid))
      for (const figure of figuresUnder(sheet, other.cell)) {
        const now = own.find((one) => sameRow(one, figure));
        if (now === undefined || now === figure) continue;
        roles.set(now, together(roles.get(now) ?? rolesOf(scored, now), rolesOf(scored, figure))).set(figure, NO_ROLE);
      }
  }
  return { scored: withRoles(scored, roles), isNamed };
}

/** The model may give the role of a row to any of its amounts, or divide the probability among them. */
const together = (one: Float32Array, other: Float32Array): Float32Array =>
  one.map((probability, role) => (ROLES[role] === 'none' || ROLES[role] === 'year' ? 0 : Math.min(1, probability + other[role]!))); // prettier-ignore

const NO_ROLE = Float32Array.from(ROLES, (role) => (role === 'none' ? 1 : 0));

const rolesOf = ({ tokens, scores }: ScoredSheet, figure: Figure): Float32Array => {
  const at = tokens.findIndex((token) => token.figure === figure) * ROLES.length;
  return at < 0 ? NO_ROLE : scores.roles.slice(at, at + ROLES.length);
};

function withRoles(scored: ScoredSheet, changed: ReadonlyMap<Figure, Float32Array>): ScoredSheet {
  const roles = scored.scores.roles.slice();
  scored.tokens.forEach(({ figure }, at) => {
    const given = figure === null ? undefined : changed.get(figure);
    if (given !== undefined) roles.set(given, at * ROLES.length);
  });
  return { ...scored, scores: { ...scored.scores, roles } };
}

function headingRows(sheet: Sheet): Heading[][] {
  const headings = sheet.cells.flatMap((cell): Heading[] => {
    const names = namesIn(cell.text);
    return names === null ? [] : [{ cell, names }];
  });
  return grouped(headings, ([first], { cell }) => sameRow(first!.cell, cell))
    .map((row) => row.filter((one) => row.some((other) => other !== one && shareRows(sheet, one.cell, other.cell))))
    .filter((row) => row.length > 1 && new Set(row.map(({ names }) => names.join())).size === row.length);
}

function namesIn(text: string): string[] | null {
  if (/^(this|current) (period|month|week|pay)$/i.test(text)) return ['now'];
  if (/^(last|previous|prior)( (period|month|week|pay))?$/i.test(text)) return ['last'];
  const bare = text
    .replace(/\((last|previous|prior|this|current)[^)]*\)/i, '')
    .replace(/^(weeks?|months?|period|w\/e|m\/e|paid|pay)[ ,:]*(ending|ended|end|of|on|for|to)[ :]+(?!\d{1,2}$)/i, '')
    .replace(/[ ,]+(pay|figures?|amount|total|\(?£\)?)$/i, '')
    .trim();
  return periodIn(bare) === null || bare.length > 26 ? null : namesOf(bare);
}

function namesOf(text: string): string[] {
  const days: string[] = [];
  let rest = text;
  for (let date = dateIn(rest); date !== null; date = dateIn(rest)) {
    days.push(date.date);
    rest = rest.slice(rest.indexOf(date.text) + date.text.length);
  }
  const last = days.at(-1);
  const numbers = [...text.matchAll(/\b(week|wk|month|mth|period|w|m)\.?(?: no\.?)? ?0?(\d{1,2})\b(?! ?[\/.]\d)/gi)];
  const numbered = numbers.map(([, word, number]) => `${word![0]!.toLowerCase()}${number!}`);
  return last === undefined
    ? [...monthsIn(text), ...numbered]
    : [last, last.slice(0, 7), last.slice(5, 7), ...numbered];
}

const figuresUnder = (sheet: Sheet, cell: Cell): Figure[] =>
  sheet.figures.filter(
    (figure) =>
      figure.top > cell.bottom - 0.3 &&
      (Math.abs(figure.right - cell.right) < 1 ||
        Math.abs(figure.left - cell.left) < 1 ||
        Math.abs(centre(figure) - centre(cell)) < 1) &&
      overlapAcross(figure, cell) > 0.3,
  );

function shareRows(sheet: Sheet, a: Cell, b: Cell): boolean {
  const [own, others] = [figuresUnder(sheet, a), figuresUnder(sheet, b)];
  const near = (cell: Cell, figures: readonly Figure[]) => figures.some((figure) => figure.top - cell.bottom < 6);
  const shared = own.filter((figure) => others.some((other) => other !== figure && sameRow(other, figure)));
  return near(a, own) && near(b, others) && shared.length >= 2;
}

const OF_PAY = /pay|payslip|slip|wage|salary|earn|period|month|week|advice|statement/i;
const NOT_OF_PAY =
  /\b(last|previous|prior|since|compared?|birth|born|started?|joined|year|leave|next|bank|account|paid)\b/i;

/** The only heading not of the previous period, or the only one that a title, a period or the pay date names. */
function paidOne(scored: ScoredSheet, row: readonly Heading[], headings: ReadonlySet<Cell>): Heading | null {
  const { sheet } = scored;
  const rest = row.filter(({ names }) => names[0] !== 'last');
  if (rest.length === 1) return rest[0]!;
  const outside = sheet.cells.filter((cell) => !headings.has(cell));
  const titles = outside.filter(({ text }) => OF_PAY.test(text) && !NOT_OF_PAY.test(text));
  const spans = outside.filter(({ text }) => periodIn(text) === text.trim());
  const day = foundIn(scored, 'date', (text) => dateIn(text)?.text ?? null)?.value ?? '';
  for (const texts of [titles.map(({ text }) => text), spans.map(({ text }) => text), [day]]) {
    const named = new Set(texts.flatMap((text) => matching(rest, text)));
    if (named.size === 1) return [...named][0]!;
  }
  return null;
}

/** Of a range of days, only the last day counts. */
function matching(row: readonly Heading[], text: string): Heading[] {
  const names = namesOf(text);
  const plainly = row.filter((one) => names.includes(one.names[0]!));
  return plainly.length > 0 ? plainly : row.filter((one) => sameMonth(one.names, names));
}

function sameMonth(a: readonly string[], b: readonly string[]): boolean {
  const [here, there] = [a, b].map((names) => names.filter((name) => /^\d{4}-\d\d$/.test(name)));
  const dated = here!.length > 0 && there!.length > 0;
  return a.some((name) => b.includes(name) && (!dated || name.length > 2));
}

/** A year-to-date amount equals the period's amount, or is at least this many times as large. */
const YEAR = 1.7;
const KNOWN = 0.95;

/** Whether another column has a gross, net and tax amount that might be the paid period's. */
export function hasRivalColumn(
  scored: ScoredSheet,
  { gross, net, tax }: Pick<Solution, 'gross' | 'net' | 'tax'>,
): boolean {
  const [total, left, part] = [gross?.figures[0], net?.figures[0], tax?.figures[0]];
  if (total === undefined || left === undefined || part === undefined) return false;
  const isOpen = (figure: Figure): boolean => {
    const at = scored.tokens.findIndex((token) => token.figure === figure);
    return at >= 0 && figure.exact && probabilityOf(scored, at, 'year') < KNOWN && probabilityOf(scored, at, 'employers') < KNOWN; // prettier-ignore
  };
  const beside = (own: Figure): Figure[] =>
    scored.sheet.figures.filter((one) => one !== own && sameRow(one, own) && isOpen(one));
  const aligned = (a: Figure, b: Figure): boolean => Math.abs(a.right - b.right) < 0.8;
  if (!aligned(total, left) || !aligned(total, part)) return false;
  return beside(total).some(
    (other) =>
      other.pence < total.pence * YEAR &&
      beside(part).some((one) => aligned(one, other)) &&
      beside(left).some((one) => aligned(one, other) && one.pence > 0 && one.pence <= other.pence && one.pence !== left.pence), // prettier-ignore
  );
}
