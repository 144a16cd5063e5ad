import { query } from '../sql.ts';

/** Hash, user, at, end. */
export const insertVerification = query(
  'proof.insertVerification',
  'insert into email_verifications (token_hash, user_id, created_at, expires_at) values ($1, $2, $3, $4)',
);

/** Whose link it is, where it can still be used. */
export const verificationByToken = query<{ user_id: string }>(
  'proof.verificationByToken',
  'select user_id from email_verifications where token_hash = $1 and used_at is null and expires_at > now()',
);

/** Writes nothing where it was used already, or is too old. */
export const useVerification = query(
  'proof.useVerification',
  'update email_verifications set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2',
);

/** The other links of a user: none can be used any more. */
export const useVerificationsOfUser = query(
  'proof.useVerificationsOfUser',
  'update email_verifications set used_at = $2 where user_id = $1 and used_at is null',
);

/** Whether a user's address is proved; no row where there is no such user. */
export const isProved = query<{ proved: boolean }>(
  'proof.isProved',
  'select email_verified_at is not null as proved from users where user_id = $1',
);

/**
 * The address is proved, from now on where it was not: user, at, and the password's hash where that has to be this one, or null. Locks
 * the user until the transaction ends. `first` tells whether this is the first proof; no row where the password is another one.
 */
export const proveAddress = query<{ first: boolean }>(
  'proof.proveAddress',
  `update users u set email_verified_at = coalesce(before.email_verified_at, $2)
     from (select user_id, password_hash, email_verified_at from users where user_id = $1 for update) before
    where u.user_id = before.user_id and ($3::text is null or before.password_hash = $3)
   returning before.email_verified_at is null as first`,
);

/** The account has no password any more. */
export const forgetPassword = query('proof.forgetPassword', 'update users set password_hash = null where user_id = $1');

/** What a user allowed to whom. */
export const deleteConsents = query('proof.deleteConsents', 'delete from consents where user_id = $1');

/** With which providers a user can sign in. */
export const deleteIdentities = query('proof.deleteIdentities', 'delete from user_identities where user_id = $1');

/**
 * Holds a sign-in until the transaction ends, so that whoever ends it waits and then sees what was done: family. No row where it has
 * ended.
 */
export const holdFamily = query<{ user_id: string }>(
  'proof.holdFamily',
  'select user_id from token_families where family_id = $1 and ended_at is null for share',
);
