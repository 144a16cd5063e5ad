import { candidatesOf, type Candidate } from './candidates.ts';
import type { Sheet } from './cells.ts';
import { choose, type Choice, type Pick } from './choice.ts';

/** The amounts of a payslip's sheet, chosen so that they fit together. */
export function readAmounts(sheet: Sheet): Choice {
  const candidates = candidatesOf(sheet).flatMap(asTotals);
  return upright(withInferred(sheet, withoutDoubtful(choose(sheet, candidates))));
}

/** What stands far from its label and is confirmed by nothing is left out. */
function withoutDoubtful(choice: Choice): Choice {
  if (choice.totalsClose === true || choice.linesClose === true) return choice;
  const sure = (pick: Pick | null): Pick | null => (pick !== null && pick.score >= DOUBTFUL ? pick : null);
  const { gross, net, tax, ni, pension } = choice;
  return { ...choice, gross: sure(gross), net: sure(net), tax: sure(tax), ni: sure(ni), pension: sure(pension) };
}

/** The score below which an amount needs arithmetic to be believed. */
const DOUBTFUL = 2;

/** A bare `Total` is the gross under payments and the sum of deductions under deductions; with no heading it may be either. */
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

/** Finds a gross or net that has no label of its own by what it must be, if that very figure is printed. */
function withInferred(sheet: Sheet, choice: Choice): Choice {
  const { gross, net, deductions } = choice;
  if (deductions === null || (gross === null) === (net === null)) return choice;
  const due = gross === null ? net!.pence + Math.abs(deductions.pence) : gross.pence - Math.abs(deductions.pence);
  const printed = sheet.figures.find((figure) => figure.pence === due && figure.exact);
  if (printed === undefined) return choice;
  const pick: Pick = { pence: due, figures: [printed], score: 0, inferred: true };
  return gross === null ? { ...choice, gross: pick } : { ...choice, net: pick };
}

/** Where all deductions are printed with a minus, the minus says no more than that they are deductions. */
function upright(choice: Choice): Choice {
  if (!choice.minus) return choice;
  const turned = (pick: Pick | null): Pick | null =>
    pick === null || pick.pence === 0 ? pick : { ...pick, pence: -pick.pence };
  return { ...choice, tax: turned(choice.tax), ni: turned(choice.ni), pension: turned(choice.pension) };
}

/** Whether what the page says of the year is no less than what it says of the period; null where it says nothing of the year. */
export function yearCovers(sheet: Sheet, choice: Choice): boolean | null {
  const years = candidatesOf(sheet).filter((one) => one.ytd && !one.label.employer && one.figure.exact);
  const compared = (['gross', 'tax', 'ni'] as const).flatMap((field) => {
    const period = choice[field];
    const best = years.filter((one) => one.field === field).toSorted((a, b) => b.score - a.score)[0];
    return period === null || best === undefined || period.pence < 0
      ? []
      : [Math.abs(best.figure.pence) >= period.pence];
  });
  return compared.length === 0 ? null : compared.every(Boolean);
}
