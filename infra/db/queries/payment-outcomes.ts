import { sql } from 'kysely';
import { MoneyQuery } from '../locked-owner.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';
import { MACED_TABLES, type MacedOutcome } from './macs.ts';
import type { AttemptId } from './payments.ts';

export type StoredOutcome = Row<'payment_outcomes'>;

export const outcomeById = query('paymentOutcomes.byId', (outcomeId: string) =>
  tables
    .selectFrom('payment_outcomes')
    .select(MACED_TABLES.payment_outcomes.columns)
    .where('outcome_id', '=', outcomeId),
);

/** Replaces an older one of the attempt. */
export const storing = (outcome: StoredOutcome) => sql`
  insert into payment_outcomes (outcome_id, payment_id, owner_id, sends, outcome, mac, mac_version)
  values (${outcome.outcome_id}, ${outcome.payment_id}, ${outcome.owner_id}, ${outcome.sends}, ${outcome.outcome},
    ${outcome.mac}, ${outcome.mac_version})
  on conflict (outcome_id) do update set payment_id = excluded.payment_id, owner_id = excluded.owner_id,
    sends = excluded.sends, outcome = excluded.outcome, mac = excluded.mac, mac_version = excluded.mac_version`;

export const storeOutcome = (outcome: StoredOutcome) => new MoneyQuery(outcome.owner_id, store(outcome));

const store = query('paymentOutcomes.store', (outcome: StoredOutcome) => storing(outcome));

/** Attempts after the named one. */
interface ToVerify extends AttemptId {
  most: number;
  slice: number | null;
  since: string | null;
}

/** Of attempts that gave their money back, by their status. One without an outcome has a MAC that fits nothing. */
export const outcomesToVerify = query(
  'paymentOutcomes.toVerify',
  ({ payment_id, attempt, most, slice, since }: ToVerify) => sql<MacedOutcome>`
    select a.payment_id || '/' || a.attempt as outcome_id, a.payment_id, coalesce(o.sends, 0) as sends, a.status as outcome,
           coalesce(o.mac, '') as mac, coalesce(o.mac_version, 0) as mac_version
      from payment_attempts a join payments p using (payment_id)
      left join payment_outcomes o on o.outcome_id = a.payment_id || '/' || a.attempt and o.owner_id = p.owner_id
     where (a.payment_id, a.attempt) > (${payment_id}, ${attempt}::int)
       and a.status in ('failed', 'cancelled', 'returned')
       and (in_slice(a.payment_id, ${slice}) or p.updated_at >= ${since}::timestamptz)
     order by a.payment_id, a.attempt limit ${most}`,
);
