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

/** Skips payees that are already vouched for or removed. */
export const vouchFor = query('payments.vouchFor', (providerIds: readonly string[], vouched_by: VouchedBy) =>
  tables
    .updateTable('providers')
    .set({ vouched_by })
    .where('provider_id', 'in', providerIds)
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

export const payeesWithoutFingerprint = query('payments.payeesWithoutFingerprint', (ownerId: string) =>
  tables
    .selectFrom('payments as p')
    .innerJoin('providers as r', 'r.provider_id', 'p.provider_id')
    .select(['r.provider_id', 'r.bank_ref'])
    .distinct()
    .where('p.owner_id', '=', ownerId)
    .where('r.vouched_by', 'is not', null)
    .where('r.account_fingerprint', 'is', null),
);

/** Updates nothing if the payee already has a fingerprint. */
export const setFingerprint = query('payments.setFingerprint', (providerId: string, account_fingerprint: string) =>
  tables
    .updateTable('providers')
    .set({ account_fingerprint })
    .where('provider_id', '=', providerId)
    .where('account_fingerprint', 'is', null),
);
