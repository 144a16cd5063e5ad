import type { CalendarDate } from '../dates.ts';
import type { Cell, Figure, Sheet } from './cells.ts';
import type { Pick } from './choice.ts';
import { around, overlapAcross, sameRow } from './geometry.ts';
import { labelled, type Labelled } from './labelled.ts';
import { dateIn } from './printed-dates.ts';
import { figuresRight, textBetween } from './row.ts';
import { canonical } from './spelling.ts';

/** The pay, tax and leaving date on a P45. */
export interface P45Amounts {
  gross: Pick | null;
  tax: Pick | null;
}

const THIS_PAY = /\b(total )?pay in this employment\b|^this employment (total )?pay$/;
const THIS_TAX = /\b(total )?tax in this employment\b|^this employment (total )?tax$/;
const TOTAL_PAY = /\btotal pay YTD\b|^pay YTD$|^gross pay YTD$/;
const TOTAL_TAX = /\btotal tax( deducted| paid)? YTD\b|^tax( deducted| paid)? YTD$/;

/** Reads pay and tax of a P45: both from the totals to date (box 7), or both from this employment (box 8). */
export function readP45(sheet: Sheet): P45Amounts {
  const find = (label: RegExp): Pick | null => {
    const figure = labelsOf(sheet).flatMap((cell) =>
      label.test(labelText(cell)) ? (amountOf(sheet, cell) ?? []) : [],
    )[0];
    return printed(figure);
  };
  const totals = { gross: find(TOTAL_PAY), tax: find(TOTAL_TAX) };
  if (totals.gross !== null || totals.tax !== null) return totals;
  const own = { gross: find(THIS_PAY), tax: find(THIS_TAX) };
  return own.gross !== null || own.tax !== null ? own : (inRow(sheet, TOTALS) ?? inRow(sheet, OWN) ?? own);
}

const printed = (figure: Figure | undefined): Pick | null =>
  figure === undefined ? null : { pence: figure.pence, figures: [figure], score: 0, inferred: false };

const TOTALS = /^(total )?(pay and tax )?YTD$|^total$/;
const OWN = /^(in |pay and tax in )?this employment( pay and tax)?$/;

/** Reads the amounts for pay and tax on the row of a label. */
function inRow(sheet: Sheet, label: RegExp): P45Amounts | null {
  for (const cell of sheet.cells) {
    if (!label.test(labelText(cell))) continue;
    const row = figuresRight(sheet, cell).filter((figure) => figure.exact);
    const under = (heading: RegExp): Pick | null => {
      const figure = row.find((one) =>
        sheet.cells.some(
          (other) =>
            heading.test(canonical(other.text)) &&
            other.bottom < one.top &&
            one.top - other.bottom < HEADING &&
            overlapAcross(other, one) > 0.2,
        ),
      );
      return printed(figure);
    };
    const found = {
      gross: under(/^(total |gross )?pay( £)?$/),
      tax: under(/^(total |income )?tax( deducted| paid)?( £)?$/),
    };
    if (found.gross !== null && found.tax !== null) return found;
  }
  return null;
}

/** The largest distance from a column's heading down to its amounts, in word heights. */
const HEADING = 8;

/** The texts of a page. A text that ends with a colon is joined with the next text: `8 This employment: total pay`. */
const labelsOf = (sheet: Sheet): Cell[] =>
  sheet.cells.flatMap((cell) => {
    const next = cell.text.endsWith(':')
      ? sheet.cells.find((other) => sameRow(other, cell) && other.left > cell.right && other.left - cell.right < 1)
      : undefined;
    return next === undefined
      ? [cell]
      : [cell, { ...cell, ...around([cell, next]), text: `${cell.text} ${next.text}` }];
  });

/** Returns a box's label without the box's number. */
const labelText = (cell: Cell): string => canonical(cell.text.replace(/^\d{1,2}[.)]?\s+/, ''));

/** The largest distance from a label to its box, in word heights: the form's text takes half of the page's width. */
const WIDEST = 65;

function amountOf(sheet: Sheet, label: Cell): Figure | undefined {
  const right = figuresRight(sheet, label).filter(
    (figure) => !textBetween(sheet, label, figure) && figure.left - label.right < WIDEST,
  )[0];
  const below = sheet.figures
    .filter(
      (figure) =>
        figure.top > label.bottom - 0.4 && figure.top - label.bottom < 3.5 && overlapAcross(figure, label) > 0.2,
    )
    .toSorted((a, b) => a.top - b.top)[0];
  return right ?? below ?? besideBelow(sheet, label);
}

/** Finds the amount in a box that is below and to the right of its label, as on the official form. */
function besideBelow(sheet: Sheet, label: Cell): Figure | undefined {
  const isNear = (figure: Figure): boolean =>
    figure.top > label.bottom - 0.4 &&
    figure.top - label.bottom < 2 &&
    figure.left > label.right &&
    figure.left - label.right < 20;
  return sheet.figures
    .filter((figure) => isNear(figure) && !textBetween(sheet, { ...label, right: label.left }, figure))
    .toSorted((a, b) => a.top - b.top || a.left - b.left)[0];
}

/** Finds the leaving date on a P45. */
export function findLeavingDate(sheet: Sheet): (Labelled<CalendarDate> & { printed: string }) | null {
  const found = labelled(
    sheet,
    /^(\d{1,2} )?(leaving date|date of leaving|date left|date employment ended)\b/,
    (text) => dateIn(text) ?? dateIn(text.replace(/^\D*(\d{2})\s?(\d{2})\s?((?:19|20)\d{2})\D*$/, '$1 $2 $3')),
  )[0];
  return found === undefined ? null : { ...found, value: found.value.date, printed: found.value.text };
}
