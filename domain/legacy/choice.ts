import type { Candidate } from './candidates.ts';
import type { Figure, Sheet } from './cells.ts';
import type { LabelField } from './labels.ts';
import { transposedTables } from './transposed.ts';

/** The amount chosen for a field: one printed amount, or several that add up, such as a pension and AVC. */
export interface Pick {
  pence: number;
  figures: readonly Figure[];
  score: number;
  /** Whether the amount was computed from other amounts, and then found on the page. */
  inferred: boolean;
}

/** The combination of amounts of a payslip that fits best. */
export interface Choice {
  gross: Pick | null;
  net: Pick | null;
  tax: Pick | null;
  ni: Pick | null;
  pension: Pick | null;
  deductions: Pick | null;
  /** Whether gross pay less total deductions equals net pay; null if one of these amounts is missing. */
  totalsClose: boolean | null;
  /** Whether the payslip prints deductions with a minus, so that a deduction without a minus is a refund. */
  minus: boolean;
  /** Whether gross pay less all single deductions equals net pay; null if one of these amounts is missing. */
  linesClose: boolean | null;
  /** Whether the single deductions add up, and no other deduction could be a pension. */
  pensionWhole: boolean;
  score: number;
}

type Picks = Record<AmountName, Pick | null>;
type AmountName = 'gross' | 'net' | 'tax' | 'ni' | 'pension' | 'deductions';
type Options = Record<AmountName, (Pick | null)[]>;

const KEPT = 4;
const CLOSING = 4;
/** The score for leaving a field empty although amounts for it were found. */
const OPEN = -0.5;

/** Chooses the amounts that add up; if none do, the amounts with the best scores. */
export function choose(sheet: Sheet, candidates: readonly Candidate[]): Choice {
  const options = optionsOf(candidates);
  const others = otherDeductions(sheet, candidates);
  let best: Choice | null = null;
  for (const gross of options.gross)
    for (const net of options.net) {
      if (gross !== null && net !== null && (gross.figures[0] === net.figures[0] || net.pence > gross.pence * 1.6))
        continue;
      for (const deductions of options.deductions)
        for (const tax of options.tax)
          for (const ni of options.ni) {
            if (tax !== null && tax.figures[0] === ni?.figures[0]) continue;
            for (const pension of options.pension) {
              const choice = judged({ gross, net, tax, ni, pension, deductions }, others);
              if (best === null || choice.score > best.score + 1e-9) best = choice;
            }
          }
    }
  return best!;
}

function judged(picks: Picks, others: readonly Figure[]): Choice {
  const { gross, net, deductions } = picks;
  const parts = Object.values(picks);
  let score = parts.reduce((total, part) => total + (part === null ? OPEN : part.score), 0);
  const totalsClose =
    gross === null || net === null || deductions === null
      ? null
      : Math.abs(gross.pence - net.pence) === Math.abs(deductions.pence);
  const lines = linesOf(picks, others, totalsClose === true);
  if (totalsClose === true || lines.close === true) score += CLOSING;
  if (totalsClose === true && lines.close === true) score += CLOSING / 2;
  // A pension with a minus, among deductions without one, is salary sacrifice: gross pay no longer includes it.
  if ((picks.pension?.pence ?? 0) < 0 && !lines.minus) score -= 2 * CLOSING;
  if (totalsClose === false) score -= 0.5;
  return { ...picks, totalsClose, linesClose: lines.close, minus: lines.minus, pensionWhole: false, score };
}

/**
 * Returns whether gross pay less the single deductions equals net pay, and whether deductions are printed with a minus.
 */
function linesOf(picks: Picks, others: readonly Figure[], totalsClose: boolean) {
  const { gross, net, tax, ni, pension } = picks;
  const minus = isNegative(picks);
  if (gross === null || net === null || (tax === null && ni === null)) return { close: null, minus };
  const taken = Object.values(picks).flatMap((part) => part?.figures ?? []);
  const rest = belowGross(picks, others)
    .filter((figure) => !taken.includes(figure))
    .map((figure) => figure.pence);
  const known = [tax, ni, pension].reduce((total, part) => total + (part?.pence ?? 0), 0);
  // Among many amounts, a few add up to almost any sum. Such a sum alone therefore confirms nothing.
  const few = totalsClose || (rest.length <= 4 && isPlausible(gross.pence, tax, ni));
  for (const sign of [1, -1]) {
    const open = sign * (gross.pence - net.pence) - known;
    const whole = open === 0 || open === rest.reduce((total, part) => total + part, 0);
    const close = whole || (few && reachable(open, rest));
    if (close) return { close, minus: sign < 0 };
  }
  return { close: false, minus };
}

/**
 * The amounts that may be deductions. If gross pay, tax and NI form one list, amounts above gross pay are parts of it.
 */
export function belowGross({ gross, tax, ni }: Picks, others: readonly Figure[]): readonly Figure[] {
  const [sum] = gross?.figures ?? [];
  const taken = [tax, ni].flatMap((part) => part?.figures ?? []);
  const isList = sum !== undefined && taken.every((one) => inColumn(one, sum) && one.top > sum.bottom);
  return isList ? others.filter((figure) => figure.top > sum.top || !inColumn(figure, sum)) : others;
}

const inColumn = (a: Figure, b: Figure): boolean => Math.abs(a.right - b.right) < 0.8;

