import type { Cell, Figure, Sheet } from './cells.ts';
import { wholeNumber } from './figures.ts';
import { centre, middle, overlapAcross, sameRow, type Box } from './geometry.ts';
import type { Pick } from './choice.ts';
import { figuresRight, textBetween } from './row.ts';
import { canonical } from './spelling.ts';

/** The amounts printed on a P60. */
export interface P60Amounts {
  gross: Pick | null;
  tax: Pick | null;
  ni: Pick | null;
  /**
   * Whether pay and tax of previous employments and of this one add up to the year's totals; null if one amount is
   * missing.
   */
  addsUp: boolean | null;
}

const pick = (figures: readonly (Figure | undefined)[]): Pick | null => {
  const printed = figures.filter((figure) => figure !== undefined);
  if (printed.length === 0) return null;
  return {
    pence: printed.reduce((total, figure) => total + figure.pence, 0),
    figures: printed,
    score: 0,
    inferred: false,
  };
};

const THIS = /\bin this employment\b|\bthis employment\b/;
const PREVIOUS = /\bprevious employment/;
const TOTAL = /\btotal (for|of) (the )?year\b|\btotal for\b/;

/** Reads pay and tax "in this employment" and the employee's National Insurance contributions of a P60. */
export function readP60(sheet: Sheet): P60Amounts {
  const find = (label: RegExp, not: RegExp): Row | null => payRow(sheet, label, not) ?? payColumns(sheet, label, not);
  const here = find(THIS, /\bni\b|\bstatutory\b|\bincluded\b|\babove\b|contribution/);
  const before = find(PREVIOUS, /\bni\b/);
  const total = find(TOTAL, /\bni\b/);
  const rows = { before, total };
  const caption = here?.[0] !== undefined && here[1] !== undefined ? here : captioned(sheet);
  const [pay, tax]: Row = [here?.[0] ?? caption[0], here?.[1] ?? caption[1]];
  const addsUp =
    here === null || total === null
      ? null
      : [0, 1].every((at) => (before?.[at]?.pence ?? 0) + (here[at]?.pence ?? NaN) === total[at]?.pence);
  return { gross: pick([pay]) ?? inferredPay(sheet, rows), tax: pick([tax]), ni: pick(contributions(sheet)), addsUp };
}

type Row = [Figure | undefined, Figure | undefined];

/**
 * Reads pay and tax on the row of a label, which may be printed over two lines. If a row has only one amount, its words
 * or its column show whether it is pay or tax.
 */
function payRow(sheet: Sheet, label: RegExp, not: RegExp): Row | null {
  const sofar: Row = [undefined, undefined];
  for (const { cell, words } of labelsOf(sheet, label)) {
    if (!label.test(words) || not.test(words)) continue;
    const row = sheet.figures
      .filter((figure) => figure.exact && figure.left > cell.right - 0.3)
      .filter((figure) => middle(figure) > cell.top - 0.2 && middle(figure) < cell.bottom + 0.2)
      .toSorted((a, b) => a.left - b.left);
    if (row.length >= 2) return [row[0], row[1]];
    if (row.length === 1) sofar[isTaxRow(sheet, cell, row[0]!) ? 1 : 0] ??= row[0];
  }
  return sofar.some((figure) => figure !== undefined) ? sofar : null;
}

/** Whether the only amount on a label's row is tax, by the words before it or the heading above it. */
function isTaxRow(sheet: Sheet, label: Cell, figure: Figure): boolean {
  const words = sheet.cells
    .filter((cell) => cell.left > label.left - 0.1 && cell.right < figure.left + 0.2 && sameRow(cell, figure, 0.9))
    .reduce((sofar, cell) => `${sofar} ${canonical(cell.text)}`, canonical(label.text));
  const [pay, tax] = [/\bpay\b|\bearnings\b/.test(words), /\btax\b/.test(words.replace(/\btax year\b/g, ''))];
  return pay === tax ? isTax(sheet, figure) : tax;
}

