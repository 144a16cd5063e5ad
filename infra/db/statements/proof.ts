import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export const insertVerification = query(
  'proof.insertVerification',
  (verification: Omit<Row<'email_verifications'>, 'used_at'>) =>
    tables.insertInto('email_verifications').values(verification),
);

/** The account of a link that can still be used. */
export const verificationByToken = query('proof.verificationByToken', (tokenHash: string) =>
  tables
    .selectFrom('email_verifications')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`),
);

/** Updates nothing if the link was already used, or is too old. */
export const useVerification = query('proof.useVerification', (tokenHash: string, at: Date) =>
  tables
    .updateTable('email_verifications')
    .set({ used_at: at.toISOString() })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString()),
);

/** Uses up the other links of a user. */
export const useVerificationsOfUser = query('proof.useVerificationsOfUser', (userId: string, at: Date) =>
  tables
    .updateTable('email_verifications')
    .set({ used_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null),
);

/** Whether a user's address is proved; no row if there is no such user. */
export const isProved = query('proof.isProved', (userId: string) =>
  tables
    .selectFrom('users')
    .select(sql<boolean>`email_verified_at is not null`.as('proved'))
    .where('user_id', '=', userId),
);

/**
 * Marks the address as proved, from now if it was not. Locks the user until the transaction ends. `first` says whether
 * this is the first proof. No row if the password's hash is not the given one; null accepts any.
 */
export const proveAddress = query(
  'proof.proveAddress',
  (userId: string, at: Date, passwordHash: string | null) => sql<{ first: boolean }>`
    update users u set email_verified_at = coalesce(before.email_verified_at, ${at})
      from (select user_id, password_hash, email_verified_at from users where user_id = ${userId} for update) before
     where u.user_id = before.user_id and (${passwordHash}::text is null or before.password_hash = ${passwordHash})
    returning before.email_verified_at is null as first`,
);

/** Removes the account's password. */
export const forgetPassword = query('proof.forgetPassword', (userId: string) =>
  tables.updateTable('users').set({ password_hash: null }).where('user_id', '=', userId),
);

/** Deletes what a user has allowed applications. */
export const deleteConsents = query('proof.deleteConsents', (userId: string) =>
  tables.deleteFrom('consents').where('user_id', '=', userId),
);

/** Deletes a user's links to other providers. */
export const deleteIdentities = query('proof.deleteIdentities', (userId: string) =>
  tables.deleteFrom('user_identities').where('user_id', '=', userId),
);

/** Locks a sign-in, so that nobody ends it before the transaction does. No row if it has ended. */
export const holdFamily = query('proof.holdFamily', (familyId: string) =>
  tables
    .selectFrom('token_families')
    .select('user_id')
    .where('family_id', '=', familyId)
    .where('ended_at', 'is', null)
    .forShare(),
);
