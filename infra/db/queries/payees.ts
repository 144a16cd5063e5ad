import type { VouchedBy } from '../../../domain/payments.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

export type PayeeRow = Row<'payees'>;

const payees = () => tables.selectFrom('payees').select(columnsOf('payees'));

export const payeeById = query('payments.payeeById', (providerId: string) =>
  payees().where('provider_id', '=', providerId),
);

export const payeesOf = query(
  'payments.payeesOf',
  ({ holder, before, most }: { holder: string; before: number; most: number }) =>
    payees()
      .where(({ eb, or }) => or([eb('held_by', 'is', null), eb('held_by', '=', holder)]))
      .where('removed_at', 'is', null)
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(most),
);

/** Names every column, because a payee without a holder is everybody's. */
export const insertPayee = query('payments.insertPayee', (payee: Omit<PayeeRow, 'seq' | 'removed_at'>) =>
  tables
    .insertInto('payees')
    .values(payee)
    .onConflict((conflict) => conflict.column('provider_id').doNothing()),
);

/** Updates nothing if the payee is already vouched for or removed. */
export const vouchFor = query('payments.vouchFor', (providerId: string, vouched_by: VouchedBy) =>
  tables
    .updateTable('payees')
    .set({ vouched_by })
    .where('provider_id', '=', providerId)
    .where('vouched_by', 'is', null)
    .where('removed_at', 'is', null),
);

export const removePayeesOf = query('payments.removePayeesOf', (holder: string, at: Date) =>
  tables
    .updateTable('payees')
    .set({ removed_at: at.toISOString() })
    .where('held_by', '=', holder)
    .where('removed_at', 'is', null),
);