/** Reads pay and tax of older forms, on which the employments stand side by side, each with its own captions. */
function payColumns(sheet: Sheet, label: RegExp, not: RegExp): Row | null {
  const titles = sheet.cells.filter((cell) => [THIS, PREVIOUS, TOTAL].some((one) => one.test(canonical(cell.text))));
  for (const title of titles) {
    const words = canonical(title.text);
    const beside = titles.filter((other) => other !== title && sameRow(other, title, 0.9));
    if (!label.test(words) || not.test(words) || beside.length === 0) continue;
    const edge = Math.min(...beside.filter(({ left }) => left > title.left).map(({ left }) => left));
    const row = underCaptions(sheet, title, edge);
    if (row.some((figure) => figure !== undefined)) return row;
  }
  return null;
}

/** Reads the amounts for pay and tax below their captions. The captions stand below a title and left of an edge. */
function underCaptions(sheet: Sheet, title: Box, edge: number): Row {
  const captions = sheet.cells.filter(
    (cell) =>
      cell.top > title.bottom - 0.4 &&
      cell.top - title.bottom < 6 &&
      cell.left > title.left - 1.5 &&
      cell.left < edge - 1.5 &&
      /^(pay|(income )?tax( deducted)?)( p)?$/.test(canonical(cell.text)),
  );
  const under = (pattern: RegExp): Figure | undefined => {
    const caption = captions.find((cell) => pattern.test(canonical(cell.text)));
    if (caption === undefined) return undefined;
    const right = Math.min(edge, ...captions.filter(({ left }) => left > caption.left).map(({ left }) => left));
    return sheet.figures
      .filter((figure) => figure.exact && figure.top > caption.bottom - 0.4 && figure.top - caption.bottom < 5)
      .filter((figure) => centre(figure) > caption.left - 1 && centre(figure) < right - 0.3)
      .toSorted((a, b) => a.top - b.top)[0];
  };
  return [under(/^pay/), under(/tax/)];
}

/** Whether an amount is nearer to the column headed tax than to the column headed pay. */
function isTax(sheet: Sheet, figure: Figure): boolean {
  const distance = (heading: RegExp): number =>
    Math.min(
      ...sheet.cells
        .filter((cell) => cell.bottom < figure.top && heading.test(canonical(cell.text)))
        .map((cell) => Math.abs(centre(cell) - centre(figure))),
    );
  return distance(/^tax( deducted)?$/) < distance(/^pay$/);
}

/**
 * Returns the pay of this employment if OCR could not read its pence. The year's total less previous pay must have the
 * same pounds.
 */
function inferredPay(sheet: Sheet, rows: { before: Row | null; total: Row | null }): Pick | null {
  const total = rows.total?.[0];
  const before = rows.before?.[0];
  if (total === undefined || (before === undefined && rows.before !== null)) return null;
  const due = total.pence - (before?.pence ?? 0);
  const printed = sheet.cells.find((cell) => {
    const whole = wholeNumber(cell.text);
    return (
      whole !== null &&
      whole === Math.floor(due / 100) &&
      middle(cell) > (before === undefined ? total.top - 8 : middle(before)) &&
      middle(cell) < middle(total)
    );
  });
  if (printed === undefined || due < 0) return null;
  return { pence: due, figures: [{ ...printed, pence: due, exact: true }], score: 0, inferred: true };
}

/** Returns the labels on a page, whether printed on one line or over two lines. */
function labelsOf(sheet: Sheet, label?: RegExp): { cell: Cell; words: string }[] {
  const single = sheet.cells.map((cell) => ({ cell, words: canonical(cell.text) }));
  const double = single.flatMap(({ cell: upper, words }) => {
    const lower = single.find(
      ({ cell }) =>
        cell.top - upper.bottom > -0.4 && cell.top - upper.bottom < 0.8 && Math.abs(cell.left - upper.left) < 1,
    );
    if (lower === undefined || (label !== undefined && (label.test(words) || label.test(lower.words)))) return [];
    const text = `${upper.text} ${lower.cell.text}`;
    const cell = { ...upper, bottom: lower.cell.bottom, right: Math.max(upper.right, lower.cell.right), text };
    return [{ cell, words: canonical(text) }];
  });
  return [...single, ...double];
}

