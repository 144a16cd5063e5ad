import { addDays, isCalendarDate, type CalendarDate } from './dates.ts';
import { DomainError, invalidInput, type InputFault } from './errors.ts';
import type { Leg, VaultType } from './ledger.ts';
import { least, pence, ratioOf, share, sum, type Pence, type Ratio } from './money.ts';

/** The share of the gross to put aside if neither the request nor the profile sets one. */
export const DEFAULT_BUFFER_RATE: Ratio = '0.10';

/** The most that an owner may ever receive: far above any wage, and below what a double holds exactly. */
export const MAX_RECEIVED = 9_000_000_000_000_000 as Pence;

/** How far ahead a paycheck may be dated, in days. */
export const MAX_PAY_DATE_DAYS = 31;

/** An amount to be paid out of the wage; `type` is also the label of its vault. */
export interface Obligation {
  type: string;
  category: VaultType;
  amount: Pence;
}

/** The split of a wage: `grossIncome = lockedForBills + lockedBuffer + safeToSpend`. */
export interface Split {
  grossIncome: Pence;
  lockedForBills: Pence;
  lockedBuffer: Pence;
  safeToSpend: Pence;
}

/** An obligation of a stored calculation with the lot that it funded, and the money now available in that lot. */
export interface FundedObligation extends Obligation {
  vaultId: string;
  allocationId: string;
  available: Pence;
}

/** The latest revision of a paycheck, with its lots as they are now. */
export interface BookedPaycheck extends Omit<Split, 'lockedForBills'> {
  obligations: readonly FundedObligation[];
}

/** The owner's current money in the pots that all its paychecks share. */
export interface Held {
  safeToSpend: Pence;
  buffer: Pence;
}

/** A change of one lot; `lot` is null if a new one is to be made. */
export interface LotPlan {
  obligation: Obligation;
  lot: FundedObligation | null;
  change: Pence;
}

/** The changes of a calculation: everything for a first one, the differences for a revision. */
export interface PaycheckPlan {
  gross: Pence;
  buffer: Pence;
  safeToSpend: Pence;
  /** One for each obligation, in order. */
  obligations: readonly LotPlan[];
  /** Lots of obligations that the revision no longer has. */
  removed: readonly LotPlan[];
}

/**
 * Splits a wage. `lockedBuffer` = min(round_half_up(gross x rate), what the bills leave).
 * @throws DomainError `obligations-exceed-income` with `shortfall`.
 */
export function splitPaycheck(grossPay: Pence, obligations: readonly Obligation[], bufferRate: Ratio): Split {
  const lockedForBills = sum(obligations.map((obligation) => obligation.amount));
  const afterBills = pence(grossPay - lockedForBills);
  if (afterBills < 0) {
    throw new DomainError(
      'obligations-exceed-income',
      `The obligations come to ${lockedForBills} pence, but the income is ${grossPay} pence. Reduce the obligations by the shortfall.`,
      { shortfall: 0 - afterBills },
    );
  }
  const lockedBuffer = least(share(grossPay, bufferRate), afterBills);
  return { grossIncome: grossPay, lockedForBills, lockedBuffer, safeToSpend: pence(afterBills - lockedBuffer) };
}

/**
 * The movements from the booked revision (null before the first) to a new split.
 * @throws DomainError `paycheck-already-committed` with `committed` and `shortfall` if a pot would have to give back
 * money that has left it.
 */
export function planPaycheck(
  booked: BookedPaycheck | null,
  split: Split,
  obligations: readonly Obligation[],
  held: Held,
): PaycheckPlan {
  const { matched, removed } = matchLots(obligations, booked?.obligations ?? []);
  if (booked) refuseCommitted(booked, split, held, [...matched, ...removed]);
  return {
    gross: pence(split.grossIncome - (booked?.grossIncome ?? 0)),
    buffer: pence(split.lockedBuffer - (booked?.lockedBuffer ?? 0)),
    safeToSpend: pence(split.safeToSpend - (booked?.safeToSpend ?? 0)),
    obligations: matched,
    removed,
  };
}

/** The legs of a plan; they balance. `vaultIds` are those of `plan.obligations`, in order. */
export function paycheckLegs(plan: PaycheckPlan, vaultIds: readonly string[]): Leg[] {
  const vaultLeg = (vaultId: string, change: Pence): Leg => ({
    account: 'vault',
    vaultId,
    kind: change < 0 ? 'withdrawal' : 'allocation',
    amount: change,
  });
  const pots: Leg[] = [
    ...plan.obligations.map(({ change }, index) => vaultLeg(vaultIds[index]!, change)),
    ...plan.removed.map(({ lot, change }) => vaultLeg(lot!.vaultId, change)),
    { account: 'buffer', kind: 'allocation', amount: plan.buffer },
    { account: 'safe_to_spend', kind: 'allocation', amount: plan.safeToSpend },
  ];
  const from = (account: Leg['account'], amount: number): Leg => ({
    account,
    kind: 'allocation',
    amount: pence(amount),
  });
  // Money passes through `income`, which may never be overdrawn, so in either direction it comes in before it goes out.
  if (plan.gross >= 0) {
    return [from('employer', 0 - plan.gross), from('income', plan.gross), from('income', 0 - plan.gross), ...pots];
  }
  return [...pots, from('income', 0 - plan.gross), from('income', plan.gross), from('employer', 0 - plan.gross)];
}

