import type { Figure } from './cells.ts';
import { taxCodeIn } from './codes.ts';
import { probabilityOf, type Role, type ScoredSheet } from './scored.ts';
import { foundIn } from './spans.ts';
import { statutoryAmounts } from './statutory.ts';

/** One printed amount, or several that add up. */
export interface Solved {
  pence: number;
  figures: readonly Figure[];
  /** Comes from the model. Of several amounts, the least likely amount decides. */
  probability: number;
  /** The score less that of the best solution with another amount in this field. At most `SEARCH.mostLead`. */
  lead: number;
  /** Whether the amount was computed from others, or no sum contains it. */
  isInferred?: boolean;
  /** Whether this tax or NI is the amount that the law requires for the gross pay. */
  isStatutory?: boolean;
}

const FIELDS = ['gross', 'net', 'tax', 'ni', 'pension', 'deductions'] as const;
type Field = (typeof FIELDS)[number];
const byField = <T>(of: (field: Field) => T) => Object.fromEntries(FIELDS.map((field) => [field, of(field)])) as Record<Field, T>; // prettier-ignore

export interface Solution extends Record<Field, Solved | null> {
  /** Whether gross pay less total deductions equals net pay. Null if one of these amounts is missing. */
  totalsClose: boolean | null;
  /** Whether the single deductions add up. Null if gross pay, net pay, or both tax and NI are missing. */
  linesClose: boolean | null;
  /** The `lead` of the pension, or of having no pension. */
  pensionLead: number;
}

interface Option {
  pence: number;
  figures: readonly Figure[];
  probability: number;
  score: number;
}

interface Line {
  figure: Figure;
  probability: number;
}

/** What decides the search. Probabilities, 0 to 1, are those that the model gives an amount for a role. */
const SEARCH = {
  /** Amounts below these probabilities do not have the role. */
  least: {
    any: 0.004,
    otherDeduction: 0.03,
    /** An amount below this may still make the pension uncertain. */
    pension: 0.08,
    /** Of an amount that may be part of the pension. */
    pensionPart: 0.02,
    /** Of an amount of a P60 or P45, on which no sum confirms it. */
    single: 0.3,
    /** Of an amount that counts without further proof. */
    sure: 0.5,
    /** Lower probabilities of having no amount, and of anything, count as these. */
    none: 0.003,
    counted: 1e-6,
  },
  /** How many amounts take part. The time of the search grows with the product of these numbers. */
  most: {
    /** Of each field. */
    amounts: 5,
    otherDeductions: 10,
    /** Amounts of which sums are tried as the pension, and how many of these sums remain. */
    pensionParts: 6,
    pensions: 8,
    /** Other deductions of which sums are tried, and how many amounts are in such a sum. */
    summedDeductions: 8,
    summed: 4,
  },
  /** Added to a solution's score, the sum of the natural logarithms of its probabilities. */
  bonus: {
    totalsClose: 3.5,
    totalsDiffer: -1,
    /** All likely deductions add up, or only some do. */
    linesClose: 5,
    someLinesClose: 2,
    statutoryNi: 2,
    statutoryTax: 1.5,
  },
  /** A solution whose score is lower than the best by this much does not count for a lead. */
  mostLead: 12,
  /** A score must be higher by this much, because sums in another order may differ by rounding. */
  rounding: 1e-9,
  /** How many times as high as gross pay net pay may be, for example because it includes expenses. */
  netToGross: 1.6,
  /** One of several NI amounts may be the sum of the others, so their sum is less certain by this factor. */
  summedNi: 0.9,
} as const;

export function solve(scored: ScoredSheet): Solution {
  const lines = byField((field) => linesOf(scored, field));
  const [gross, net, tax, ni] = [lines.gross, lines.net, lines.tax, lines.ni].map(([line]) => line?.figure.pence ?? 0);
  // The sum of several deductions is not a pension.
  const isTotal = ({ figure }: Line): boolean => (tax !== 0 || ni !== 0) && figure.pence === Math.abs(gross! - net!);
  const funds = lines.pension.filter((line) => !isTotal(line));
  const options = byField((field) => (field === 'pension' ? pensions(funds) : singles(lines[field])));
  const context = { code: foundIn(scored, 'code', taxCodeIn)?.value ?? null, likeliest: options.gross[0]! };
  const others = linesOf(scored, 'other-deduction')
    .filter(({ probability }) => probability > SEARCH.least.otherDeduction)
    .slice(0, SEARCH.most.otherDeductions);
  let best: Trial | null = null;
  const scores: Scores = byField(() => new Map<number, number>());
  for (const gross of options.gross)
    for (const net of options.net) {
      if (
        isThere(gross) &&
        isThere(net) &&
        (gross.figures[0] === net.figures[0] || net.pence > gross.pence * SEARCH.netToGross)
      )
        continue;
      for (const deductions of options.deductions)
        for (const tax of options.tax)
          for (const ni of options.ni) {
            if (isThere(tax) && isThere(ni) && tax.figures[0] === ni.figures[0]) continue;
            for (const pension of options.pension) {
              const trial = judged({ gross, net, tax, ni, pension, deductions }, others, context);
              if (best === null || trial.score > best.score + SEARCH.rounding) best = trial;
              if (trial.score > best.score - SEARCH.mostLead) keep(scores, trial);
            }
          }
    }
  return solutionOf(best!, scores);
}

