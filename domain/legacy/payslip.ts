import { candidatesOf, placards, type Candidate } from './candidates.ts';
import type { Cell, Figure, Sheet } from './cells.ts';
import { belowGross, choose, otherDeductions, reachable, type Choice, type Pick } from './choice.ts';
import { wholeNumber } from './figures.ts';
import { sameRow } from './geometry.ts';
import { isOtherDeduction, labelOf, mayBePension } from './labels.ts';
import { periodColumns } from './period-columns.ts';
import { withNamedPension, withUnlikelyPension } from './named-pension.ts';
import { isDates } from './printed-dates.ts';
import { hasRivalColumn } from './rivals.ts';
import { withoutStrips } from './strips.ts';

/**
 * Finds the amounts on a payslip that fit together best. `told` is true if the page separates them from those of other
 * periods.
 */
export function readAmounts(sheet: Sheet): Choice & { told: boolean } {
  const all = candidatesOf(sheet);
  const candidates = withoutStrips(all).flatMap(asTotals);
  const chosen = withMisheaded(sheet, candidates, withoutDoubtful(choose(sheet, candidates)));
  const named = withNamedPension(sheet, candidates, withLostPence(sheet, candidates, upright(chosen)));
  const choice = withUnlikelyPension(sheet, candidates, named);
  const pensionWhole = choice.linesClose === true && isWhole(sheet, candidates, choice);
  return { ...choice, pensionWhole, told: !periodColumns(sheet).undecided && !hasRivalColumn(all, choice) };
}

/** Whether the chosen pension is complete: no other deduction that the sums need could be a pension. */
function isWhole(sheet: Sheet, candidates: readonly Candidate[], choice: Choice): boolean {
  const { gross, net, tax, ni, pension } = choice;
  const left = [net, tax, ni, pension].reduce((rest, part) => rest - (part?.pence ?? 0), gross?.pence ?? 0);
  if (left === 0) return true;
  const taken = [tax, ni, pension].flatMap((part) => part?.figures ?? []);
  const others = belowGross(choice, otherDeductions(sheet, candidates)).filter((figure) => !taken.includes(figure));
  const known = others.filter((figure) => isKnown(sheet, figure)).map((figure) => figure.pence);
  if (reachable(left, known, 6) || reachable(-left, known, 6)) return true;
  const named = candidates.filter((one) => taken.includes(one.figure) && sameRow(one.label.cell, one.figure));
  const edge = Math.min(...named.map((one) => one.label.cell.left)) - 3;
  return !others.some((figure) => {
    // An amount on the row of a chosen amount is its yearly total or the employer's share.
    if (taken.some((one) => sameRow(one, figure)) || isElsewhere(candidates, figure)) return false;
    const labels = sheet.cells.filter((cell) => cell.right < figure.left + 0.2 && sameRow(cell, figure));
    const own = labels.filter((cell) => cell.left >= edge && isWords(cell));
    const nearest = own.toSorted((a, b) => b.right - a.right)[0];
    const among = taken.some((one) => one.top < figure.top) && taken.some((one) => figure.top - one.bottom < 1);
    if (nearest === undefined) return named.length > 0 && among;
    return mayBePension(nearest.text) || (among && labelOf(nearest.text) === null && !isOtherDeduction(nearest.text));
  });
}

/** Whether the nearest text on an amount's row certainly names a deduction other than a pension. */
function isKnown(sheet: Sheet, figure: Figure): boolean {
  const labels = sheet.cells.filter((cell) => cell.right < figure.left + 0.2 && sameRow(cell, figure) && isWords(cell));
  const nearest = labels.toSorted((a, b) => b.right - a.right)[0];
  return nearest !== undefined && isOtherDeduction(nearest.text) && !mayBePension(nearest.text);
}

/** Whether a cell contains words other than dates. */
const isWords = (cell: Cell): boolean => /[a-z]{2}/i.test(cell.text) && !isDates(cell.text);

/** Whether the headings above a pension show that it belongs to another period or to the employer. */
function isElsewhere(candidates: readonly Candidate[], figure: Figure): boolean {
  const pensions = candidates.filter((one) => one.field === 'pension' && one.figure === figure);
  const own = pensions.filter((one) => sameRow(one.label.cell, figure));
  return own.length > 0 && own.every((one) => one.score < 0);
}

/** Drops amounts that are far from their label and that no sum confirms. */
function withoutDoubtful(choice: Choice): Choice {
  if (choice.totalsClose === true || choice.linesClose === true) return choice;
  const sure = (pick: Pick | null): Pick | null => (pick !== null && pick.score >= DOUBTFUL ? pick : null);
  const { gross, net, tax, ni, pension } = choice;
  return { ...choice, gross: sure(gross), net: sure(net), tax: sure(tax), ni: sure(ni), pension: sure(pension) };
}

/** An amount with a score below this counts only if a sum confirms it. */
const DOUBTFUL = 2;

/**
 * Interprets the label `Total`: below a heading of payments it is gross pay; below a heading of deductions, their sum.
 * Without a heading it may be either.
 */
function asTotals(one: Candidate): Candidate[] {
  if (one.field !== 'total') return [one];
  const under = [one.role.column?.heading, one.role.block?.heading];
  if (under.includes('payments') && !under.includes('deductions')) return [{ ...one, field: 'gross' }];
  if (under.includes('deductions') && !under.includes('payments')) return [{ ...one, field: 'deductions' }];
  return [
    { ...one, field: 'gross', score: one.score - 2 },
    { ...one, field: 'deductions', score: one.score - 2 },
  ];
}

