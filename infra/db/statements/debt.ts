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

/** Locks the plan's owner until the transaction ends, as every payment does that completes. No row for an owner without money. */
export const lockOwnerOfPlan = query(
  'debt.lockOwnerOfPlan',
  `select from debt_plans p join owners o using (owner_id) where p.plan_id = $1 for no key update of o`,
);

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

export interface CompletedPaymentRow {
  payment_id: string;
  provider_id: string;
  amount: number;
  initiated_at: string;
  completed_at: string;
  /** Their places among the events of all payments; `returned` is null for what did not come back. */
  completed: number;
  returned: number | null;
}

/**
 * An owner's payments to these providers that completed, also those that came back later, in the order of their completion: owner,
 * providers, initiated from an instant on, completed from an instant on.
 */
export const completedPayments = query<CompletedPaymentRow>(
  'debt.completedPayments',
  `select p.payment_id, p.provider_id, p.amount, p.initiated_at, done.created_at as completed_at, done.seq as completed,
          back.seq as returned
     from payments p
     join lateral (
       select e.seq, e.created_at from payment_events e
        where e.payment_id = p.payment_id and e.status = 'completed' order by e.seq desc limit 1) done on true
     left join lateral (
       select e.seq from payment_events e
        where e.payment_id = p.payment_id and e.status = 'returned' order by e.seq desc limit 1) back on true
    where p.owner_id = $1 and p.status in ('completed', 'returned') and p.provider_id = any ($2) and p.initiated_at >= $3
      and done.created_at >= $4
    order by done.seq`,
);

/** The newest of an owner's payments of an amount to a provider that completed within three days of a day in London: owner, provider, amount, day. */
export const completedAround = query<{ payment_id: string }>(
  'debt.completedAround',
  `select p.payment_id
     from payments p
     join lateral (
       select max(e.created_at) as at from payment_events e
        where e.payment_id = p.payment_id and e.status = 'completed') done on true
    where p.owner_id = $1 and p.status = 'completed' and p.provider_id = $2 and p.amount = $3
      and (done.at at time zone 'Europe/London')::date between $4::date - 3 and $4::date + 3
    order by p.seq desc limit 1`,
);

/** An owner's plans that are newer than one and name any of these providers, with those that they name, newest first: owner, seq, providers. */
export const newerPlans = query<PlanRow & { provider_ids: string[] }>(
  'debt.newerPlans',
  `select p.plan_id, p.seq, p.owner_id, p.start_date, p.status, p.revision, p.created_at, named.provider_ids
     from debt_plans p
     join lateral (
       select array_agg(d ->> 'provider_id') as provider_ids
         from debt_plan_revisions r cross join jsonb_array_elements(r.debts) d
        where r.plan_id = p.plan_id and r.revision = 1 and d ->> 'provider_id' = any ($3)) named
       on named.provider_ids is not null
    where p.owner_id = $1 and p.seq > $2 order by p.seq desc`,
);

/** Those of the providers that there are. */
export const providersByIds = query<{ provider_id: string; held_by: string | null }>(
  'debt.providers',
  'select provider_id, held_by from providers where provider_id = any ($1)',
);
