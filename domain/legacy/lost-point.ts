import type { Figure } from './cells.ts';
import { cellOf } from './cell.ts';
import { probabilityOf, type ScoredSheet } from './scored.ts';
import type { Solution, Solved } from './solve.ts';

const DEDUCTIONS = ['tax', 'ni', 'pension'] as const;
const LIKELY = 0.5;

/** Adds a deduction that OCR read without its point (`8816`) or pence (`49`), if the amounts then add up. */
export function withLostPoint(scored: ScoredSheet, solution: Solution): Solution {
  const { gross, net } = solution;
  const missing = DEDUCTIONS.filter((field) => solution[field] === null);
  if (gross === null || net === null || solution.linesClose === true) return solution;
  const others = scored.tokens.flatMap(({ figure }, at) =>
    figure !== null && probabilityOf(scored, at, 'other-deduction') > LIKELY ? figure.pence : 0,
  );
  const taken = DEDUCTIONS.map((field) => solution[field]?.pence ?? 0);
  const open = [...taken, ...others].reduce((rest, pence) => rest - Math.abs(pence), gross.pence - net.pence);
  if (open <= 0) return solution;
  for (const field of missing) {
    const at = scored.tokens.findIndex(
      ({ text, figure }, n) =>
        figure === null &&
        (text === String(open) || text === String(open / 100)) &&
        probabilityOf(scored, n, field) > LIKELY,
    );
    if (at >= 0) return { ...solution, [field]: inferred(scored, at, open) };
  }
  return solution;
}

function inferred({ sheet, tokens }: ScoredSheet, at: number, pence: number): Solved {
  const figure: Figure = { ...cellOf(tokens[at]!.words, sheet.page), pence, exact: false };
  return { pence, figures: [figure], probability: LIKELY, lead: 0, isInferred: true };
}
