import type { VouchedBy } from '../../../domain/payments.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

export type ProviderRow = Row<'providers'>;

const providers = () => tables.selectFrom('providers').select(columnsOf('providers'));

export const providerById = query('payments.providerById', (providerId: string) =>
  providers().where('provider_id', '=', providerId),
);

export const providersOf = query(
  'payments.providersOf',
  ({ holder, before, most }: { holder: string; before: number; most: number }) =>
    providers()
      .where(({ eb, or }) => or([eb('held_by', 'is', null), eb('held_by', '=', holder)]))
      .where('removed_at', 'is', null)
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(most),
);

/** Names every column, because a payee without a holder is everybody's. */
export const insertProvider = query('payments.insertProvider', (provider: Omit<ProviderRow, 'seq' | 'removed_at'>) =>
  tables
    .insertInto('providers')
    .values(provider)
    .onConflict((conflict) => conflict.column('provider_id').doNothing()),
);

/** Updates nothing if the payee is already vouched for or removed. */
export const vouchFor = query('payments.vouchFor', (providerId: string, vouched_by: VouchedBy) =>
  tables
    .updateTable('providers')
    .set({ vouched_by })
    .where('provider_id', '=', providerId)
    .where('vouched_by', 'is', null)
    .where('removed_at', 'is', null),
);

export const removeProvidersOf = query('payments.removeProvidersOf', (holder: string, at: Date) =>
  tables
    .updateTable('providers')
    .set({ removed_at: at.toISOString() })
    .where('held_by', '=', holder)
    .where('removed_at', 'is', null),
);