const totalOf = (figures: readonly Figure[]): number =>
  Math.abs(figures.reduce((total, figure) => total + figure.pence, 0));

/**
 * Finds a gross or net pay without a label, as `withInferred` does. If that amount has a label below a heading of the
 * year, the heading misleads, and all amounts are chosen again with it.
 */
function withMisheaded(sheet: Sheet, candidates: readonly Candidate[], choice: Choice): Choice {
  const inferred = withInferred(sheet, candidates, choice);
  const field = inferred.net?.inferred === true ? 'net' : inferred.gross?.inferred === true ? 'gross' : null;
  const figure = field === null ? undefined : inferred[field]?.figures[0];
  const isOwn = (one: Candidate): boolean =>
    one.figure === figure && one.field === field && !one.label.ytd && !one.label.employer && one.ytd;
  if (!candidates.some(isOwn)) return inferred;
  const again = choose(
    sheet,
    candidates.map((one) => (isOwn(one) ? { ...one, ytd: false, score: DOUBTFUL } : one)),
  );
  return again.totalsClose === true || again.linesClose === true ? again : inferred;
}

/** Finds a gross or net pay without a label: computes it, and accepts it if the page prints exactly this amount. */
function withInferred(sheet: Sheet, candidates: readonly Candidate[], choice: Choice): Choice {
  const { gross, net, tax, ni, pension, deductions } = choice;
  if ((gross === null) === (net === null)) return choice;
  const taken = [tax, ni, pension].flatMap((part) => part?.figures ?? []);
  const others = otherDeductions(sheet, candidates).filter((figure) => !taken.includes(figure));
  const lines = tax === null || ni === null ? [] : [taken, [...taken, ...others]].map(totalOf);
  const off = [...(deductions === null ? [] : [Math.abs(deductions.pence)]), ...lines];
  const dues = off.map((sum) => (gross === null ? net!.pence + sum : gross.pence - sum));
  const printed = sheet.figures.find(
    (figure) => dues.includes(figure.pence) && figure.exact && !taken.includes(figure),
  );
  if (printed === undefined || printed.pence <= 0 || printed === (gross ?? net)!.figures[0]) return choice;
  const due = printed.pence;
  const pick: Pick = { pence: due, figures: [printed], score: 0, inferred: true };
  return gross === null ? { ...choice, gross: pick } : { ...choice, net: pick };
}

/**
 * Finds a tax, NI or pension whose pence or decimal point OCR lost. Computes the amount from the other deductions, and
 * accepts it if the number after its label has the same digits.
 */
function withLostPence(sheet: Sheet, candidates: readonly Candidate[], choice: Choice): Choice {
  const { gross, net, tax, ni, pension } = choice;
  if (choice.totalsClose !== true || choice.linesClose === true || (tax === null && ni === null)) return choice;
  const taken = [tax, ni, pension].flatMap((part) => part?.figures ?? []);
  const others = otherDeductions(sheet, candidates).filter((figure) => !taken.includes(figure));
  const left = [...taken, net!].reduce((rest, part) => rest - part.pence, gross!.pence);
  const dues = [left, others.reduce((rest, part) => rest - part.pence, left)];
  const labels = placards(sheet).filter((label) => !label.ytd && !label.employer);
  for (const field of (['tax', 'ni', 'pension'] as const).filter((one) => choice[one] === null)) {
    const own = labels.filter((label) => label.field === field);
    const beside = sheet.cells.filter((cell) =>
      own.some((label) => cell.left > label.cell.right && sameRow(cell, label.cell)),
    );
    const found = dues.flatMap((due) => {
      const printed = beside.find(({ text }) => [Math.floor(due / 100), due].includes(wholeNumber(text) ?? NaN));
      return printed === undefined || due <= 0 ? [] : [{ ...printed, pence: due, exact: true }];
    })[0];
    if (found !== undefined)
      return { ...choice, [field]: { pence: found.pence, figures: [found], score: 0, inferred: true } };
  }
  return choice;
}

/** Makes all deductions positive if the payslip prints all of them with a minus. */
function upright(choice: Choice): Choice {
  if (!choice.minus) return choice;
  const turned = (pick: Pick | null): Pick | null =>
    pick === null || pick.pence === 0 ? pick : { ...pick, pence: -pick.pence };
  return { ...choice, tax: turned(choice.tax), ni: turned(choice.ni), pension: turned(choice.pension) };
}

/** Whether the page's year-to-date amounts are at least the period's amounts; null if the page has none. */
export function yearCovers(sheet: Sheet, choice: Choice): boolean | null {
  const years = withoutStrips(candidatesOf(sheet)).filter(
    (one) => one.ytd && !one.label.employer && one.figure.exact && one.role.column?.heading !== 'other',
  );
  const compared = (['gross', 'tax', 'ni'] as const).flatMap((field) => {
    const period = choice[field];
    const best = years.filter((one) => one.field === field).toSorted((a, b) => b.score - a.score)[0];
    return period === null || best === undefined || period.pence < 0
      ? []
      : [Math.abs(best.figure.pence) >= period.pence];
  });
  return compared.length === 0 ? null : compared.every(Boolean);
}
