import { sql } from 'kysely';
import { insertion, query } from '../query.ts';
import { tables } from '../tables.ts';

export const insertVerification = insertion('proof.insertVerification', 'email_verifications');

export const verificationByToken = query('proof.verificationByToken', (tokenHash: string) =>
  tables
    .selectFrom('email_verifications')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`),
);

type LinkTable = 'password_resets' | 'email_verifications';

const usingLinks = (table: LinkTable, at: Date) =>
  tables.updateTable(table).set({ used_at: at.toISOString() }).where('used_at', 'is', null);

/** Updates nothing if the link is used or has expired. */
export const useLink = query('proof.useLink', (table: LinkTable, tokenHash: string, at: Date) =>
  usingLinks(table, at).where('token_hash', '=', tokenHash).where('expires_at', '>', at.toISOString()),
);

export const useLinksOf = query('proof.useLinksOf', (table: LinkTable, userId: string, at: Date) =>
  usingLinks(table, at).where('user_id', '=', userId),
);

export const isProved = query('proof.isProved', (userId: string) =>
  tables
    .selectFrom('users')
    .select(sql<boolean>`email_verified_at is not null`.as('proved'))
    .where('user_id', '=', userId),
);

/** Returns no row if `passwordHash` is not the stored hash. */
export const proveAddress = query(
  'proof.proveAddress',
  (userId: string, at: Date, passwordHash: string) => sql<{ first: boolean }>`
    update users u set email_verified_at = coalesce(before.email_verified_at, ${at})
      from (select user_id, password_hash, email_verified_at from users where user_id = ${userId} for update) before
     where u.user_id = before.user_id and before.password_hash = ${passwordHash}
    returning before.email_verified_at is null as first`,
);

/** The first proof also replaces the password. */
export const claimAddress = query(
  'proof.claimAddress',
  (userId: string, at: Date, passwordHash: string | null) => sql<{ first: boolean }>`
    update users u
       set email_verified_at = coalesce(before.email_verified_at, ${at}),
           password_hash = case when before.email_verified_at is null then ${passwordHash} else u.password_hash end
      from (select user_id, email_verified_at from users where user_id = ${userId} for update) before
     where u.user_id = before.user_id
    returning before.email_verified_at is null as first`,
);

export const deleteConsents = query('proof.deleteConsents', (userId: string) =>
  tables.deleteFrom('consents').where('user_id', '=', userId),
);

export const deleteIdentities = query('proof.deleteIdentities', (userId: string) =>
  tables.deleteFrom('user_identities').where('user_id', '=', userId),
);

/** Locks the family against revocation. Returns no row for a revoked family. */
export const holdFamily = query('proof.holdFamily', (familyId: string) =>
  tables
    .selectFrom('token_families')
    .select(['family_id', 'client_id'])
    .where('family_id', '=', familyId)
    .where('ended_at', 'is', null)
    .forShare(),
);
