import type { Candidate } from './candidates.ts';
import type { Cell, Figure, Sheet } from './cells.ts';
import { belowGross, otherDeductions, reachable, type Choice, type Pick } from './choice.ts';
import { middle, sameRow } from './geometry.ts';
import { isOtherDeduction, labelOf, mayBePension } from './labels.ts';
import { isDates } from './printed-dates.ts';
import { canonical } from './spelling.ts';

/**
 * If no line is labelled as a pension, takes the deduction that the sums still need besides tax and NI. Its label must
 * name a fund or a scheme, or also occur among the employer's contributions.
 */
export function withNamedPension(sheet: Sheet, candidates: readonly Candidate[], choice: Choice): Choice {
  const { gross, net, tax, ni } = choice;
  if (choice.pension !== null || choice.linesClose !== true || gross === null || net === null) return choice;
  const sign = choice.minus ? -1 : 1;
  const taken = [tax, ni].flatMap((part) => part?.figures ?? []);
  const open = [...taken, net].reduce(
    (rest, part, at) => rest - (at < taken.length ? sign : 1) * part.pence,
    gross.pence,
  );
  const others = belowGross(choice, otherDeductions(sheet, candidates)).filter(
    (figure) => !taken.includes(figure) && isAmong(taken, figure),
  );
  const named = others.filter((figure) => isNamed(sheet, figure));
  const rest = others.filter((figure) => !named.includes(figure)).map((figure) => sign * figure.pence);
  const pence = named.reduce((total, figure) => total + sign * figure.pence, 0);
  if (pence <= 0 || !reachable(open - pence, rest)) return choice;
  return { ...choice, pension: inferred(pence, named) };
}

/**
 * If no pension was found, takes the deduction that the sums still need and that is labelled `Company pension`. It must
 * be in the list of tax and NI. Failing that, takes a salary sacrifice for a pension among the payments.
 */
export function withUnlikelyPension(sheet: Sheet, candidates: readonly Candidate[], choice: Choice): Choice {
  if (choice.pension !== null || choice.minus) return choice;
  const beside = candidates.filter(
    (one) => one.field === 'pension' && !one.ytd && one.figure.exact && sameRow(one.label.cell, one.figure),
  );
  return companysScheme(sheet, candidates, choice, beside) ?? givenUp(choice, beside) ?? choice;
}

function companysScheme(
  sheet: Sheet,
  candidates: readonly Candidate[],
  choice: Choice,
  beside: readonly Candidate[],
): Choice | null {
  const { gross, net, tax, ni } = choice;
  if (choice.linesClose === true || gross === null || net === null || tax === null || ni === null) return null;
  const taken = [...tax.figures, ...ni.figures];
  const lines = beside.filter(
    ({ label, figure }) => label.employer && /\bcompany\b/i.test(label.cell.text) && isAmong(taken, figure),
  );
  const [line, another] = lines;
  if (line === undefined || another !== undefined || line.figure.pence <= 0) return null;
  const open = gross.pence - net.pence - tax.pence - ni.pence - line.figure.pence;
  const others = belowGross(choice, otherDeductions(sheet, candidates))
    .filter((figure) => !taken.includes(figure))
    .map((figure) => figure.pence);
  if (others.length > 4 || !reachable(open, others)) return null;
  return { ...choice, pension: inferred(line.figure.pence, [line.figure]), linesClose: true };
}

/** Finds a salary sacrifice for a pension: a negative amount above gross pay, which gross pay already excludes. */
function givenUp(choice: Choice, beside: readonly Candidate[]): Choice | null {
  const [sum] = choice.gross?.figures ?? [];
  if (choice.linesClose !== true || sum === undefined) return null;
  const figures = beside.flatMap(({ label, figure }) =>
    !label.employer && figure.pence < 0 && Math.abs(figure.right - sum.right) < 0.8 && figure.bottom < sum.top + 0.3
      ? [figure]
      : [],
  );
  const pence = -figures.reduce((total, figure) => total + figure.pence, 0);
  return pence > 0 ? { ...choice, pension: inferred(pence, figures) } : null;
}

const inferred = (pence: number, figures: readonly Figure[]): Pick => ({ pence, figures, score: 0, inferred: true });

/** Whether an amount is in the same list as tax and NI. */
const isAmong = (taken: readonly Figure[], figure: Figure): boolean =>
  taken.some((one) => Math.abs(one.right - figure.right) < 0.8 && Math.abs(middle(one) - middle(figure)) < 20);

function isNamed(sheet: Sheet, figure: Figure): boolean {
  const label = sheet.cells
    .filter((cell) => cell.right < figure.left + 0.2 && sameRow(cell, figure))
    .filter((cell) => /[a-z]{2}/i.test(cell.text) && !isDates(cell.text))
    .toSorted((a, b) => b.right - a.right)[0];
  if (label === undefined || labelOf(label.text) !== null || isOtherDeduction(label.text)) return false;
  // `Voluntary deductions` labels the sum of a block, not a pension.
  if (/\b(deductions|total)\b/.test(canonical(label.text))) return false;
  return mayBePension(label.text) || isEmployersToo(sheet, label);
}

/** Whether the employer pays a contribution with the same name. */
function isEmployersToo(sheet: Sheet, label: Cell): boolean {
  const name = bare(label.text);
  const isTwin = (cell: Cell): boolean => / er /.test(` ${canonical(cell.text)} `) && bare(cell.text) === name;
  return name.length > 3 && sheet.cells.some((cell) => cell !== label && isTwin(cell));
}

const SIDES = /\b(ee|er|contribution|YTD|NOW|\d+%?)(?= |$)/g;
const bare = (text: string): string => canonical(text).replace(SIDES, '').replace(/\s+/g, ' ').trim();
