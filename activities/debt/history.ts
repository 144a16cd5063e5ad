import { setImmediate as nextTurn } from 'node:timers/promises';
import { startOfLondonDay } from '../../domain/dates.ts';
import { activityOf, historyBy, type CompletedPayment, type PlanFacts } from '../../domain/debt/counting.ts';
import type { Paid, PlanHistory } from '../../domain/debt/standing.ts';
import { pence } from '../../domain/money.ts';
import * as statements from '../../infra/db/statements/debt.ts';
import type { CompletedPaymentRow, PlanRow, RevisionRow } from '../../infra/db/statements/debt.ts';
import type { Services } from '../../infra/services.ts';
import { revisionOf } from './rows.ts';

export interface KnownPlan {
  plan: PlanRow;
  revisions: [RevisionRow, ...RevisionRow[]];
  history: PlanHistory;
}

interface ReadFacts {
  revisions: KnownPlan['revisions'];
  facts: PlanFacts;
}

type Read = Map<string, Promise<ReadFacts>>;

export async function historyOf({ db }: Pick<Services, 'db'>, plan: PlanRow): Promise<KnownPlan> {
  const { revisions, facts } = await factsOf(db, plan, new Map());
  return { plan, revisions, history: historyBy(facts) };
}

function factsOf(db: Services['db'], plan: PlanRow, read: Read): Promise<ReadFacts> {
  const found = read.get(plan.plan_id) ?? readFacts(db, plan, read);
  read.set(plan.plan_id, found);
  return found;
}

async function readFacts(db: Services['db'], plan: PlanRow, read: Read): Promise<ReadFacts> {
  const revisions = (await db.many(statements.revisionsOf(plan.plan_id))) as KnownPlan['revisions'];
  const recorded = await db.many(statements.recordedPayments(plan.plan_id));
  const [first, ...later] = revisions.map(revisionOf);
  const known = { revisions: [first!, ...later] as const, recorded: recorded.map(paidOf) };
  const providers = [...new Set(revisions[0].debts.flatMap(({ provider_id }) => provider_id ?? []))];
  return { revisions, facts: { ...known, counted: await countedIn(db, plan, providers, known, read) } };
}

/**
 * Each payment counts towards at most one plan: the newest plan that named its payee and was active when the payment
 * completed.
 */
async function countedIn(
  db: Services['db'],
  plan: PlanRow,
  providers: readonly string[],
  known: Omit<PlanFacts, 'counted'>,
  read: Read,
): Promise<CompletedPayment[]> {
  if (providers.length === 0) return [];
  const { owner_id, created_at: completedFrom } = plan;
  const initiatedFrom = startOfLondonDay(plan.start_date);
  const completed = await db.many(statements.completedPayments({ owner_id, providers, initiatedFrom, completedFrom }));
  if (completed.length === 0) return [];
  const rivals = await db.many(statements.newerPlans(plan, providers));
  const activities = new Map<string, ReturnType<typeof activityOf>>();
  const countsIn = async (rival: PlanRow, payment: CompletedPayment) => {
    const isActive = activities.get(rival.plan_id) ?? activityOf((await factsOf(db, rival, read)).facts);
    activities.set(rival.plan_id, isActive);
    return isActive(payment);
  };
  const counted: CompletedPayment[] = [];
  const isActive = activityOf({ ...known, counted });
  for (const row of completed) {
    const payment = completedPaymentOf(row);
    let isTaken = false;
    for (const rival of rivals) isTaken ||= mayCount(row, rival) && (await countsIn(rival, payment));
    if (!isTaken && isActive(payment)) counted.push(payment);
    // Lets other requests run, because an owner can have thousands of payments.
    await nextTurn();
  }
  return counted;
}

function mayCount(payment: CompletedPaymentRow, plan: PlanRow & { provider_ids: readonly string[] }): boolean {
  if (!plan.provider_ids.includes(payment.provider_id) || payment.completed_at < plan.created_at) return false;
  return Date.parse(payment.initiated_at) >= startOfLondonDay(plan.start_date).getTime();
}

function completedPaymentOf(row: CompletedPaymentRow): CompletedPayment {
  const { provider_id: providerId, amount, completed_at: completedAt, completed, returned } = row;
  return { providerId, amount: pence(amount), completedAt, completed, returned };
}

function paidOf({ debt, amount, paid_on, created_at }: statements.RecordedPaymentRow): Paid {
  return { on: paid_on, at: created_at, amount: pence(amount), to: { debt } };
}
