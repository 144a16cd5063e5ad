import type { PaymentPast } from '../../../domain/reliability.ts';
import { query } from '../sql.ts';
import { PAYMENTS_PAST } from './reliability.ts';

export interface FinancesRow {
  safe_to_spend: number;
  buffer: number;
  /** Of the latest revision of each paycheck, the last pay date first. */
  gross_pays: number[];
  payments: PaymentPast[];
}

/**
 * All that a purchase is judged by, at one moment: owner, first and last day of the payments that count, their categories, how
 * many paychecks count. Always one row.
 */
export const financesOf = query<FinancesRow>(
  'affordability.finances',
  `select coalesce(sum(a.balance) filter (where a.kind = 'safe_to_spend'), 0)::bigint as safe_to_spend,
          coalesce(sum(a.balance) filter (where a.kind = 'buffer'), 0)::bigint as buffer,
          (select coalesce(jsonb_agg(paid.gross_income order by paid.pay_date desc), '[]')
             from (select distinct on (c.pay_date) c.pay_date, c.gross_income from calculations c
                    where c.owner_id = $1 order by c.pay_date desc, c.revision desc limit $5) as paid) as gross_pays,
          (select coalesce(jsonb_agg(to_jsonb(past)), '[]') from (${PAYMENTS_PAST}) as past) as payments
     from ledger_accounts a where a.owner_id = $1 and a.kind in ('safe_to_spend', 'buffer') and a.vault_id = ''`,
);

export interface CheckRow {
  check_id: string;
  seq: number;
  owner_id: string;
  proposed_amount: number;
  frequency: string;
  category: string | null;
  result: Record<string, unknown>;
  calculated_at: string;
}

/** Check, owner, amount, frequency, category or null, result, at. */
export const insertCheck = query(
  'affordability.insertCheck',
  `insert into affordability_checks (check_id, owner_id, proposed_amount, frequency, category, result, calculated_at)
   values ($1, $2, $3, $4, $5, $6::jsonb, $7)`,
);

/** An owner's checks below $2, newest first, at most $3. */
export const checksOfOwner = query<CheckRow>(
  'affordability.checksOfOwner',
  `select check_id, seq, owner_id, proposed_amount, frequency, category, result, calculated_at
     from affordability_checks where owner_id = $1 and seq < $2 order by seq desc limit $3`,
);
