import type { Cell, Figure, Sheet } from './cells.ts';
import { headingsOf, roleOf, type Headed, type Over, type Role } from './columns.ts';
import { around, centre, middle, overlapAcross, sameRow, type Box } from './geometry.ts';
import { headingOf, labelOf, type Heading, type Label, type LabelField } from './labels.ts';
import { isSaidOfAmount } from './row-titles.ts';
import { figuresRight, textBetween } from './row.ts';
import { inTable, transposedTables } from './transposed.ts';

/** A label that names a field, with its position on the page. A label printed over two lines is one label. */
export interface Placard extends Label {
  cell: Cell;
}

/** A printed amount that may be the value of a field, and how well it fits. */
export interface Candidate {
  field: LabelField;
  figure: Figure;
  label: Placard;
  score: number;
  /** Whether the amount is a year-to-date total, or belongs to a period other than the one being paid. */
  ytd: boolean;
  role: Role;
}

/** The widest space between the words of a label, as a multiple of the page's usual word height. */
const WIDE_SPACE = 1.8;

/** Finds every label on a page that names a field, whether printed on one line or on two. */
export function placards(sheet: Sheet): Placard[] {
  const found: Placard[] = [];
  const merged = new Set<Cell>();
  // Text such as "year to date" that follows an amount describes that amount. It is not part of a label below.
  const cells = sheet.cells.filter((cell) => !isSaidOfAmount(sheet, cell));
  for (const upper of cells) {
    for (const lower of cells) {
      if (merged.has(upper) || merged.has(lower)) continue;
      const isBeside = continuesRight(upper, lower);
      if (!isBeside && !continuesBelow(upper, lower)) continue;
      const label = labelOf(`${upper.text} ${lower.text}`);
      const alone = [labelOf(upper.text), labelOf(lower.text)];
      if (
        label === null ||
        alone.some(
          (other) => other !== null && (isBeside || (other.quality >= label.quality && sameMeaning(other, label))),
        )
      )
        continue;
      // Labels with different fields on two lines, such as `National Insurance 88.16` above `Super 86.00`, are two
      // labels.
      const other = alone[0] !== null && alone[0]!.field !== label.field;
      if (other && figuresRight(sheet, upper).length > 0) continue;
      const own = (alone[1] !== null && alone[1] !== undefined) || isTitle(sheet, lower);
      if (own && figuresRight(sheet, upper).length > 0) continue;
      merged.add(upper).add(lower);
      found.push({ ...label, cell: { ...upper, ...around([upper, lower]), text: `${upper.text} ${lower.text}` } });
    }
  }
  for (const cell of sheet.cells) {
    const label = merged.has(cell) ? null : labelOf(cell.text);
    if (label !== null) found.push({ ...label, cell });
  }
  return found;
}

/** Whether a text is the title at the left of a row of captions: `Year to date | Gross pay | Tax`. */
const isTitle = (sheet: Sheet, cell: Cell): boolean =>
  headingOf(cell.text) !== null &&
  sheet.cells.some((other) => other.left > cell.right && sameRow(other, cell) && labelOf(other.text) !== null);

const sameMeaning = (a: Label, b: Label): boolean =>
  a.field === b.field && a.ytd === b.ytd && a.employer === b.employer && a.now === b.now;

function continuesBelow(upper: Box, lower: Box): boolean {
  const gap = lower.top - upper.bottom;
  const aligned =
    Math.abs(upper.left - lower.left) < 0.8 ||
    Math.abs(centre(upper) - centre(lower)) < 0.8 ||
    Math.abs(upper.right - lower.right) < 0.8;
  return gap > -0.4 && gap < 0.7 && aligned && overlapAcross(upper, lower) > 0.5;
}

/**
 * Whether the right cell continues the label in the left cell. OCR reads wide spaces in scans, such as `Nat.
 * Insurance`.
 */
function continuesRight(left: Cell, right: Cell): boolean {
  const gap = right.left - left.right;
  const isNear = left.source === 'ocr' && gap > 0 && gap < WIDE_SPACE && sameRow(left, right);
  return isNear && headingOf(left.text) === null && headingOf(right.text) === null;
}

/** Finds every amount on a page that may belong to one of the page's labels. */
export function candidatesOf(sheet: Sheet): Candidate[] {
  const headings = headingsOf(sheet);
  const tables = transposedTables(sheet);
  return placards(sheet).flatMap((label) => {
    // A label with an amount to its right is not the caption of a column of amounts below it.
    const beside = figuresRight(sheet, label.cell).some((figure) => !textBetween(sheet, label.cell, figure));
    const inside = beside ? [] : inTable(tables, label.cell);
    if (inside.length > 0) return inside.map((figure) => candidate(sheet, headings, label, figure, 2.5));
    const right = rightOf(sheet, headings, label);
    // If a row has its own amount, the amount below that one belongs to the next row.
    const below = belowOf(sheet, headings, label).filter(
      ({ figure }) => !right.some((one) => overlapAcross(one.figure, figure) > 0.2),
    );
    return [...right, ...below];
  });
}

