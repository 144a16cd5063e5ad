import type { IncomeLimits, Principal } from '../auth.ts';
import type { CalendarDate, Period } from '../dates.ts';
import { DomainError } from '../errors.ts';
import { pence, type Pence } from '../money.ts';
import type { Split } from '../paycheck.ts';

/** A trusted key asserted the income, a payslip shows it, the bank booked it, or the caller only stated it. */
export type IncomeEvidence = 'asserted' | 'payslip' | 'bank' | 'stated';

/** A payslip proves the income of only one pay date, which must be in the payslip's period. Nobody asserts a wage. */
export function evidenceOf(income: {
  mayAssert: boolean;
  isWage: boolean;
  isFromDocument: boolean;
  period: Period | null;
  documentUsed: boolean;
  payDate: CalendarDate;
}): IncomeEvidence {
  const { mayAssert, isWage, isFromDocument, period, documentUsed, payDate } = income;
  if (isWage) return 'bank';
  if (!isFromDocument) return mayAssert ? 'asserted' : 'stated';
  const isInPeriod = period !== null && period.from <= payDate && payDate <= period.to;
  return isInPeriod && !documentUsed ? 'payslip' : 'stated';
}

/**
 * Refuses to change an asserted paycheck without that right, or to reduce an income that has earned interest. A wage never
 * changes an asserted paycheck, and reduces another only if the person named the wage while signed in.
 */
export function requireRevisable(
  booked: Pick<Split, 'grossIncome'> | null,
  { evidence, hasEarned }: { evidence: IncomeEvidence | null; hasEarned: boolean },
  { grossPay, mayAssert, wage }: { grossPay: Pence; mayAssert: boolean; wage: { ownSignIn: boolean } | null },
): void {
  if (booked === null) return;
  if (evidence === 'asserted' && (wage !== null || !mayAssert)) {
    throw new DomainError(
      'paycheck-asserted',
      wage === null
        ? 'Only an API key with the scope assert:income can change this paycheck, because a key with this scope calculated it.'
        : 'A wage cannot change this paycheck, because an API key with the scope assert:income calculated it.',
    );
  }
  if (grossPay >= booked.grossIncome) return;
  if (wage !== null && !wage.ownSignIn) {
    throw new DomainError(
      'wage-below-paycheck',
      `The paycheck of this day has an income of ${booked.grossIncome} pence, and the wage is smaller. Only a wage that the person named while signed in to this service reduces a paycheck.`,
      { gross_income: booked.grossIncome },
    );
  }
  if (!hasEarned) return;
  throw new DomainError(
    'paycheck-already-accrued',
    `A vault of this owner has earned interest since the day on which this paycheck was first calculated. So the income must stay at ${booked.grossIncome} pence or more.`,
    { gross_income: booked.grossIncome },
  );
}

/** What a key has asserted in a month: for one owner, and for all owners together. */
interface AssertedIncome {
  owner: Pence;
  month: Pence;
}

interface Evidenced {
  evidence: IncomeEvidence | null;
  grossIncome: Pence;
}

/** Unless the previous revision was asserted too, the whole income counts. */
export function assertedDifference(asserted: Evidenced, before: Evidenced): number {
  return assertedPart(asserted) - assertedPart(before);
}

function assertedPart({ evidence, grossIncome }: Evidenced): number {
  return evidence === 'asserted' ? grossIncome : 0;
}

/** Refuses a revision, already part of `evidenced`, that leaves less evidence than payments have spent. */
export function requireSpentEvidenced(
  revised: Evidenced,
  { evidenced, spent }: { evidenced: number; spent: number },
): void {
  const shortfall = spent - evidenced;
  if (shortfall <= 0) return;
  const committed = assertedPart(revised) + shortfall;
  throw new DomainError(
    'paycheck-already-committed',
    `Payments need ${committed} pence of this paycheck as asserted income. The new asserted income is ${shortfall} pence too small to cover those payments.`,
    { committed, shortfall },
  );
}

export function requireWithinIncomeLimits(
  before: AssertedIncome,
  difference: number,
  limits: IncomeLimits,
): AssertedIncome {
  const within = (scope: keyof AssertedIncome, limit: number) => {
    const asserted = before[scope] + difference;
    if (difference <= 0 || asserted <= limit) return pence(asserted);
    const whom = scope === 'owner' ? 'for one owner' : 'for all owners';
    throw new DomainError(
      'exceeds-income-limit',
      `This API key can assert at most ${limit} pence a month ${whom}, and has already asserted ${before[scope]} pence.`,
      { limit, asserted: before[scope], scope },
    );
  };
  return { owner: within('owner', limits.perOwner), month: within('month', limits.perMonth) };
}

export function incomeLimitsOf(principal: Principal | null): IncomeLimits | null {
  return principal?.kind === 'api_key' ? (principal.incomeLimits ?? null) : null;
}
