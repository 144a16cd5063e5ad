import { sql } from 'kysely';
import { json } from '../lists.ts';
import { OwnerLock } from '../locked-owner.ts';
import { insertion, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

export type PlanRow = Row<'debt_plans'>;
export type RevisionRow = Row<'debt_plan_revisions'>;

const PLAN = columnsOf('debt_plans');
const plans = () => tables.selectFrom('debt_plans').select(PLAN);

export const planById = query('debt.planById', (planId: string) => plans().where('plan_id', '=', planId));

/** The completion of a payment takes the same lock. Returns no row for an unknown plan. */
export const lockOwnerOfPlan = (planId: string) => new OwnerLock(ownerOfPlan(planId), ({ owner_id }) => owner_id);

const ownerOfPlan = query('debt.lockOwnerOfPlan', (planId: string) =>
  tables
    .selectFrom('debt_plans as p')
    .innerJoin('owners as o', 'o.owner_id', 'p.owner_id')
    .select('o.owner_id')
    .where('p.plan_id', '=', planId)
    .forNoKeyUpdate('o'),
);

export const lockPlan = query('debt.lockPlan', (planId: string) => plans().where('plan_id', '=', planId).forUpdate());

export const insertPlan = insertion('debt.insertPlan', 'debt_plans');

export const countPlans = query('debt.countPlans', (ownerId: string) =>
  tables
    .selectFrom('debt_plans')
    .select(({ fn }) => [
      fn.countAll<number>().as('ever'),
      fn.countAll<number>().filterWhere('closed_at', 'is', null).as('open'),
    ])
    .where('owner_id', '=', ownerId),
);

export const updatePlan = query('debt.updatePlan', (planId: string, changed: Pick<PlanRow, 'revision' | 'status'>) =>
  tables.updateTable('debt_plans').set(changed).where('plan_id', '=', planId),
);

export const closePlan = query('debt.closePlan', (planId: string, at: Date) =>
  tables.updateTable('debt_plans').set({ closed_at: at.toISOString() }).where('plan_id', '=', planId),
);

export const insertRevision = query('debt.insertRevision', (revision: RevisionRow) =>
  tables.insertInto('debt_plan_revisions').values({ ...revision, debts: sql`${json(revision.debts)}` }),
);

export const revisionsOf = query('debt.revisions', (planIds: readonly string[]) =>
  tables
    .selectFrom('debt_plan_revisions')
    .select(columnsOf('debt_plan_revisions'))
    .where('plan_id', '=', sql<string>`any(${planIds}::text[])`)
    .orderBy('plan_id')
    .orderBy('revision'),
);

export const plansOfOwner = query('debt.ofOwner', (ownerId: string, before: number, most: number) =>
  tables
    .selectFrom('debt_plans as p')
    .innerJoin('debt_plan_revisions as r', (join) =>
      join.onRef('r.plan_id', '=', 'p.plan_id').onRef('r.revision', '=', 'p.revision'),
    )
    .select(['p.seq', 'p.owner_id', 'p.start_date', 'p.status', 'p.created_at as plan_created_at', 'p.closed_at'])
    .select(columnsOf('debt_plan_revisions').map((column) => `r.${column}` as const))
    .where('p.owner_id', '=', ownerId)
    .where('p.closed_at', 'is', null)
    .where('p.seq', '<', before)
    .orderBy('p.seq', 'desc')
    .limit(most),
);

export const insertPayment = insertion('debt.insertPayment', 'debt_payments');

export type RecordedPaymentRow = Row<'debt_payments'>;

export const recordedPayments = query('debt.recorded', (planIds: readonly string[]) =>
  tables
    .selectFrom('debt_payments')
    .select(columnsOf('debt_payments'))
    .where('plan_id', '=', sql<string>`any(${planIds}::text[])`)
    .orderBy('plan_id')
    .orderBy('seq'),
);

export type CompletedPaymentRow = Pick<Row<'payments'>, 'payment_id' | 'provider_id' | 'amount' | 'initiated_at'> & {
  completed_at: string;
  /** Sequence numbers of the payment's events. `returned` is null if the payment was not returned. */
  completed: number;
  returned: number | null;
};

interface CompletedWanted {
  owner_id: string;
  payees: readonly string[];
  initiatedFrom: Date;
  completedFrom: string;
}

/** Includes payments that were returned later. Ordered by completion. */
export const completedPayments = query(
  'debt.completedPayments',
  ({ owner_id, payees, initiatedFrom, completedFrom }: CompletedWanted) => sql<CompletedPaymentRow>`
    select p.payment_id, p.provider_id, p.amount, p.initiated_at, done.created_at as completed_at, done.seq as completed,
           back.seq as returned
      from payments p
      join lateral (
        select e.seq, e.created_at from payment_events e
         where e.payment_id = p.payment_id and e.status = 'completed' order by e.seq desc limit 1) done on true
      left join lateral (
        select e.seq from payment_events e
         where e.payment_id = p.payment_id and e.status = 'returned' order by e.seq desc limit 1) back on true
     where p.owner_id = ${owner_id} and p.status in ('completed', 'returned') and p.provider_id = any(${payees}::text[])
       and p.initiated_at >= ${initiatedFrom} and done.created_at >= ${completedFrom}
     order by done.seq`,
);

interface PaidAround {
  owner_id: string;
  provider_id: string;
  amount: number;
  on: string;
}

/** The newest payment that was completed at most three days before or after the London date `on`. */
export const completedAround = query(
  'debt.completedAround',
  ({ owner_id, provider_id, amount, on }: PaidAround) => sql<{ payment_id: string }>`
    select p.payment_id
      from payments p
      join lateral (
        select max(e.created_at) as at from payment_events e
         where e.payment_id = p.payment_id and e.status = 'completed') done on true
     where p.owner_id = ${owner_id} and p.status = 'completed' and p.provider_id = ${provider_id} and p.amount = ${amount}
       and (done.at at time zone 'Europe/London')::date between ${on}::date - 3 and ${on}::date + 3
     order by p.seq desc limit 1`,
);

export type NamingPlan = PlanRow & { provider_ids: string[] };

/** An owner's plans, oldest first, with the payees that their first revisions name. `from` is inclusive. */
export const plansFrom = query(
  'debt.plansFrom',
  (ownerId: string, from: number) => sql<NamingPlan>`
    select ${sql.join(PLAN.map((column) => sql.ref(`p.${column}`)))},
           array(select distinct d ->> 'provider_id'
                   from debt_plan_revisions r cross join jsonb_array_elements(r.debts) d
                  where r.plan_id = p.plan_id and r.revision = 1 and d ->> 'provider_id' is not null) as provider_ids
      from debt_plans p where p.owner_id = ${ownerId} and p.seq >= ${from} order by p.seq`,
);

export const payeesByIds = query('debt.payees', (providerIds: readonly string[]) =>
  tables
    .selectFrom('payees')
    .select(['provider_id', 'held_by'])
    .where('provider_id', '=', sql<string>`any(${providerIds}::text[])`)
    .where('removed_at', 'is', null),
);
