import type { Strategy } from '../../../domain/debt/simulation.ts';
import { query } from '../sql.ts';

/** A debt of a revision as it is stored. */
export interface PlanDebtRow {
  name: string;
  balance: number;
  rate: number;
  minimum: number;
  accrued: number;
  provider_id: string | null;
  is_given: boolean;
}

export interface RevisionRow {
  plan_id: string;
  revision: number;
  name: string | null;
  strategy: Strategy;
  monthly_budget: number;
  debts: PlanDebtRow[];
  starts_on: string;
  total_months: number;
  total_interest: number;
  debt_free_date: string;
  made_on: string;
  created_at: string;
}

export type PlanStatus = 'active' | 'completed';

export interface PlanRow {
  plan_id: string;
  seq: number;
  owner_id: string;
  start_date: string;
  status: PlanStatus;
  revision: number;
  created_at: string;
}

const PLAN = 'select plan_id, seq, owner_id, start_date, status, revision, created_at from debt_plans';
const REVISION = `r.plan_id, r.revision, r.name, r.strategy, r.monthly_budget, r.debts, r.starts_on, r.total_months,
    r.total_interest, r.debt_free_date, r.made_on, r.created_at`;

export const planById = query<PlanRow>('debt.planById', `${PLAN} where plan_id = $1`);

/** Held until the transaction ends: nobody else changes the plan or what it counts meanwhile. */
export const lockPlan = query<PlanRow>('debt.lockPlan', `${PLAN} where plan_id = $1 for update`);

/** Plan, owner, start date, status, at. */
export const insertPlan = query(
  'debt.insertPlan',
  `insert into debt_plans (plan_id, owner_id, start_date, status, revision, created_at) values ($1, $2, $3, $4, 1, $5)`,
);

/** Plan, revision, status. */
export const updatePlan = query(
  'debt.updatePlan',
  'update debt_plans set revision = $2, status = $3 where plan_id = $1',
);

/** The columns of a revision in the table's order. */
export const insertRevision = query(
  'debt.insertRevision',
  `insert into debt_plan_revisions (plan_id, revision, name, strategy, monthly_budget, debts, starts_on, total_months,
     total_interest, debt_free_date, made_on, created_at)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10, $11, $12)`,
);

export const revisionsOf = query<RevisionRow>(
  'debt.revisions',
  `select ${REVISION} from debt_plan_revisions r where r.plan_id = $1 order by r.revision`,
);

/** An owner's plans below a seq with their latest revision, newest first: owner, before, how many. */
export const plansOfOwner = query<RevisionRow & Omit<PlanRow, 'created_at'> & { plan_created_at: string }>(
  'debt.ofOwner',
  `select p.seq, p.owner_id, p.start_date, p.status, p.created_at as plan_created_at, ${REVISION}
     from debt_plans p join debt_plan_revisions r on r.plan_id = p.plan_id and r.revision = p.revision
    where p.owner_id = $1 and p.seq < $2 order by p.seq desc limit $3`,
);

/** Payment, plan, debt, amount, day, at. */
export const insertPayment = query(
  'debt.insertPayment',
  `insert into debt_payments (payment_id, plan_id, debt, amount, paid_on, created_at) values ($1, $2, $3, $4, $5, $6)`,
);

export interface RecordedPaymentRow {
  debt: string;
  amount: number;
  paid_on: string;
  created_at: string;
}

export const recordedPayments = query<RecordedPaymentRow>(
  'debt.recorded',
  'select debt, amount, paid_on, created_at from debt_payments where plan_id = $1 order by seq',
);

export interface ProviderPaymentRow {
  provider_id: string;
  amount: number;
  completed_at: string;
}

/** What an owner paid to these providers, initiated from an instant on, and has not got back: owner, providers, from. */
export const providerPayments = query<ProviderPaymentRow>(
  'debt.providerPayments',
  `select p.provider_id, p.amount, e.completed_at
     from payments p
     cross join lateral (
       select max(created_at) as completed_at from payment_events
        where payment_id = p.payment_id and status = 'completed') e
    where p.owner_id = $1 and p.status = 'completed' and p.provider_id = any ($2) and p.initiated_at >= $3
    order by p.seq`,
);

/** Those of the providers that there are. */
export const providersByIds = query<{ provider_id: string; held_by: string | null }>(
  'debt.providers',
  'select provider_id, held_by from providers where provider_id = any ($1)',
);