/** Reads forms whose captions name pay and tax, such as "Pay in this employment". */
function captioned(sheet: Sheet): Row {
  // If the form does not separate employments, the year's totals belong to the only employment.
  const isOnly = !sheet.cells.some((cell) => THIS.test(canonical(cell.text)) || PREVIOUS.test(canonical(cell.text)));
  const not = isOnly ? /previous|statutory|year to\b/ : /previous|total|statutory|year to\b/;
  const find = (label: RegExp): Figure | undefined => {
    for (const { cell, words } of labelsOf(sheet)) {
      if (!label.test(words) || not.test(words)) continue;
      const right = figuresRight(sheet, cell)[0];
      const below = sheet.figures.filter(
        (figure) =>
          figure.exact &&
          figure.top > cell.bottom - 0.3 &&
          figure.top - cell.bottom < 4 &&
          overlapAcross(figure, cell) > 0.2,
      )[0];
      const found = right ?? below;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return [
    find(
      /^(total |gross )?(pay|earnings)( paid)? ((in|from|for|at) )?(this employment|(for )?(the )?(tax )?year)|^pay$/,
    ),
    find(
      /^(total )?(income |paye )?tax ((deducted|paid|taken) )?((in|from|for|at) )?(this employment|(for )?(the )?(tax )?year)|^(total )?(income )?tax deducted$/,
    ),
  ];
}

const EMPLOYEES = /\bee (ni|contribution)\b/;

/**
 * Finds the employee's National Insurance contributions: the amount beside their label, or the amounts below it.
 * Failing both, takes the right-most amounts of the table below "National Insurance contributions in this employment".
 */
function contributions(sheet: Sheet): Figure[] {
  const own = sheet.cells.filter((cell) => EMPLOYEES.test(canonical(cell.text)));
  for (const cell of own) {
    const beside = figuresRight(sheet, cell)[0];
    if (beside?.exact === true && !textBetween(sheet, cell, beside)) return [beside];
  }
  const headings = labelsOf(sheet).filter(({ words }) =>
    /\bni\b.*\b(in this employment|contribution)|^ni( (details|in|table))?$|\bee (ni|contribution)/.test(words),
  );
  for (const { cell } of headings) {
    const end = Math.min(
      cell.bottom + 22,
      ...sheet.cells
        .filter(
          (other) =>
            other.top > cell.bottom &&
            /^(statutory|other details|student|er (full|name|paye)|your er|final tax)/.test(canonical(other.text)),
        )
        .map((other) => other.top),
    );
    const below = sheet.figures.filter(
      (figure) => figure.exact && figure.top > cell.top - 0.4 && figure.bottom < end + 0.3,
    );
    const captions = own.filter((caption) => caption.top > cell.bottom - 0.4 && caption.top < end);
    const under = below.filter((figure) =>
      captions.some((caption) => figure.top > caption.bottom - 0.4 && overlapAcross(figure, caption) > 0.5),
    );
    const edge = Math.max(...(under.length > 0 ? under : below).map((figure) => figure.right));
    const column = below.filter((figure) => Math.abs(figure.right - edge) < 1.2);
    if (column.length > 0) return rowsWithLetter(sheet, column);
  }
  return [];
}

/**
 * If a column has several amounts, keeps those on rows that begin with a category letter. A printed sum is not added
 * again.
 */
function rowsWithLetter(sheet: Sheet, column: Figure[]): Figure[] {
  const lettered = column.filter((figure) =>
    sheet.cells.some((cell) => /^[A-Z]$/.test(cell.text.trim()) && sameRow(cell, figure, 0.8)),
  );
  return lettered.length > 0 ? lettered : column.slice(0, 1);
}
