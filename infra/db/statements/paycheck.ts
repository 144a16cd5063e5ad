import { query } from '../sql.ts';
import { MOVE } from './ledger.ts';

/** The latest revision of a paycheck as `paycheck_booked` gives it, its lots as they are now. */
export interface BookedRow {
  gross_income: number;
  locked_buffer: number;
  safe_to_spend: number;
  obligations: (ObligationRow & { available: number })[];
}

export interface ObligationRow {
  type: string;
  category: string;
  amount: number;
  vault_id: string;
  allocation_id: string;
}

/** Locks the owner and reads what a calculation must know: the pay date, then types and labels of the wanted vaults. */
export const openPaycheck = query<{
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  received: number;
  vault_ids: (string | null)[];
  revision: number;
  booked: BookedRow | null;
}>('paycheck.open', 'select * from paycheck_open($1, $2, $3, $4, $5)');

/** The same without a lock or a trace, for a simulation: owner, pay date. */
export const peekPaycheck = query<{ buffer_rate: string | null; revision: number }>(
  'paycheck.peek',
  `select (select buffer_rate from owners where owner_id = $1),
          coalesce((select max(revision) from calculations where owner_id = $1 and pay_date = $2), 0) as revision`,
);

/**
 * A movement and the calculation that caused it ($4), in one statement: $21-$27 the calculation, $28-$32 its obligations
 * (type, category, amount, vault, allocation), $33 the document that shows the income.
 */
export const bookPaycheck = query(
  'paycheck.book',
  `with calculation as (
      insert into calculations (calculation_id, owner_id, pay_date, revision, gross_income, locked_for_bills, locked_buffer,
                                safe_to_spend, buffer_rate, payslip_doc_id, calculated_at)
      values ($4, $2, $21, $22, $23, $24, $25, $26, $27, $33, $5)
    ), obligation as (
      insert into calculation_obligations (calculation_id, position, type, category, amount, vault_id, allocation_id)
      select $4, place, type, category, amount, vault_id, allocation_id
        from unnest($28::text[], $29::text[], $30::bigint[], $31::text[], $32::text[])
             with ordinality as funded (type, category, amount, vault_id, allocation_id, place)
    ) select ${MOVE} as balances`,
);

export interface CalculationRow {
  seq: number;
  calculation_id: string;
  owner_id: string;
  pay_date: string;
  revision: number;
  gross_income: number;
  locked_for_bills: number;
  locked_buffer: number;
  safe_to_spend: number;
  buffer_rate: string;
  payslip_doc_id: string | null;
  calculated_at: string;
  obligations: ObligationRow[];
}

const CALCULATION = `select c.*, coalesce((
      select jsonb_agg(jsonb_build_object('type', o.type, 'category', o.category, 'amount', o.amount,
                                          'vault_id', o.vault_id, 'allocation_id', o.allocation_id) order by o.position)
        from calculation_obligations o where o.calculation_id = c.calculation_id), '[]') as obligations
    from calculations c`;

export const calculationById = query<CalculationRow>('paycheck.byId', `${CALCULATION} where c.calculation_id = $1`);

export const latestCalculation = query<CalculationRow>(
  'paycheck.latest',
  `${CALCULATION} where c.owner_id = $1 order by c.seq desc limit 1`,
);

/** An owner's calculations below $2 with pay dates from $3 to $4 (null: no bound), newest first. */
export const calculationsOfOwner = query<CalculationRow>(
  'paycheck.ofOwner',
  `${CALCULATION} where c.owner_id = $1 and c.seq < $2
     and ($3::date is null or c.pay_date >= $3) and ($4::date is null or c.pay_date <= $4)
   order by c.seq desc limit $5`,
);
