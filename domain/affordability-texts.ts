import type { Decimal } from 'decimal.js';
import { longDate, type CalendarDate } from './dates.ts';
import type { Finances, Frequency } from './finances.ts';
import { inPounds, pence, ratioOf, share, type Pence } from './money.ts';
import type { IncomeEvidence } from './paycheck/evidence.ts';
import type { PayeeCategory } from './payments.ts';
import type { PunctualityCount } from './reliability.ts';

interface Verdict extends Finances {
  monthly: Pence;
  variation: Decimal;
  affordable: boolean;
  score: number;
  largest: Pence;
  frequency: Frequency;
  /** Null if the purchase is not essential. */
  essential: { category: PayeeCategory; points: number } | null;
}

/** One reason for each factor, highest weight first. An essential category adds one more. */
export function reasonsOf(verdict: Verdict) {
  const { safeToSpend, monthly, buffer, grossPays, variation, payments, essential, incomeBasis } = verdict;
  return [
    headroomReason(safeToSpend, monthly),
    stabilityReason(grossPays.length, variation, incomeBasis),
    cushionReason(buffer, grossPays[0]!),
    punctualityReason(payments),
    ...(essential === null ? [] : [{ code: 'essential-category' as const, ...essential }]),
  ];
}

function headroomReason(before: Pence, monthly: Pence) {
  const after = pence(before - monthly);
  if (before === 0) return { code: 'nothing-safe-to-spend' as const, monthly_equivalent: monthly };
  if (after < 0) {
    return {
      code: 'exceeds-safe-to-spend' as const,
      monthly_equivalent: monthly,
      safe_to_spend_before: before,
      shortfall: pence(0 - after),
    };
  }
  if (after === 0) return { code: 'leaves-nothing' as const, monthly_equivalent: monthly };
  return {
    code: 'uses-share-of-safe-to-spend' as const,
    monthly_equivalent: monthly,
    safe_to_spend_after: after,
    share: ratioOf(monthly, before),
  };
}

function stabilityReason(paychecks: number, variation: Decimal, income_basis: IncomeEvidence) {
  if (paychecks < 2) return { code: 'too-few-paychecks' as const, income_basis, paychecks };
  return variation.isZero()
    ? { code: 'income-steady' as const, income_basis, paychecks }
    : { code: 'income-varies' as const, income_basis, paychecks, variation: variation.toFixed(4) };
}

function cushionReason(buffer: Pence, lastPay: Pence) {
  const tenth = share(lastPay, '0.10');
  return buffer >= tenth
    ? { code: 'buffer-covers-tenth-of-pay' as const, buffer, tenth_of_pay: tenth }
    : { code: 'buffer-below-tenth-of-pay' as const, buffer, tenth_of_pay: tenth, shortfall: pence(tenth - buffer) };
}

function punctualityReason({ concluded, missed }: PunctualityCount) {
  if (concluded === 0) return { code: 'no-payments-concluded' as const };
  return missed > 0
    ? { code: 'payments-missed' as const, concluded, missed }
    : { code: 'payments-on-time' as const, concluded };
}

const EACH: Readonly<Record<Frequency, string>> = {
  WEEKLY: 'a week',
  MONTHLY: 'a month',
  QUARTERLY: 'a quarter',
  ANNUAL: 'a year',
};

/** If money for essentials may be short, names free debt advice, as the Consumer Duty (FCA PRIN 2A) asks of firms. */
export function recommendationOf(verdict: Verdict): string {
  const { safeToSpend: before, lowestOn, monthly, affordable, score, largest, frequency, essential } = verdict;
  const sentences = [
    `The purchase costs ${inPounds(monthly)} a month.`,
    affordable
      ? `According to the figures on record, this looks affordable. The score is ${score} out of 100.`
      : `According to the figures on record, this does not look affordable. The score is ${score} out of 100.`,
    effectOn(before, monthly, lowestOn),
    !affordable && largest > 0 && `The largest affordable amount is ${inPounds(largest)} ${EACH[frequency]}.`,
    ((essential !== null && !affordable) || before === 0) &&
      'If you cannot pay for essentials such as housing, energy or council tax, MoneyHelper (moneyhelper.org.uk) helps you to find free and impartial debt advice.',
    'This is guidance, not a lending decision.',
  ];
  return sentences.filter((sentence) => sentence !== false).join(' ');
}

/** `lowestOn`: `before` is not the amount of now, but the lowest of the days ahead, on that day. */
function effectOn(before: Pence, monthly: Pence, lowestOn: CalendarDate | undefined): string {
  const isNow = lowestOn === undefined;
  const day = isNow ? '' : longDate(lowestOn);
  if (before === 0) return isNow ? 'Nothing is safe to spend now.' : `Nothing will be safe to spend on ${day}.`;
  const least = isNow ? 'that is safe to spend now' : `that will be safe to spend on ${day}, the lowest day ahead`;
  if (monthly > before)
    return `That is ${inPounds(pence(monthly - before))} more than the ${inPounds(before)} ${least}.`;
  return `Of the ${inPounds(before)} ${least}, ${inPounds(pence(before - monthly))} would be left.`;
}