interface Context {
  code: string | null;
  likeliest: Option;
}

/** For each amount, the best score of a solution with that amount. */
type Scores = Record<Field, Map<number, number>>;

function keep(scores: Scores, { picks, score }: Trial): void {
  for (const field of FIELDS) {
    const { pence } = picks[field];
    const known = scores[field].get(pence);
    if (known === undefined || score > known) scores[field].set(pence, score);
  }
}

interface Trial {
  picks: Record<Field, Option>;
  totalsClose: boolean | null;
  linesClose: boolean | null;
  minus: boolean;
  statutory: ReturnType<typeof statutoryAmounts>;
  score: number;
}

function linesOf(scored: ScoredSheet, role: Role): Line[] {
  return scored.tokens
    .flatMap(({ figure }, at) => (figure === null ? [] : [{ figure, probability: probabilityOf(scored, at, role) }]))
    .filter(({ probability }) => probability > SEARCH.least.any)
    .sort((a, b) => b.probability - a.probability);
}

const likelihood = (probability: number): number => Math.log(Math.max(SEARCH.least.counted, probability));

/** An amount that is printed twice is likelier. */
function singles(lines: readonly Line[]): Option[] {
  const options: Option[] = [];
  for (const { figure, probability } of lines) {
    const again = options.find(({ pence }) => pence === figure.pence);
    if (again === undefined)
      options.push({ pence: figure.pence, figures: [figure], probability, score: likelihood(probability) });
    else {
      again.probability = 1 - (1 - again.probability) * (1 - probability);
      again.score = likelihood(again.probability);
    }
  }
  const none = lines.reduce((left, { probability }) => left * (1 - probability), 1);
  return [...options.slice(0, SEARCH.most.amounts), noneOf(none)];
}

const noneOf = (probability: number): Option => ({
  pence: NaN,
  figures: [],
  probability,
  score: likelihood(Math.max(SEARCH.least.none, probability)),
});

function pensions(lines: readonly Line[]): Option[] {
  const some = lines
    .filter(({ probability }) => probability > SEARCH.least.pensionPart)
    .slice(0, SEARCH.most.pensionParts);
  const options: Option[] = [];
  for (let set = 0; set < 2 ** some.length; set += 1) {
    const chosen = some.filter((_, at) => (set >> at) % 2 === 1);
    const sum = chosen.reduce((total, { figure }) => total + figure.pence, 0);
    const isSum = chosen.length > 2 && chosen.some(({ figure }) => 2 * figure.pence === sum);
    if (isSum || new Set(chosen.map(({ figure }) => figure.pence)).size < chosen.length) continue;
    const score = some.reduce((total, line) => {
      const { pence } = line.figure;
      // A summary on the payslip may repeat an amount, or the sum of the amounts.
      const isTwin = !chosen.includes(line) && chosen.length > 0 && (pence === sum || chosen.some(({ figure }) => figure.pence === pence)); // prettier-ignore
      return total + (isTwin ? 0 : likelihood(chosen.includes(line) ? line.probability : 1 - line.probability));
    }, 0);
    const pence = chosen.length === 0 ? NaN : sum;
    const probability = Math.min(1, ...chosen.map((line) => line.probability));
    options.push({ pence, figures: chosen.map(({ figure }) => figure), probability, score });
  }
  return options.sort((a, b) => b.score - a.score).slice(0, SEARCH.most.pensions);
}

const penceOf = ({ pence }: Option): number => (Number.isNaN(pence) ? 0 : pence);
const isThere = ({ figures }: Option): boolean => figures.length > 0;

function judged(picks: Trial['picks'], others: readonly Line[], { code, likeliest }: Context): Trial {
  const { gross, net, tax, ni, pension, deductions } = picks;
  let score = FIELDS.reduce((sum, field) => sum + picks[field].score, 0);
  const totalsClose =
    isThere(gross) && isThere(net) && isThere(deductions)
      ? Math.abs(gross.pence - net.pence) === Math.abs(deductions.pence)
      : null;
  if (totalsClose === true) score += SEARCH.bonus.totalsClose;
  if (totalsClose === false) score += SEARCH.bonus.totalsDiffer;
  const { close, minus, bonus } = linesOfTrial(picks, others);
  const amount = (option: Option): number | null => (isThere(option) ? Math.abs(option.pence) : null);
  // Tax and NI depend on taxable pay, which may be printed beside gross pay. So tax and NI must not decide which amount
  // is gross pay.
  const statutory = statutoryAmounts({ gross: gross === likeliest ? amount(gross) : null, tax: amount(tax), ni: amount(ni), pension: amount(pension), code }); // prettier-ignore
  if (statutory.ni) score += SEARCH.bonus.statutoryNi;
  if (statutory.tax) score += SEARCH.bonus.statutoryTax;
  return { picks, totalsClose, linesClose: close, minus, statutory, score: score + bonus };
}

