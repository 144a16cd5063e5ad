import { callerOf, type Principal } from '../../domain/auth.ts';
import { londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import {
  MOST_PAYMENTS,
  MOST_REVISIONS,
  requireDifferentNames,
  requirePaidOn,
  requireRoom,
  requireSoundPlan,
} from '../../domain/debt/plan.ts';
import { requireDebt, revisedPlan, standingOn, type PlanChange, type Revision } from '../../domain/debt/progress.ts';
import { DEFAULT_STRATEGY, type Strategy } from '../../domain/debt/simulation.ts';
import { DomainError } from '../../domain/errors.ts';
import { pence } from '../../domain/money.ts';
import * as statements from '../../infra/db/statements/debt.ts';
import type { PlanRow, RevisionRow } from '../../infra/db/statements/debt.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { afterCursor, DEFAULT_LIMIT, page } from '../page.ts';
import { requireProvider } from '../payments/providers.ts';
import { compareProgress, drawSimulation, writeSimulation } from './calculations.ts';
import {
  historyOf,
  insertRevision,
  requirePlan,
  revisionColumns,
  revisionOf,
  statusOf,
  type KnownPlan,
} from './rows.ts';
import { headOf, summaryOf, type PlanView } from './views.ts';

/** A plan to be made, for an owner; amounts in pence, rates in basis points. */
export interface NewPlan {
  principal: Principal;
  user_id: string;
  name?: string;
  debts: readonly { name: string; balance: number; rate: number; minimum: number; provider_id?: string }[];
  monthly_budget: number;
  strategy?: Strategy;
  start_date?: CalendarDate;
}

/** Which plan is meant, and whose it must be: anybody's where undefined. */
export interface PlanRef {
  plan_id: string;
  owner_id?: string;
}

/** What is to change of a plan. */
export interface PlanChangeRequest extends PlanRef {
  principal: Principal;
  /** The revisions of which it may be one; any where undefined. */
  revisions?: readonly number[] | undefined;
  name?: string;
  strategy?: Strategy;
  monthly_budget?: number;
  debts?: readonly { name: string; balance?: number; rate?: number; minimum?: number }[];
}

export interface DebtPaymentRequest extends PlanRef {
  principal: Principal;
  debt: string;
  amount: number;
  paid_on: CalendarDate;
}

/** Repayment plans: made, read, changed, and followed. */
export const debtPlanActivities = (services: Services) => ({
  createDebtPlan: (request: NewPlan) => createDebtPlan(services, request),
  getDebtPlan: (request: PlanRef) => getDebtPlan(services, request),
  drawDebtPlan: (request: PlanRef) => drawDebtPlan(services, request),
  listDebtPlans: (request: { user_id: string; limit?: number; cursor?: string }) => listDebtPlans(services, request),
  changeDebtPlan: (request: PlanChangeRequest) => changeDebtPlan(services, request),
  readDebtProgress: (request: PlanRef) => readDebtProgress(services, request),
  recordDebtPayment: (request: DebtPaymentRequest) => recordDebtPayment(services, request),
});

/**
 * Makes a plan and simulates it from its start on.
 * @throws DomainError `unknown-provider`, `budget-below-minimums`, `debt-never-repaid`, `invalid-request`.
 */
async function createDebtPlan(services: Services, request: NewPlan) {
  const { db, newId, clock } = services;
  const now = await clock.now();
  const today = londonDateOf(now);
  const startDate = request.start_date ?? today;
  requireSoundPlan(request.debts, startDate, today);
  const plan: Omit<PlanRow, 'seq'> = {
    plan_id: newId('plan'),
    owner_id: request.user_id,
    start_date: startDate,
    status: 'active',
    revision: 1,
    created_at: now.toISOString(),
  };
  const revision = firstRevision(request, startDate, today, plan.created_at);
  const { row, json } = await simulateRevision(services, plan, request.name ?? null, revision);
  await db.transaction(async () => {
    await requireProviders(services, request);
    await db.run(statements.insertPlan, [plan.plan_id, plan.owner_id, startDate, plan.status, now]);
    await insertRevision(services, row);
    await auditPlan(services, 'debt.plan-created', request.principal, row, now);
  });
  return { plan_id: plan.plan_id, revision: 1, json };
}

function firstRevision(
  { debts, monthly_budget, strategy = DEFAULT_STRATEGY }: NewPlan,
  startsOn: CalendarDate,
  madeOn: CalendarDate,
  at: string,
): Revision {
  return {
    strategy,
    monthlyBudget: pence(monthly_budget),
    startsOn,
    madeOn,
    at,
    debts: debts.map(({ name, balance, rate, minimum, provider_id }) => ({
      name,
      balance: pence(balance),
      rate,
      minimum: pence(minimum),
      accrued: pence(0),
      providerId: provider_id ?? null,
      isGiven: true,
    })),
  };
}

/** @throws DomainError `unknown-provider` unless the caller may pay all of them for the owner. */
async function requireProviders({ db }: Services, { debts, principal, user_id }: NewPlan): Promise<void> {
  const wanted = [...new Set(debts.flatMap(({ provider_id }) => provider_id ?? []))];
  if (wanted.length === 0) return;
  const found = new Map((await db.many(statements.providersByIds, [wanted])).map((row) => [row.provider_id, row]));
  for (const providerId of wanted) requireProvider(found.get(providerId), { principal, ownerId: user_id });
}

/** A revision's row with what its simulation comes to, and the plan with it as text. */
async function simulateRevision(
  { threads }: Services,
  plan: Omit<PlanRow, 'seq'>,
  name: string | null,
  revision: Revision,
) {
  const said = { plan_id: plan.plan_id, revision: plan.revision, name, ...revisionColumns(revision) };
  const unknown = { total_months: 0, total_interest: 0, debt_free_date: revision.startsOn };
  const { json, totalMonths, totalInterest, debtFreeDate } = await writeSimulation<PlanView>(threads, {
    repayment: revision,
    startsOn: revision.startsOn,
    head: headOf(plan, { ...said, ...unknown }),
  });
  const row: RevisionRow = {
    ...said,
    total_months: totalMonths,
    total_interest: totalInterest,
    debt_free_date: debtFreeDate,
  };
  return { row, json };
}

/** The plan with the simulation of its latest revision. @throws DomainError `not-found`. */
async function getDebtPlan(services: Services, request: PlanRef) {
  const { plan, revisions } = await settled(services, await readPlan(services, request));
  const row = revisions.at(-1)!;
  const { json } = await writeSimulation<PlanView>(services.threads, {
    repayment: revisionOf(row),
    startsOn: row.starts_on,
    head: headOf(plan, row),
  });
  return { revision: plan.revision, json };
}

/** The same as a picture, in SVG. @throws DomainError `not-found`. */
async function drawDebtPlan(services: Services, { plan_id, owner_id }: PlanRef): Promise<string> {
  requirePlan(await services.db.maybe(statements.planById, [plan_id]), owner_id);
  const row = (await services.db.many(statements.revisionsOf, [plan_id])).at(-1)!;
  return drawSimulation(services.threads, {
    repayment: revisionOf(row),
    startsOn: row.starts_on,
    title: row.name ?? 'What is still owed, month by month',
  });
}

/** An owner's plans, newest first, without their schedules. @throws DomainError `invalid-request`. */
async function listDebtPlans(
  { db }: Services,
  { user_id, limit = DEFAULT_LIMIT, cursor }: { user_id: string; limit?: number; cursor?: string },
) {
  const rows = await db.many(statements.plansOfOwner, [user_id, afterCursor(cursor), limit + 1]);
  return page(rows, limit, (row) => summaryOf({ ...row, created_at: row.plan_created_at }, row));
}

/**
 * Makes a plan's next revision from what is owed today. Changes of one plan follow each other, each on top of the one before.
 * @throws DomainError `not-found`, `precondition-failed`, `debt-plan-full`, `unknown-debt`, `budget-below-minimums`,
 * `debt-never-repaid`, `invalid-request`.
 */
async function changeDebtPlan(services: Services, request: PlanChangeRequest) {
  const { db } = services;
  const now = await services.clock.now();
  if (request.debts) requireDifferentNames(request.debts);
  return db.transaction(async () => {
    const locked = requirePlan(await db.maybe(statements.lockPlan, [request.plan_id]), request.owner_id);
    requireRevision(locked, request.revisions);
    requireRoom(locked.revision, MOST_REVISIONS);
    const { history, revisions } = await historyOf(services, locked);
    const revision = revisedPlan(history, changeOf(request), { today: londonDateOf(now), at: now.toISOString() });
    const plan: PlanRow = { ...locked, revision: locked.revision + 1, status: statusOf(revision) };
    const name = request.name ?? revisions.at(-1)!.name;
    const { row, json } = await simulateRevision(services, plan, name, revision);
    await insertRevision(services, row);
    await db.run(statements.updatePlan, [plan.plan_id, plan.revision, plan.status]);
    await auditPlan(services, 'debt.plan-updated', request.principal, row, now);
    return { revision: plan.revision, json };
  });
}

function changeOf({ strategy, monthly_budget, debts }: PlanChangeRequest): PlanChange {
  return {
    ...(strategy !== undefined && { strategy }),
    ...(monthly_budget !== undefined && { monthlyBudget: pence(monthly_budget) }),
    ...(debts !== undefined && {
      debts: debts.map(({ name, balance, rate, minimum }) => ({
        name,
        ...(balance !== undefined && { balance: pence(balance) }),
        ...(rate !== undefined && { rate }),
        ...(minimum !== undefined && { minimum: pence(minimum) }),
      })),
    }),
  };
}

function requireRevision({ revision }: PlanRow, allowed: readonly number[] | undefined): void {
  if (allowed === undefined || allowed.includes(revision)) return;
  throw new DomainError('precondition-failed', `The plan is at revision ${revision} now. Read it again.`, { revision });
}

/** What is owed against what should be. @throws DomainError `not-found`. */
async function readDebtProgress(services: Services, request: PlanRef) {
  const asOf = londonDateOf(await services.clock.now());
  const { plan, history } = await settled(services, await readPlan(services, request));
  const progress = await compareProgress(services.threads, { history, asOf });
  return {
    revision: plan.revision,
    progress: {
      plan_id: plan.plan_id,
      strategy: history.revisions.at(-1)!.strategy,
      as_of: progress.asOf,
      months_elapsed: progress.monthsElapsed,
      starting_balance: progress.startingBalance,
      expected_balance: progress.expectedBalance,
      actual_balance: progress.actualBalance,
      paid_to_date: progress.paidToDate,
      ahead_by: progress.aheadBy,
      on_track: progress.onTrack,
      projected_debt_free_date: progress.projectedDebtFreeDate,
      debts: progress.debts.map((debt) => ({
        name: debt.name,
        starting_balance: debt.startingBalance,
        expected_balance: debt.expectedBalance,
        actual_balance: debt.actualBalance,
        percent_repaid: debt.percentRepaid,
      })),
    },
  };
}

/** Records a payment that was made elsewhere. @throws DomainError `not-found`, `unknown-debt`, `debt-plan-full`, `invalid-request`. */
async function recordDebtPayment(services: Services, request: DebtPaymentRequest) {
  const { db, newId } = services;
  const { principal, plan_id, debt, amount, paid_on } = request;
  const now = await services.clock.now();
  const today = londonDateOf(now);
  return db.transaction(async () => {
    const plan = requirePlan(await db.maybe(statements.lockPlan, [plan_id]), request.owner_id);
    const { history: before } = await historyOf(services, plan);
    const { debts } = before.revisions[0];
    requireDebt(debts, debt);
    requirePaidOn(paid_on, plan.start_date, today);
    requireRoom(before.payments.filter(({ to }) => 'debt' in to).length, MOST_PAYMENTS);
    const paymentId = newId('dpay');
    const created_at = now.toISOString();
    await db.run(statements.insertPayment, [paymentId, plan_id, debt, amount, paid_on, now]);
    const paid = { on: paid_on, at: created_at, amount: pence(amount), to: { debt } };
    const standing = standingOn({ ...before, payments: [...before.payments, paid] }, today);
    const status = statusOf(standing);
    if (status !== plan.status) await db.run(statements.updatePlan, [plan_id, plan.revision, status]);
    const position = debts.findIndex(({ name }) => name === debt);
    const data = { payment_id: paymentId, debt: position + 1, amount, paid_on, status };
    const subject = { subject: plan_id, kind: 'debt.payment-recorded', actor: callerOf(principal) };
    await audit(services, { ...subject, data, at: now });
    const remaining: number = standing.debts[position]!.balance;
    return { payment_id: paymentId, plan_id, debt, amount, paid_on, remaining, status, created_at };
  });
}

async function readPlan(services: Services, { plan_id, owner_id }: PlanRef): Promise<KnownPlan> {
  const plan = requirePlan(await services.db.maybe(statements.planById, [plan_id]), owner_id);
  return historyOf(services, plan);
}

/** The plan with the status that it has by what was paid until now; where that is another one than is stored, it is stored. */
async function settled(services: Services, known: KnownPlan): Promise<KnownPlan> {
  const { db } = services;
  const today = londonDateOf(await services.clock.now());
  if (statusOf(standingOn(known.history, today)) === known.plan.status) return known;
  return db.transaction(async () => {
    const locked = requirePlan(await db.maybe(statements.lockPlan, [known.plan.plan_id]), undefined);
    const current = await historyOf(services, locked);
    const status = statusOf(standingOn(current.history, today));
    await db.run(statements.updatePlan, [locked.plan_id, locked.revision, status]);
    return { ...current, plan: { ...locked, status } };
  });
}

async function auditPlan(
  services: Services,
  kind: 'debt.plan-created' | 'debt.plan-updated',
  principal: Principal,
  { plan_id, revision, strategy, monthly_budget, debts, total_months }: RevisionRow,
  at: Date,
): Promise<void> {
  const owedTotal = debts.reduce((total, { balance }) => total + balance, 0);
  const data = { revision, strategy, monthly_budget, debts: debts.length, balance: owedTotal, total_months };
  await audit(services, { subject: plan_id, kind, actor: callerOf(principal), data, at });
}
