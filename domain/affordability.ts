import type { Decimal } from 'decimal.js';
import { reasonsOf, recommendationOf } from './affordability-texts.ts';
import { PAYCHECKS_COUNTED, type Finances, type Frequency } from './finances.ts';
import { exact, MAX_AMOUNT, pence, roundHalfUp, type Pence, type Ratio } from './money.ts';
import type { PayeeCategory } from './payments.ts';

export const ESSENTIAL_CATEGORIES: readonly PayeeCategory[] = [
  'HOUSING',
  'UTILITIES',
  'COUNCIL_TAX',
  'INSURANCE',
  'TRANSPORT',
  'CHILDCARE',
  'CREDIT',
];

const ENOUGH = 50;

const ESSENTIAL_POINTS = 5;

interface Proposal {
  amount: Pence;
  frequency: Frequency;
  category: PayeeCategory | null;
}

type FactorName = 'headroom' | 'stability' | 'cushion' | 'punctuality';

const WEIGHTS: Readonly<Record<FactorName, Ratio>> = {
  headroom: '0.55',
  stability: '0.20',
  cushion: '0.15',
  punctuality: '0.10',
};

type Exactly = Readonly<Record<FactorName, Decimal>>;

const TIMES_A_YEAR: Readonly<Record<Frequency, number>> = { WEEKLY: 52, MONTHLY: 12, QUARTERLY: 4, ANNUAL: 1 };

export function monthlyEquivalent(amount: Pence, frequency: Frequency): Pence {
  return roundHalfUp(exact(amount).times(TIMES_A_YEAR[frequency]).dividedBy(12));
}

export function isEssential(category: PayeeCategory | null): boolean {
  return category !== null && ESSENTIAL_CATEGORIES.includes(category);
}

export function assess(finances: Finances, proposal: Proposal) {
  const { safeToSpend: before, lowestOn, grossPays, payments } = finances;
  const { frequency, category } = proposal;
  const monthly = monthlyEquivalent(proposal.amount, frequency);
  const after = pence(before - monthly);
  const steady = steadyFactors(finances);
  const factors: Exactly = { ...steady, headroom: headroom(before, after) };
  const score = scoreOf(factors, category);
  const affordable = after >= 0 && score >= ENOUGH;
  const largest = largestAffordable(before, steady, proposal);
  const essential = isEssential(category) ? { category: category!, points: ESSENTIAL_POINTS } : null;
  const variation = variationOf(grossPays);
  const verdict = { ...finances, monthly, variation, affordable, score, largest, frequency, essential };
  return {
    monthly_equivalent: monthly,
    affordable,
    score,
    confidence: confidenceOf(grossPays.length, payments.concluded),
    impact: {
      safe_to_spend_before: before,
      safe_to_spend_after: after,
      ...(lowestOn !== undefined && { lowest_on: lowestOn }),
      reduction_percentage: reductionPercentage(before, monthly),
    },
    factors: shown(factors),
    largest_affordable_amount: largest,
    reasons: reasonsOf(verdict),
    recommendation: recommendationOf(verdict),
  };
}

/** The owner's score for a purchase that costs nothing. */
export function standing(finances: Finances) {
  const { safeToSpend, grossPays, payments } = finances;
  const factors: Exactly = { ...steadyFactors(finances), headroom: headroom(safeToSpend, safeToSpend) };
  return {
    score: scoreOf(factors, null),
    confidence: confidenceOf(grossPays.length, payments.concluded),
    factors: shown(factors),
  };
}

function headroom(before: Pence, after: Pence): Decimal {
  return before <= 0 ? exact(0) : clamp(exact(after).dividedBy(before));
}

function steadyFactors({ buffer, grossPays, payments }: Finances): Omit<Exactly, 'headroom'> {
  const half = exact('0.5');
  return {
    stability: grossPays.length < 2 ? half : exact(1).minus(clamp(variationOf(grossPays))),
    cushion: clamp(exact(buffer).times(10).dividedBy(grossPays[0]!)),
    punctuality: payments.concluded === 0 ? half : exact(payments.onTime).dividedBy(payments.concluded),
  };
}

/** The coefficient of variation: the population standard deviation divided by the mean. */
function variationOf(amounts: readonly Pence[]): Decimal {
  const total = (values: readonly Decimal[]) => values.reduce((sum, value) => sum.plus(value), exact(0));
  const count = amounts.length;
  const sum = total(amounts.map(exact));
  // sqrt(n x sum of squares - square of the sum) / sum. Integers under the root make equal amounts exactly zero.
  const squares = total(amounts.map((amount) => exact(amount).times(amount)));
  return squares.times(count).minus(sum.times(sum)).sqrt().dividedBy(sum);
}

/** Rounding to this many decimals first removes division errors, so that exact halves round up. */
const DECIMALS = 34;

function scoreOf(factors: Exactly, category: PayeeCategory | null): number {
  const weighted = (Object.keys(WEIGHTS) as FactorName[]).reduce(
    (sum, name) => sum.plus(factors[name].times(WEIGHTS[name])),
    exact(0),
  );
  const points: number = roundHalfUp(weighted.times(100).toDecimalPlaces(DECIMALS));
  return Math.min(100, points + (isEssential(category) ? ESSENTIAL_POINTS : 0));
}

function shown(factors: Exactly) {
  return (Object.keys(WEIGHTS) as FactorName[]).map((name) => ({
    name,
    value: factors[name].toFixed(4),
    weight: WEIGHTS[name],
  }));
}

function confidenceOf(paychecks: number, payments: number): number {
  const known = exact('0.40')
    .plus(exact('0.08').times(Math.min(paychecks, PAYCHECKS_COUNTED)))
    .plus(exact('0.005').times(Math.min(payments, 14)));
  return Math.min(0.95, known.toDecimalPlaces(2).toNumber());
}

function reductionPercentage(before: Pence, monthly: Pence): number {
  return before === 0 ? 100 : exact(monthly).times(100).dividedBy(before).toDecimalPlaces(2).toNumber();
}

/** Returns 0 if no amount is affordable. Binary search works because a larger amount never scores higher. */
function largestAffordable(
  before: Pence,
  steady: Omit<Exactly, 'headroom'>,
  { frequency, category }: Pick<Proposal, 'frequency' | 'category'>,
): Pence {
  const fits = (amount: number) => {
    const after = pence(before - monthlyEquivalent(pence(amount), frequency));
    return after >= 0 && scoreOf({ ...steady, headroom: headroom(before, after) }, category) >= ENOUGH;
  };
  let [most, tooMuch] = [0, MAX_AMOUNT + 1];
  while (tooMuch - most > 1) {
    const middle = Math.floor((most + tooMuch) / 2);
    if (fits(middle)) most = middle;
    else tooMuch = middle;
  }
  return pence(most);
}

function clamp(ratio: Decimal): Decimal {
  return ratio.lessThan(0) ? exact(0) : ratio.greaterThan(1) ? exact(1) : ratio;
}
