import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export const insertVerification = query(
  'proof.insertVerification',
  (verification: Omit<Row<'email_verifications'>, 'used_at'>) =>
    tables.insertInto('email_verifications').values(verification),
);

/** Whose link it is, where it can still be used. */
export const verificationByToken = query('proof.verificationByToken', (tokenHash: string) =>
  tables
    .selectFrom('email_verifications')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`),
);

/** Writes nothing where the link was used already, or is too old. */
export const useVerification = query('proof.useVerification', (tokenHash: string, at: Date) =>
  tables
    .updateTable('email_verifications')
    .set({ used_at: at.toISOString() })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString()),
);

/** The other links of a user: none can be used any more. */
export const useVerificationsOfUser = query('proof.useVerificationsOfUser', (userId: string, at: Date) =>
  tables
    .updateTable('email_verifications')
    .set({ used_at: at.toISOString() })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null),
);

/** Whether a user's address is proved; no row where there is no such user. */
export const isProved = query('proof.isProved', (userId: string) =>
  tables
    .selectFrom('users')
    .select(sql<boolean>`email_verified_at is not null`.as('proved'))
    .where('user_id', '=', userId),
);

/**
 * The address is proved, from now on where it was not. Locks the user until the transaction ends. `first` tells whether this is the
 * first proof. No row where the password has another hash than that one; null takes any.
 */
export const proveAddress = query(
  'proof.proveAddress',
  (userId: string, at: Date, passwordHash: string | null) => sql<{ first: boolean }>`
    update users u set email_verified_at = coalesce(before.email_verified_at, ${at})
      from (select user_id, password_hash, email_verified_at from users where user_id = ${userId} for update) before
     where u.user_id = before.user_id and (${passwordHash}::text is null or before.password_hash = ${passwordHash})
    returning before.email_verified_at is null as first`,
);

/** The account has no password any more. */
export const forgetPassword = query('proof.forgetPassword', (userId: string) =>
  tables.updateTable('users').set({ password_hash: null }).where('user_id', '=', userId),
);

/** What a user allowed to whom. */
export const deleteConsents = query('proof.deleteConsents', (userId: string) =>
  tables.deleteFrom('consents').where('user_id', '=', userId),
);

/** With which providers a user can sign in. */
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
