import { inPounds } from '../../domain/money.ts';
import { decoration, group, rule, tagged } from './document.ts';
import type { CredentialPdfInput, Sheet } from './sheet.ts';
import { INK, LINE, SOFT } from './palette.ts';
import { line } from './text.ts';
import { countOf, percentOf } from './texts.ts';

type Figure = readonly [label: string, figure: string];

const COLUMNS = 4;
const ROWS = [
  { height: 38, size: 17, base: 16, label: 29 },
  { height: 28, size: 12, base: 11, label: 22 },
] as const;

function figuresOf(input: CredentialPdfInput): Figure[][] {
  const { total_payments: total, missed_payments: missed, bills, payees, months_covered, total_paid } = input;
  const payments: Figure[] = [
    ['On-time rate', percentOf(input.on_time_rate)],
    ['Payments counted', countOf(total)],
    ['Paid on time', countOf(total - missed)],
    ['Missed', countOf(missed)],
  ];
  const counts: Figure[] = [
    ['Bills', countOf(bills)],
    ['Accounts paid', countOf(payees)],
    ['Months with a bill', countOf(months_covered)],
    ['Paid in all', inPounds(total_paid)],
  ];
  return [payments, counts];
}

export function figuresHeight(input: CredentialPdfInput): number {
  return figuresOf(input).reduce((sum, _figures, row) => sum + ROWS[row]!.height, 0);
}

export function drawFigures({ document, root, input, left, width }: Sheet, top: number): void {
  const cell = width / COLUMNS;
  const list = group(document, root, 'L');
  for (const [row, figures] of figuresOf(input).entries()) {
    const { size, base, label } = ROWS[row]!;
    const y = top + (row === 0 ? 0 : ROWS[0].height);
    for (const [column, [name, figure]] of figures.entries()) {
      const x = left + column * cell + (column === 0 ? 2 : 16);
      const item = group(document, list, 'LI');
      tagged(document, item, 'Lbl', () => line(document, name, { x, y: y + label, size: 9, colour: SOFT }));
      tagged(document, item, 'LBody', () => {
        line(document, figure, { x, y: y + base, size, weight: 600, colour: INK });
      });
      if (column === 0) continue;
      const at = left + column * cell;
      decoration(document, () => rule(document, [at, y, at, y + label + 2], { width: 0.8, colour: LINE }));
    }
  }
}