function linesOfTrial({ gross, net, tax, ni, pension }: Trial['picks'], others: readonly Line[]) {
  const known = [tax, ni, pension].filter(isThere);
  const signs = known.reduce((sum, option) => sum + Math.sign(penceOf(option)), 0);
  // NI is hardly ever refunded.
  const minus = (signs || Math.sign(penceOf(ni))) < 0 && !(known.length === 1 && known[0] === pension);
  if (!isThere(gross) || !isThere(net) || (!isThere(tax) && !isThere(ni))) return { close: null, minus, bonus: 0 };
  const taken = new Set([gross, net, ...known].flatMap(({ figures }) => figures));
  const rest = others.filter(({ figure }) => !taken.has(figure));
  const likely = rest.filter(({ probability }) => probability > SEARCH.least.sure);
  const sign = minus ? -1 : 1;
  // A pension with a minus, beside deductions without one, is salary sacrifice: gross pay already excludes it.
  const sacrificed = !minus && penceOf(pension) < 0;
  const sum = known.reduce(
    (total, option) => total + (sacrificed && option === pension ? 0 : sign * penceOf(option)),
    0,
  );
  const open = gross.pence - net.pence - sum;
  const amounts = (lines: readonly Line[]) => lines.map(({ figure }) => sign * figure.pence);
  if (open === amounts(likely).reduce((total, pence) => total + pence, 0))
    return { close: true, minus, bonus: SEARCH.bonus.linesClose };
  if (rest.length <= SEARCH.most.summedDeductions && reachable(open, amounts(rest)))
    return { close: true, minus, bonus: SEARCH.bonus.someLinesClose };
  return { close: false, minus, bonus: 0 };
}

function solutionOf({ picks, totalsClose, linesClose, minus, statutory, score }: Trial, scores: Scores): Solution {
  const leadOf = (field: Field): number => {
    const { pence } = picks[field];
    const others = [...scores[field]]
      .filter(([other]) => (other || 0) !== (pence || 0))
      .map(([, other]) => score - other);
    return Math.min(SEARCH.mostLead, ...others);
  };
  const solved = (field: Field): Solved | null => {
    const pick = picks[field];
    if (!isThere(pick) || (field === 'pension' && pick.probability < SEARCH.least.pension)) return null;
    const turned = minus && ['tax', 'ni', 'pension', 'deductions'].includes(field) && pick.pence !== 0;
    const isSacrifice = field === 'pension' && !minus && pick.pence < 0;
    const pence = turned || isSacrifice ? -pick.pence : pick.pence;
    const legal = field === 'tax' ? statutory.tax : field === 'ni' && statutory.ni;
    return {
      pence,
      figures: pick.figures,
      probability: pick.probability,
      lead: leadOf(field),
      isStatutory: legal && pence > 0,
      // Gross pay already excludes a salary sacrifice, so no sum contains it.
      ...(isSacrifice && { isInferred: true }),
    };
  };
  return { ...byField(solved), pensionLead: leadOf('pension'), totalsClose, linesClose };
}

/** For a P60 or P45. Adds up several likely NI amounts, such as those of several category letters. */
export function single(scored: ScoredSheet, role: Field): Solved | null {
  const lines = linesOf(scored, role);
  const [best] = singles(lines);
  if (best === undefined || !isThere(best) || best.probability < SEARCH.least.single) return null;
  const { pence, figures, probability } = best;
  const rows = role === 'ni' ? lines.filter((line) => line.probability > SEARCH.least.sure) : [];
  const amounts = new Set(rows.map(({ figure }) => figure.pence));
  if (amounts.size < 2) return { pence, figures, probability, lead: 0 };
  return {
    pence: [...amounts].reduce((sum, one) => sum + one, 0),
    figures: rows.map(({ figure }) => figure),
    probability: SEARCH.summedNi * Math.min(...rows.map((line) => line.probability)),
    lead: 0,
  };
}

/** Whether at most `most` of the parts add up to the amount. */
export function reachable(
  amount: number,
  parts: readonly number[],
  most: number = SEARCH.most.summed,
  from = 0,
): boolean {
  if (amount === 0) return true;
  if (most === 0) return false;
  for (let at = from; at < parts.length; at += 1)
    if (reachable(amount - parts[at]!, parts, most - 1, at + 1)) return true;
  return false;
}
