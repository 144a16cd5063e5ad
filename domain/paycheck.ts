import { addDays, addMonths, type CalendarDate } from './dates.ts';
import { DomainError, exactlyOne, invalidInput, type InputFault } from './errors.ts';
import type { Leg, VaultType } from './ledger.ts';
import { least, pence, ratioOf, share, sum, type Pence, type Ratio } from './money.ts';

/** A share of the gross income, unless the request or the profile sets another. */
export const DEFAULT_BUFFER_RATE: Ratio = '0.10';

/** The most that an owner can ever receive: far above any wage, and still exact as a double. */
export const MAX_RECEIVED = 9_000_000_000_000_000 as Pence;

const MAX_PAY_DATE_DAYS = 31;

/** `type` is also the label of the vault. */
export interface Obligation {
  type: string;
  category: VaultType;
  amount: Pence;
}

/** `grossIncome = lockedForBills + lockedBuffer + safeToSpend`. */
export interface Split {
  grossIncome: Pence;
  lockedForBills: Pence;
  lockedBuffer: Pence;
  safeToSpend: Pence;
}

/** `available` is the money that is left in the allocation. */
export interface FundedObligation extends Obligation {
  vaultId: string;
  allocationId: string;
  available: Pence;
}

/** The latest revision, with the current amounts of its allocations. */
export interface BookedPaycheck extends Omit<Split, 'lockedForBills'> {
  obligations: readonly FundedObligation[];
}

/** All paychecks share these balances. */
interface Held {
  safeToSpend: Pence;
  buffer: Pence;
}

/** If `allocation` is null, the obligation needs a new allocation. */
export interface ObligationPlan {
  obligation: Obligation;
  allocation: FundedObligation | null;
  change: Pence;
}

/** For a revised paycheck, only the differences. */
export interface PaycheckPlan {
  gross: Pence;
  buffer: Pence;
  safeToSpend: Pence;
  /** In the order of the obligations. */
  obligations: readonly ObligationPlan[];
  /** Allocations whose obligations are missing from the revision. */
  removed: readonly ObligationPlan[];
}

/** The buffer is round_half_up(gross x rate), or less if the bills leave less. */
export function splitPaycheck(grossPay: Pence, obligations: readonly Obligation[], bufferRate: Ratio): Split {
  const lockedForBills = sum(obligations.map((obligation) => obligation.amount));
  const afterBills = pence(grossPay - lockedForBills);
  if (afterBills < 0) {
    throw new DomainError(
      'obligations-exceed-income',
      `The obligations come to ${lockedForBills} pence, but the income is ${grossPay} pence. Reduce the obligations by at least the difference.`,
      { shortfall: 0 - afterBills },
    );
  }
  const lockedBuffer = least(share(grossPay, bufferRate), afterBills);
  return { grossIncome: grossPay, lockedForBills, lockedBuffer, safeToSpend: pence(afterBills - lockedBuffer) };
}

/** A revision must cover the money that is already allocated, paid or spent. */
export function planPaycheck(
  booked: BookedPaycheck | null,
  split: Split,
  obligations: readonly Obligation[],
  held: Held,
): PaycheckPlan {
  const { matched, removed } = matchAllocations(obligations, booked?.obligations ?? []);
  if (booked) refuseCommitted(booked, split, held, [...matched, ...removed]);
  return {
    gross: pence(split.grossIncome - (booked?.grossIncome ?? 0)),
    buffer: pence(split.lockedBuffer - (booked?.lockedBuffer ?? 0)),
    safeToSpend: pence(split.safeToSpend - (booked?.safeToSpend ?? 0)),
    obligations: matched,
    removed,
  };
}

/** `vaultIds` are in the order of `plan.obligations`. */
export function paycheckLegs(plan: PaycheckPlan, vaultIds: readonly string[]): Leg[] {
  const vaultLeg = (vaultId: string, change: Pence): Leg => ({
    account: 'vault',
    vaultId,
    kind: change < 0 ? 'withdrawal' : 'allocation',
    amount: change,
  });
  const pots: Leg[] = [
    ...plan.obligations.map(({ change }, index) => vaultLeg(vaultIds[index]!, change)),
    ...plan.removed.map(({ allocation, change }) => vaultLeg(allocation!.vaultId, change)),
    { account: 'buffer', kind: 'allocation', amount: plan.buffer },
    { account: 'safe_to_spend', kind: 'allocation', amount: plan.safeToSpend },
  ];
  const from = (account: Leg['account'], amount: number): Leg => ({
    account,
    kind: 'allocation',
    amount: pence(amount),
  });
  // Money passes through `income`, which must not be overdrawn. So the leg into `income` comes first.
  if (plan.gross >= 0) {
    return [from('employer', 0 - plan.gross), from('income', plan.gross), from('income', 0 - plan.gross), ...pots];
  }
  return [...pots, from('income', 0 - plan.gross), from('income', plan.gross), from('employer', 0 - plan.gross)];
}