/** Whether tax is at most 70 % of gross pay, and NI at most 16 %. */
const isPlausible = (gross: number, tax: Pick | null, ni: Pick | null): boolean =>
  Math.abs(tax?.pence ?? 0) <= 0.7 * gross && Math.abs(ni?.pence ?? 0) <= 0.16 * gross;

/** Whether deductions are printed with a minus: most of them, or else NI, which is hardly ever refunded. */
function isNegative({ tax, ni, pension, deductions }: Picks): boolean {
  const signOf = (pick: Pick | null): number => Math.sign(pick?.pence ?? 0);
  const signs = signOf(tax) + signOf(ni) + signOf(pension);
  return (signs || signOf(ni) || signOf(deductions)) < 0;
}

/** Whether at most `most` of the parts, starting at index `from`, add up to the amount. */
export function reachable(amount: number, parts: readonly number[], most = 4, from = 0): boolean {
  if (amount === 0) return true;
  if (most === 0) return false;
  for (let at = from; at < parts.length; at += 1)
    if (reachable(amount - parts[at]!, parts, most - 1, at + 1)) return true;
  return false;
}

function optionsOf(candidates: readonly Candidate[]): Options {
  const single = (field: LabelField, kept = KEPT): (Pick | null)[] => [...top(candidates, field, kept), null];
  return {
    gross: single('gross'),
    net: single('net'),
    tax: single('tax'),
    ni: single('ni'),
    deductions: single('deductions', 3),
    pension: pensions(candidates),
  };
}

/** The amounts with the best scores for a field. The same amount under several labels counts once. */
function top(candidates: readonly Candidate[], field: LabelField, kept: number): Pick[] {
  const found: Pick[] = [];
  const fitting = candidates.filter((one) => one.field === field && !one.ytd && !one.label.employer && usable(one));
  fitting.sort((a, b) => b.score - a.score || a.figure.pence - b.figure.pence);
  for (const { figure, score } of fitting) {
    const twin = found.find((pick) => pick.figures[0] === figure);
    const again = found.find((pick) => pick.pence === figure.pence);
    if (twin !== undefined) continue;
    if (again !== undefined) again.score += 0.3;
    else found.push({ pence: figure.pence, figures: [figure], score, inferred: false });
  }
  return found.slice(0, kept);
}

const usable = (one: Candidate): boolean => one.score > -0.5;

/** Returns the possible pension amounts: all lines for the employee's pension together, some of them, or none. */
function pensions(candidates: readonly Candidate[]): (Pick | null)[] {
  const lines: Candidate[] = [];
  const fitting = candidates.filter((one) => one.field === 'pension' && !one.ytd && !one.label.employer && usable(one));
  fitting.sort((a, b) => b.score - a.score);
  for (const one of fitting) {
    const known = lines.some(
      (line) =>
        line.label.cell === one.label.cell ||
        line.figure === one.figure ||
        (line.label.cell.text === one.label.cell.text && line.figure.pence === one.figure.pence),
    );
    if (!known) lines.push(one);
  }
  if (lines.length === 0) return [null];
  const most = lines.slice(0, 5);
  const some = subsets(most.slice(0, KEPT)).filter((part) => part.length > 0 && part.length < most.length);
  const without = (part: Candidate[]): Pick => {
    const left = most.length - part.length;
    return { ...pickOf(part), score: pickOf(part).score - 0.8 - 0.2 * left };
  };
  return [pickOf(most), ...some.map(without), null];
}

const subsets = (lines: readonly Candidate[]): Candidate[][] =>
  lines.reduce<Candidate[][]>((sofar, line) => [...sofar, ...sofar.map((part) => [...part, line])], [[]]);

const pickOf = (lines: readonly Candidate[]): Pick => ({
  pence: lines.reduce((total, line) => total + line.figure.pence, 0),
  figures: lines.map((line) => line.figure),
  score: lines.reduce((total, line) => total + line.score, 0) / lines.length,
  inferred: false,
});

/**
 * The amounts in the columns of tax and NI whose labels name no field, such as a student loan or a union subscription.
 */
export function otherDeductions(sheet: Sheet, candidates: readonly Candidate[]): Figure[] {
  const columns = candidates.filter(
    (one) => ['tax', 'ni'].includes(one.field) && !one.ytd && !one.label.employer && usable(one),
  );
  const claimed = new Set(
    candidates
      .filter((one) => one.score > 0.5 || one.label.employer || one.ytd)
      .filter((one) => ['gross', 'net', 'deductions', 'total'].includes(one.field) || one.label.employer || one.ytd)
      .map((one) => one.figure),
  );
  // If each element of pay has its own column, other deductions stand on the row of tax and NI, after gross pay.
  const gross = candidates.filter((one) => one.field === 'gross' && !one.ytd).map((one) => one.figure);
  const inRow = transposedTables(sheet).flatMap(({ amounts }) => {
    const from = amounts.findIndex((figure) => gross.includes(figure));
    return from === -1 ? [] : amounts.slice(from + 1);
  });
  const found = sheet.figures.filter(
    (figure) =>
      !claimed.has(figure) &&
      figure.pence !== 0 &&
      (inRow.includes(figure) ||
        columns.some(
          (one) => Math.abs(one.figure.right - figure.right) < 0.8 && Math.abs(one.figure.top - figure.top) < 25,
        )),
  );
  return found.slice(0, 14);
}
