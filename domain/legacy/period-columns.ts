import type { Cell, Figure, Sheet } from './cells.ts';
import { centre, overlapAcross, sameRow } from './geometry.ts';
import { headingOf, labelOf, type Heading } from './labels.ts';
import { findPayDate, periodIn } from './period.ts';
import { dateIn, monthsIn } from './printed-dates.ts';

/** Maps the captions above columns of different periods to what they mean for the amounts below. */
export interface PeriodColumns {
  headings: ReadonlyMap<Cell, Heading>;
  /** Whether nothing on the page says which of the columns is being paid. */
  undecided: boolean;
}

const NONE: PeriodColumns = { headings: new Map(), undecided: false };
const KNOWN = new WeakMap<Sheet, PeriodColumns>();

/**
 * Finds columns captioned by periods, such as `July | August | Tax year`. The period in the page's title, its labelled
 * period or its pay date shows which column is being paid.
 */
export function periodColumns(sheet: Sheet): PeriodColumns {
  const known = KNOWN.get(sheet) ?? found(sheet);
  KNOWN.set(sheet, known);
  return known;
}

export const headingAt = (sheet: Sheet, cell: Cell): Heading | null =>
  periodColumns(sheet).headings.get(cell) ?? headingOf(cell.text);

/**
 * A caption and the period that it names. `names` are spellings of the period for comparison, the most explicit first.
 */
interface Caption {
  cell: Cell;
  names: readonly string[];
}

function found(sheet: Sheet): PeriodColumns {
  const rows = captionRows(sheet);
  if (rows.length === 0) return NONE;
  const captions = new Set(rows.flat().map(({ cell }) => cell));
  const headings = new Map<Cell, Heading>();
  let undecided = false;
  for (const row of rows) {
    const told = row.find(({ cell }) => headingOf(cell.text) === 'now');
    const named = told ?? paidOne(sheet, row, captions);
    undecided ||= named === null;
    for (const one of row) headings.set(one.cell, one === (named ?? row.at(-1)) ? 'now' : 'other');
  }
  return { headings, undecided };
}

const LAST = /\b(last|previous|prior|earlier|preceding)\b/i;

/** Finds rows of captions that name at least two periods. Each caption has its own column of amounts on common rows. */
function captionRows(sheet: Sheet): Caption[][] {
  const rows: Caption[][] = [];
  for (const cell of sheet.cells) {
    const names = namesIn(cell);
    if (names === null) continue;
    const row = rows.find((other) => sameRow(other[0]!.cell, cell));
    if (row === undefined) rows.push([{ cell, names }]);
    else row.push({ cell, names });
  }
  return rows
    .map((row) => row.filter((one) => row.some((other) => other !== one && shareRows(sheet, one.cell, other.cell))))
    .filter((row) => row.length > 1 && new Set(row.map(({ names }) => names.join())).size === row.length)
    .filter((row) => new Set(row.map(({ names }) => kindOf(names[0]!)).filter((kind) => kind !== null)).size < 2);
}

/**
 * Returns the kind of period: a day, a month, or a numbered week or month. Null for a relative period such as "this
 * period".
 */
function kindOf(name: string): string | null {
  if (name === 'now' || name === 'last') return null;
  return /^\d{4}-\d\d-\d\d$/.test(name) ? 'day' : /^\d/.test(name) ? 'month' : name[0]!;
}

/** Returns the period that a caption names, in several spellings; null if the text says anything else. */
function namesIn(cell: Cell): string[] | null {
  if (labelOf(cell.text) !== null && headingOf(cell.text) === null) return null;
  if (headingOf(cell.text) === 'now') return ['now'];
  if (/^(last|previous|prior)$/i.test(cell.text) || (LAST.test(cell.text) && headingOf(cell.text) === 'ytd'))
    return ['last'];
  const bare = cell.text
    .replace(/\((last|previous|prior|this|current)[^)]*\)/i, '')
    .replace(
      /^(four |4 )?(weeks?|months?|period|w\/e|m\/e|paid|pay|payslip)[ ,:]*(ending|ended|end|of|on|for|to)?[ :]+(?!\d{1,2}$)/i,
      '',
    )
    .replace(/[ ,]+(pay|payslip|figures?|amount|total|\(?£\)?)$/i, '')
    .trim();
  return periodIn(bare) === null || bare.length > 26 ? null : namesOf(bare);
}

/**
 * Returns the periods that a text names: its last day or its months, with and without the year, and its numbered weeks
 * and months.
 */
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

/** Whether the columns of amounts below two captions share at least two rows. */
function shareRows(sheet: Sheet, a: Cell, b: Cell): boolean {
  const under = (cell: Cell) =>
    sheet.figures.filter(
      (figure) =>
        figure.top > cell.bottom - 0.3 &&
        (Math.abs(figure.right - cell.right) < 1 ||
          Math.abs(figure.left - cell.left) < 1 ||
          Math.abs(centre(figure) - centre(cell)) < 1) &&
        overlapAcross(figure, cell) > 0.3,
    );
  const others = under(b);
  const near = (cell: Cell, figures: readonly Figure[]) => figures.some((figure) => figure.top - cell.bottom < 6);
  const own = under(a);
  const shared = own.filter((figure) => others.some((other) => other !== figure && sameRow(other, figure)));
  return near(a, own) && near(b, others) && shared.length >= 2;
}

const OF_PAY = /pay|payslip|slip|wage|salary|earn|period|month|week|advice|statement/i;
const NOT_OF_PAY =
  /\b(last|previous|prior|since|compared?|birth|born|started?|joined|year|leave|next|bank|account|paid)\b/i;

/**
 * Finds the caption of the period being paid: the period in the page's title or beside a label, or else of the pay
 * date.
 */
function paidOne(sheet: Sheet, row: readonly Caption[], captions: ReadonlySet<Cell>): Caption | null {
  const rest = row.filter(({ names }) => names[0] !== 'last');
  if (rest.length === 1) return rest[0]!;
  const outside = sheet.cells.filter((cell) => !captions.has(cell));
  const titles = outside.filter(({ text }) => OF_PAY.test(text) && !NOT_OF_PAY.test(text));
  const spans = outside.filter(
    ({ text }) => periodIn(text) === text.trim() && !titles.some((one) => one.text === text),
  );
  const day = findPayDate(sheet);
  for (const texts of [
    titles.map(({ text }) => text),
    spans.map(({ text }) => text),
    day === null ? [] : [day.value],
  ]) {
    const named = new Set(texts.flatMap((text) => matching(rest, text)));
    if (named.size === 1) return [...named][0]!;
  }
  return null;
}

/** Finds the captions whose period a text names. The last day stands for a range of days. */
function matching(row: readonly Caption[], text: string): Caption[] {
  const names = namesOf(text);
  const plainly = row.filter((one) => names.includes(one.names[0]!));
  return plainly.length > 0 ? plainly : row.filter((one) => sameMonth(one.names, names));
}

function sameMonth(a: readonly string[], b: readonly string[]): boolean {
  const [here, there] = [a, b].map((names) => names.filter((name) => /^\d{4}-\d\d$/.test(name)));
  const dated = here!.length > 0 && there!.length > 0;
  return a.some((name) => b.includes(name) && (!dated || name.length > 2));
}