export function requireWithinLimit(received: Pence, more: Pence): void {
  if (received + more <= MAX_RECEIVED) return;
  throw new DomainError(
    'balance-limit',
    `An owner can receive at most ${MAX_RECEIVED} pence in total, and this amount would exceed the limit.`,
    { limit: MAX_RECEIVED, received },
  );
}

export function incomeFaults(given: {
  gross_pay?: unknown;
  payslip_doc_id?: unknown;
  wage_id?: unknown;
}): InputFault[] {
  const { gross_pay, payslip_doc_id, wage_id } = given;
  return exactlyOne({ gross_pay, payslip_doc_id, wage_id });
}

export function requirePayDate(payDate: CalendarDate, today: CalendarDate): void {
  const earliest = addMonths(today, -120);
  const latest = addDays(today, MAX_PAY_DATE_DAYS);
  if (payDate < earliest) throw invalidInput('/pay_date', `must be from ${earliest} to ${latest}`);
  if (payDate <= latest) return;
  throw new DomainError(
    'pay-date-too-far',
    `The pay date can be at most ${MAX_PAY_DATE_DAYS} days ahead. The latest allowed date is ${latest}.`,
    { latest },
  );
}

export function comparePaychecks(current: Split, previous: Split): Split {
  return {
    grossIncome: pence(current.grossIncome - previous.grossIncome),
    lockedForBills: pence(current.lockedForBills - previous.lockedForBills),
    lockedBuffer: pence(current.lockedBuffer - previous.lockedBuffer),
    safeToSpend: pence(current.safeToSpend - previous.safeToSpend),
  };
}

export function explainPaycheck(split: Split, obligations: readonly Obligation[], bufferRate: Ratio) {
  let remaining = split.grossIncome;
  const step = (label: string, amount: Pence) => ({
    label,
    amount,
    remaining: (remaining = pence(remaining - amount)),
  });
  const requested = share(split.grossIncome, bufferRate);
  return {
    steps: [
      { label: 'Gross income', amount: split.grossIncome, remaining },
      ...obligations.map(({ type, amount }) => step(type, amount)),
      step('Safety buffer', split.lockedBuffer),
    ],
    obligations: obligations.map(({ type, category, amount }) => ({
      type,
      category,
      amount,
      share_of_income: ratioOf(amount, split.grossIncome),
    })),
    buffer: { rate: bufferRate, requested, locked: split.lockedBuffer, capped: split.lockedBuffer < requested },
  };
}

/** Duplicates are matched in order. */
function matchAllocations(obligations: readonly Obligation[], funded: readonly FundedObligation[]) {
  const waiting = Map.groupBy(funded, nameOf);
  const matched = obligations.map((obligation): ObligationPlan => {
    const allocation = waiting.get(nameOf(obligation))?.shift() ?? null;
    return { obligation, allocation, change: pence(obligation.amount - (allocation?.amount ?? 0)) };
  });
  const removed = [...waiting.values()].flat().map((allocation): ObligationPlan => ({
    obligation: { ...allocation, amount: pence(0) },
    allocation,
    change: pence(0 - allocation.amount),
  }));
  return { matched, removed };
}

function nameOf({ category, type }: Obligation): string {
  return `${category} ${type}`;
}

function refuseCommitted(booked: BookedPaycheck, split: Split, held: Held, plans: readonly ObligationPlan[]): void {
  const pots = [
    { committed: Math.max(0, booked.safeToSpend - held.safeToSpend), planned: split.safeToSpend },
    { committed: Math.max(0, booked.lockedBuffer - held.buffer), planned: split.lockedBuffer },
    ...plans.map(({ obligation, allocation }) => ({
      committed: allocation ? allocation.amount - allocation.available : 0,
      planned: obligation.amount,
    })),
  ];
  const committed = sum(pots.map((pot) => pence(pot.committed)));
  const shortfall = sum(pots.map((pot) => pence(Math.max(0, pot.committed - pot.planned))));
  if (shortfall === 0) return;
  throw new DomainError(
    'paycheck-already-committed',
    `${committed} pence of this paycheck have already been allocated, paid or spent. With this calculation, ${shortfall} pence of that money would be missing.`,
    { committed, shortfall },
  );
}
