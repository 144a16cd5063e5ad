import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables } from '../tables.ts';

/*
 * Which accounts are a person's own, for sweeping, and which may be, for all that could be pretended. Numbers are keyed hashes.
 */

/** Of a row of `payees`. */
export const OWN_ACCOUNT = sql<boolean>`(payees.own_account_of is not null
  or coalesce(starts_with(payees.held_by, 'usr_') and owns_account(payees.held_by, payees.account_fingerprint), false))`;

/** Whether the payee's account is this person's, no matter who added the payee. */
export const isOwnAccountOf = query(
  'ownAccounts.isOf',
  (
    ownerId: string,
    { own_account_of, account_fingerprint }: { own_account_of: string | null; account_fingerprint: string },
  ) =>
    sql<{
      is_own: boolean;
    }>`select ${own_account_of === ownerId}::boolean or owns_account(${ownerId}, ${account_fingerprint}) as is_own`,
);

export const ownNumber = query('ownAccounts.number', (ownerId: string, numberHash: string) =>
  tables
    .selectFrom('own_account_numbers')
    .select('number_hash')
    .where('owner_id', '=', ownerId)
    .where('number_hash', '=', numberHash),
);

/** In one order, so that two transactions never wait for each other. */
export const addOwnNumbers = query('ownAccounts.add', (ownerId: string, hashes: readonly string[]) =>
  tables
    .insertInto('own_account_numbers')
    .values([...new Set(hashes)].toSorted().map((number_hash) => ({ owner_id: ownerId, number_hash })))
    .onConflict((conflict) => conflict.doNothing()),
);
