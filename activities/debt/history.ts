import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { startOfLondonDay } from '../../domain/dates.ts';
import { activityOf, historyBy, type CompletedPayment, type PlanFacts } from '../../domain/debt/counting.ts';
import { MOST_REVISIONS } from '../../domain/debt/plan.ts';
import type { Paid, PlanHistory } from '../../domain/debt/standing.ts';
import { pence } from '../../domain/money.ts';
import type { Queries } from '../../infra/db/connection.ts';
import * as queries from '../../infra/db/queries/debt.ts';
import type { CompletedPaymentRow, NamingPlan, PlanRow, RevisionRow } from '../../infra/db/queries/debt.ts';
import { revisionOf } from './rows.ts';

export interface KnownPlan {
  plan: PlanRow;
  revisions: [RevisionRow, ...RevisionRow[]];
  history: PlanHistory;
}

/** Reads at most so many plans, and so many revisions, at once. */
const PLANS_AT_ONCE = 20;
const REVISIONS_AT_ONCE = MOST_REVISIONS;

export async function historyOf(db: Queries, { plan_id, owner_id, seq }: PlanRow): Promise<KnownPlan> {
  const wanted = { ownerId: owner_id, planIds: new Set([plan_id]), from: seq };
  for await (const known of historiesOf(db, wanted)) return known;
  throw new Error(`${plan_id} is not a plan of its owner`);
}

interface WantedPlans {
  ownerId: string;
  planIds: ReadonlySet<string>;
  /** The sequence number of the oldest of these plans. */
  from: number;
}

/**
 * Yields plans of one owner, newest first. Each payment counts towards at most one plan: the newest plan that named its
 * payee and was active when the payment completed. So newer plans take their payments first.
 */
export async function* historiesOf(db: Queries, wanted: WantedPlans): AsyncGenerator<KnownPlan> {
  const plans = withRivals(await db.many(queries.plansFrom(wanted.ownerId, wanted.from)), wanted.planIds);
  const completed = await completedFor(db, wanted.ownerId, plans);
  const left = new Set(completed);
  const newest = new Map<string, string>();
  for (const { provider_id: id, completed_at: at } of completed) if (at > (newest.get(id) ?? '')) newest.set(id, at);
  const isNeeded = ({ plan_id, provider_ids, created_at }: NamingPlan) =>
    wanted.planIds.has(plan_id) || provider_ids.some((id) => (newest.get(id) ?? '') >= created_at);
  for (const part of partsOf(plans.filter(isNeeded).reverse())) {
    const ids = part.map(({ plan_id }) => plan_id);
    const revisions = Map.groupBy(await db.many(queries.revisionsOf(ids)), ({ plan_id }) => plan_id);
    const recorded = Map.groupBy(await db.many(queries.recordedPayments(ids)), ({ plan_id }) => plan_id);
    for (const plan of part) {
      const rows = revisions.get(plan.plan_id) as KnownPlan['revisions'];
      const [first, ...later] = rows.map(revisionOf);
      const known = {
        revisions: [first!, ...later] as const,
        recorded: (recorded.get(plan.plan_id) ?? []).map(paidOf),
      };
      const facts = { ...known, counted: await takePayments(plan, known, left) };
      if (wanted.planIds.has(plan.plan_id)) yield { plan, revisions: rows, history: historyBy(facts) };
    }
  }
}

/** `plans` must be oldest first. Keeps the wanted plans, and newer plans on which their payments can depend. */
function withRivals(plans: readonly NamingPlan[], planIds: WantedPlans['planIds']): NamingPlan[] {
  const named = new Set<string>();
  return plans.filter(({ plan_id, provider_ids }) => {
    if (!planIds.has(plan_id) && !provider_ids.some((id) => named.has(id))) return false;
    for (const id of provider_ids) named.add(id);
    return true;
  });
}

async function completedFor(db: Queries, owner_id: string, plans: readonly NamingPlan[]) {
  const payees = [...new Set(plans.flatMap(({ provider_ids }) => provider_ids))];
  if (payees.length === 0) return [];
  const initiatedFrom = startOfLondonDay(plans.map(({ start_date }) => start_date).sort()[0]!);
  const completedFrom = plans.map(({ created_at }) => created_at).sort()[0]!;
  return db.many(queries.completedPayments({ owner_id, payees, initiatedFrom, completedFrom }));
}

function partsOf(plans: readonly NamingPlan[]): NamingPlan[][] {
  const parts: NamingPlan[][] = [];
  let left = 0;
  for (const plan of plans) {
    const size = Math.max(plan.revision, REVISIONS_AT_ONCE / PLANS_AT_ONCE);
    if (size > left) {
      parts.push([]);
      left = REVISIONS_AT_ONCE;
    }
    parts.at(-1)!.push(plan);
    left -= size;
  }
  return parts;
}

/** Removes from `left`, which is in order of completion, the payments that count in the plan. */
async function takePayments(plan: NamingPlan, known: Omit<PlanFacts, 'counted'>, left: Set<CompletedPaymentRow>) {
  const counted: CompletedPayment[] = [];
  const isActive = activityOf({ ...known, counted });
  const from = startOfLondonDay(plan.start_date).getTime();
  for (const row of [...left].filter((payment) => mayCount(payment, plan, from))) {
    const payment = completedPaymentOf(row);
    if (isActive(payment)) {
      counted.push(payment);
      left.delete(row);
    }
    // Lets other requests run, because an owner can have thousands of payments.
    await yieldToOthers();
  }
  return counted;
}

/** `from` is the instant at which the plan's first day starts. */
function mayCount(payment: CompletedPaymentRow, plan: NamingPlan, from: number): boolean {
  if (!plan.provider_ids.includes(payment.provider_id) || payment.completed_at < plan.created_at) return false;
  if (plan.closed_at !== null && payment.completed_at > plan.closed_at) return false;
  return Date.parse(payment.initiated_at) >= from;
}

function completedPaymentOf(row: CompletedPaymentRow): CompletedPayment {
  const { provider_id: providerId, amount, completed_at: completedAt, completed, returned } = row;
  return { providerId, amount: pence(amount), completedAt, completed, returned };
}

function paidOf({ debt, amount, paid_on, created_at }: queries.RecordedPaymentRow): Paid {
  return { on: paid_on, at: created_at, amount: pence(amount), to: { debt } };
}