/**
 * @throws DomainError `balance-limit` with `limit` if the total that the owner has received would no longer be held
 * exactly.
 */
export function requireWithinLimit(received: Pence, more: Pence): void {
  if (received + more <= MAX_RECEIVED) return;
  throw new DomainError(
    'balance-limit',
    `An owner can receive at most ${MAX_RECEIVED} pence in total, and this amount would exceed that.`,
    {
      limit: MAX_RECEIVED,
      received,
    },
  );
}

/**
 * The faults in how the income was named: exactly one of an amount and a document must be present. Looks only at
 * presence.
 */
export function incomeFaults({
  gross_pay,
  payslip_doc_id,
}: {
  gross_pay?: unknown;
  payslip_doc_id?: unknown;
}): InputFault[] {
  if (gross_pay === undefined && payslip_doc_id === undefined)
    return [{ pointer: '/gross_pay', detail: 'is required, unless you send payslip_doc_id' }];
  if (gross_pay !== undefined && payslip_doc_id !== undefined)
    return [{ pointer: '/payslip_doc_id', detail: 'cannot be combined with gross_pay' }];
  return [];
}

/**
 * @throws DomainError `invalid-request` at `/pay_date` more than 10 years back; `pay-date-too-far` with `latest` more
 * than 31 days ahead.
 */
export function requirePayDate(payDate: CalendarDate, today: CalendarDate): void {
  const earliest = yearsFrom(today, -10);
  const latest = addDays(today, MAX_PAY_DATE_DAYS);
  if (payDate < earliest) throw invalidInput('/pay_date', `must be from ${earliest} to ${latest}`);
  if (payDate <= latest) return;
  throw new DomainError(
    'pay-date-too-far',
    `The pay date can be at most ${MAX_PAY_DATE_DAYS} days ahead. The latest allowed date is ${latest}.`,
    {
      latest,
    },
  );
}

/** The difference of each figure, new less previous. */
export function comparePaychecks(current: Split, previous: Split): Split {
  return {
    grossIncome: pence(current.grossIncome - previous.grossIncome),
    lockedForBills: pence(current.lockedForBills - previous.lockedForBills),
    lockedBuffer: pence(current.lockedBuffer - previous.lockedBuffer),
    safeToSpend: pence(current.safeToSpend - previous.safeToSpend),
  };
}

/** A calculation explained: the steps from the gross to safe to spend, shares of the income, and the buffer. */
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

/** The same day of another year; 29 February becomes the 28th. */
function yearsFrom(date: CalendarDate, years: number): CalendarDate {
  const moved = `${String(Number(date.slice(0, 4)) + years).padStart(4, '0')}${date.slice(4)}`;
  return isCalendarDate(moved) ? moved : moved.replace(/29$/, '28');
}

/** Matches obligations by category and type. If several share both, the k-th matches the k-th. */
function matchLots(obligations: readonly Obligation[], lots: readonly FundedObligation[]) {
  const waiting = Map.groupBy(lots, nameOf);
  const matched = obligations.map((obligation): LotPlan => {
    const lot = waiting.get(nameOf(obligation))?.shift() ?? null;
    return { obligation, lot, change: pence(obligation.amount - (lot?.amount ?? 0)) };
  });
  const removed = [...waiting.values()]
    .flat()
    .map((lot): LotPlan => ({ obligation: { ...lot, amount: pence(0) }, lot, change: pence(0 - lot.amount) }));
  return { matched, removed };
}

function nameOf({ category, type }: Obligation): string {
  return `${category} ${type}`;
}

function refuseCommitted(booked: BookedPaycheck, split: Split, held: Held, lots: readonly LotPlan[]): void {
  const pots = [
    { committed: Math.max(0, booked.safeToSpend - held.safeToSpend), planned: split.safeToSpend },
    { committed: Math.max(0, booked.lockedBuffer - held.buffer), planned: split.lockedBuffer },
    ...lots.map(({ obligation, lot }) => ({
      committed: lot ? lot.amount - lot.available : 0,
      planned: obligation.amount,
    })),
  ];
  const committed = sum(pots.map((pot) => pence(pot.committed)));
  const shortfall = sum(pots.map((pot) => pence(Math.max(0, pot.committed - pot.planned))));
  if (shortfall === 0) return;
  throw new DomainError(
    'paycheck-already-committed',
    `${committed} pence of this paycheck were already allocated, paid or spent. The new amount is ${shortfall} pence too small to cover them.`,
    { committed, shortfall },
  );
}
