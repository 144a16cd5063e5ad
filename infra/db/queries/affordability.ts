import { sql } from 'kysely';
import type { IncomeEvidence } from '../../../domain/paycheck/evidence.ts';
import type { PaymentPast } from '../../../domain/reliability.ts';
import { insertion, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import { paymentsPast, type PaymentsCounted } from './reliability.ts';

/**
 * Returns one row, with whether the owner has a `running` standing split. Without a paycheck, `income_basis` is null.
 * The gross pays are those of the newest `paychecks`, newest pay date first.
 */
export const financesOf = query(
  'affordability.finances',
  (counted: PaymentsCounted, paychecks: number) => sql<{
    safe_to_spend: number;
    buffer: number;
    gross_pays: number[];
    income_basis: IncomeEvidence | null;
    running: boolean;
    payments: PaymentPast[];
  }>`
    select coalesce(sum(a.balance) filter (where a.kind = 'safe_to_spend'), 0)::bigint as safe_to_spend,
           coalesce(sum(a.balance) filter (where a.kind = 'buffer'), 0)::bigint as buffer,
           (select coalesce(jsonb_agg(paid.gross_income order by paid.pay_date desc, paid.number desc), '[]')
              from (select distinct on (c.pay_date, c.number) c.pay_date, c.number, c.gross_income from calculations c
                     where c.owner_id = ${counted.owner_id}
                     order by c.pay_date desc, c.number desc, c.revision desc limit ${paychecks}) as paid) as gross_pays,
           (select c.income_evidence from calculations c where c.owner_id = ${counted.owner_id}
             order by c.pay_date desc, c.number desc, c.revision desc limit 1) as income_basis,
           exists (select from standing_splits s where s.owner_id = ${counted.owner_id} and s.paused_at is null) as running,
           (select coalesce(jsonb_agg(to_jsonb(past)), '[]') from (${paymentsPast(counted)}) as past) as payments
      from ledger_accounts a
     where a.owner_id = ${counted.owner_id} and a.kind in ('safe_to_spend', 'buffer') and a.vault_id = ''`,
);

export type CheckRow = Row<'affordability_checks'>;

export const insertCheck = insertion('affordability.insertCheck', 'affordability_checks');

export const checksOfOwner = query('affordability.checksOfOwner', (ownerId: string, before: number, most: number) =>
  tables
    .selectFrom('affordability_checks')
    .select(columnsOf('affordability_checks'))
    .where('owner_id', '=', ownerId)
    .where('seq', '<', before)
    .orderBy('seq', 'desc')
    .limit(most),
);