function rightOf(sheet: Sheet, headings: readonly Headed[], label: Placard): Candidate[] {
  const row = figuresRight(sheet, label.cell).filter((figure) => !textBetween(sheet, label.cell, figure));
  return row.map((figure, at) => {
    const gap = figure.left - label.cell.right;
    return candidate(sheet, headings, label, figure, 3 - 0.02 * gap - 0.6 * at);
  });
}

function belowOf(sheet: Sheet, headings: readonly Headed[], label: Placard): Candidate[] {
  const next = sheet.cells.filter((cell) => cell.left > label.cell.right && sameRow(cell, label.cell, 0.9));
  const edge = Math.min(...next.map((cell) => cell.left), Math.max(...sheet.all.map((cell) => cell.right)));
  const field = { ...label.cell, right: edge - 0.3 };
  const under = sheet.figures
    .filter((figure) => figure.top > label.cell.bottom - 0.4 && figure.top - label.cell.bottom < 4.6)
    .filter(
      (figure) =>
        overlapAcross(figure, label.cell) > 0.05 || (overlapAcross(figure, field) > 0.6 && figure.right <= edge + 0.5),
    )
    .filter((figure) => !coveredBy(sheet, label.cell, figure));
  under.sort((a, b) => a.top - b.top || a.left - b.left);
  const first = under[0];
  if (first === undefined) return [];
  return under
    .filter((figure) => sameRow(figure, first))
    .map((figure) => {
      const dy = figure.top - label.cell.bottom;
      const dx = Math.min(
        Math.abs(centre(figure) - centre(label.cell)),
        Math.abs(figure.right - label.cell.right),
        Math.abs(figure.left - label.cell.left),
      );
      return candidate(sheet, headings, label, figure, 2.5 - 0.2 * dy - 0.08 * dx - (rowLabel(sheet, figure) ? 3 : 0));
    });
}

/** Whether a text stands between a caption and an amount below it. */
function coveredBy(sheet: Sheet, caption: Box, figure: Box): boolean {
  return sheet.all.some(
    (cell) =>
      middle(cell) > caption.bottom &&
      middle(cell) < figure.top &&
      overlapAcross(cell, caption) > 0.2 &&
      overlapAcross(cell, figure) > 0.2 &&
      /[a-z0-9]{2}/i.test(cell.text),
  );
}

/** Whether an amount below a caption has its own label on its row. */
function rowLabel(sheet: Sheet, figure: Figure): boolean {
  return sheet.cells.some(
    (cell) =>
      cell.right < figure.left + 0.2 &&
      sameRow(cell, figure) &&
      figure.left - cell.right < 14 &&
      /[a-z]{3}/i.test(cell.text) &&
      !textBetween(sheet, cell, figure) &&
      !sheet.figures.some(
        (other) => other.left > cell.right - 0.3 && other.right < figure.left && sameRow(other, figure),
      ),
  );
}

/**
 * How much the heading above an amount's column changes the amount's score. Half of it counts if the heading may belong
 * to something else.
 */
const COLUMN_SCORE = {
  ytd: -6,
  other: -6,
  employer: -6,
  employee: 1.5,
  base: -6,
  measure: -4,
  now: 1,
  amount: 0.3,
  payments: 0,
  deductions: 0.2,
};
/** How much the heading of the block that contains an amount's label changes the amount's score. */
const BLOCK_SCORE = {
  ytd: -6,
  other: -6,
  employer: -6,
  employee: 0,
  base: 0,
  measure: 0,
  now: 1,
  amount: 0,
  payments: 0,
  deductions: 0.2,
};

function candidate(sheet: Sheet, headings: readonly Headed[], label: Placard, figure: Figure, near: number): Candidate {
  const role = roleOf(sheet, headings, label.cell, figure);
  const column = weight(role.column, COLUMN_SCORE);
  // The heading of an amount's column counts more than the heading of its label's block. The exception is a block of
  // employer's contributions.
  const employers = isFirm(role.block, 'employer') && (label.field === 'ni' || label.field === 'pension');
  const block = isNow(role.column) && !employers ? 0 : weight(role.block, BLOCK_SCORE);
  const over = column < 0 || block < 0 ? Math.min(column, block) : Math.max(column, block);
  const own = (label.ytd ? -6 : 0) + (label.now ? 1 : 0) + (label.employer ? -6 : 0);
  const printed = (figure.exact ? 0 : -1.5) + (figure.pence < 0 ? -0.3 : 0);
  const ytd = label.ytd || (!label.now && (isYtd(role.column) || (!isNow(role.column) && isYtd(role.block))));
  return { field: label.field, figure, label, score: near + label.quality * 2 + over + own + printed, ytd, role };
}

const isFirm = (over: Over | null, heading: Heading): boolean => over?.heading === heading && over.firm;
const isNow = (over: Over | null): boolean => isFirm(over, 'now');
const isYtd = (over: Over | null): boolean => isFirm(over, 'ytd') || isFirm(over, 'other');

function weight(over: Over | null, scores: Record<Heading, number>): number {
  return over === null ? 0 : scores[over.heading] * (over.firm ? 1 : 0.5);
}
