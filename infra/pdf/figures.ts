import { inPounds } from '../../domain/money.ts';
import type { CredentialPdfInput } from './credential.ts';
import { decoration, group, tagged } from './document.ts';
import type { Sheet } from './page.ts';
import { INK, LINE, SOFT } from './palette.ts';
import { line } from './text.ts';
import { countOf, percentOf } from './words.ts';

type Figure = readonly [label: string, figure: string];

const ROW_HEIGHT = 40;
const COLUMNS = 4;

/** Rows of four: the payments and, where they were counted, the bills. */
function figuresOf(input: CredentialPdfInput): Figure[][] {
  const { total_payments: total, missed_payments: missed, bills, payees, months_covered, total_paid } = input;
  const payments: Figure[] = [
    ['On-time rate', percentOf(input.on_time_rate)],
    ['Payments counted', countOf(total)],
    ['Paid on time', countOf(total - missed)],
    ['Missed', countOf(missed)],
  ];
  if (bills === undefined || payees === undefined || months_covered === undefined || total_paid === undefined)
    return [payments];
  const counts: Figure[] = [
    ['Bills', countOf(bills)],
    ['Accounts paid', countOf(payees)],
    ['Months with a bill', countOf(months_covered)],
    ['Paid in all', inPounds(total_paid)],
  ];
  return [payments, counts];
}

/** How high the part below is. */
export function figuresHeight(input: CredentialPdfInput): number {
  return figuresOf(input).length * ROW_HEIGHT;
}

export function drawFigures(sheet: Sheet, top: number): void {
  const list = group(sheet.document, sheet.root, 'L');
  for (const [row, figures] of figuresOf(sheet.input).entries()) {
    for (const [column, figure] of figures.entries()) {
      drawFigure(sheet, { figure, column, top: top + row * ROW_HEIGHT, list });
    }
  }
}

function drawFigure(
  { document, left, width }: Sheet,
  {
    figure: [label, figure],
    column,
    top,
    list,
  }: { figure: Figure; column: number; top: number; list: ReturnType<typeof group> },
): void {
  const cell = width / COLUMNS;
  const x = left + column * cell + (column === 0 ? 2 : 16);
  const item = group(document, list, 'LI');
  tagged(document, item, 'Lbl', () => line(document, label, { x, y: top + 31, size: 9, colour: SOFT }));
  tagged(document, item, 'LBody', () => {
    line(document, figure, { x, y: top + 17, size: 18, weight: 600, colour: INK });
  });
  if (column === 0) return;
  decoration(document, () => {
    const at = left + column * cell;
    document
      .moveTo(at, top)
      .lineTo(at, top + 33)
      .lineWidth(0.8)
      .stroke(LINE);
  });
}
