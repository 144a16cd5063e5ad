import type { Candidate } from './candidates.ts';
import type { Figure } from './cells.ts';
import type { Choice } from './choice.ts';
import { sameRow } from './geometry.ts';

/** A yearly total that differs from the period's amount is at least this many times as large. */
const YEAR = 1.7;
const FIELDS = ['gross', 'net', 'tax'] as const;

/**
 * Whether another column also has gross pay, net pay and tax, and may be the period being paid. Its heading names no
 * period. Equal amounts do not count, nor do much larger ones, which are yearly totals.
 */
export function hasRivalColumn(candidates: readonly Candidate[], choice: Choice): boolean {
  const [gross, net, tax] = FIELDS.map((field) => besideOf(candidates, choice, field));
  return gross!.some((total) =>
    net!.some(
      (left) =>
        inColumn(total, left) &&
        tax!.some((one) => inColumn(total, one)) &&
        left.pence > 0 &&
        left.pence <= total.pence &&
        total.pence < choice.gross!.pence * YEAR &&
        left.pence !== choice.net!.pence,
    ),
  );
}

const inColumn = (a: Figure, b: Figure): boolean => Math.abs(a.right - b.right) < 0.8;

/**
 * Finds other amounts on the row of a chosen amount that its label may also mean, unless a heading says what they are.
 */
function besideOf(candidates: readonly Candidate[], choice: Choice, field: (typeof FIELDS)[number]): Figure[] {
  const chosen = choice[field]?.figures[0];
  const own = candidates.find(
    (one) => one.field === field && one.figure === chosen && sameRow(one.label.cell, one.figure),
  );
  // A heading "this period" above the chosen amount settles which column counts.
  if (own === undefined || own.role.column?.heading === 'now' || own.label.now) return [];
  return candidates
    .filter((one) => one.label.cell === own.label.cell && one.figure !== chosen && sameRow(one.label.cell, one.figure))
    .filter((one) => !one.ytd && one.figure.exact && SILENT.has(one.role.column?.heading ?? ''))
    .map((one) => one.figure);
}

/** Headings that do not say which period a column is for. */
const SILENT: ReadonlySet<string> = new Set(['', 'amount', 'payments', 'deductions']);
