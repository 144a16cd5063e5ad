import { sql } from 'kysely';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

export type WageRow = Row<'bank_wages'>;
export type PayerRow = Row<'bank_payers'>;

/** Serialises what is recognised, named and listed of an owner's wages. Taken before any row of them is locked. */
export const lockWagesOf = query(
  'bankWages.lockOwner',
  (ownerId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 4716))::text as locked`,
);

export const wageById = query('bankWages.byId', (wageId: string) =>
  tables.selectFrom('bank_wages').select(columnsOf('bank_wages')).where('wage_id', '=', wageId),
);

/** As `wageById`. Nobody else changes the wage until the transaction ends. */
export const lockWage = query('bankWages.lock', (wageId: string) =>
  tables.selectFrom('bank_wages').select(columnsOf('bank_wages')).where('wage_id', '=', wageId).forUpdate(),
);

/** The paycheck that was calculated from the wage. */
export const wageCalculated = query('bankWages.calculated', (wageId: string, calculationId: string) =>
  tables
    .updateTable('bank_wages')
    .set({ calculation_id: calculationId })
    .where('wage_id', '=', wageId)
    .where('calculation_id', 'is', null),
);

/** A credit in which a wage may be recognised. */
export type CreditRow = Pick<
  Row<'bank_transactions'>,
  | 'transaction_id'
  | 'seq'
  | 'account_id'
  | 'owner_id'
  | 'amount'
  | 'booked_on'
  | 'payer_hash'
  | 'counterparty_hash'
  | 'debtor_hash'
  | 'created_at'
>;
