import { LOGIN_SCOPES } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { emailOfUser, lockPassword, userByEmail } from '../../infra/db/queries/auth.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { addressGroup } from '../../infra/limits/index.ts';
import type { Services } from '../../infra/services.ts';
import type { TokenSet } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import { requireEnabled } from './enabled.ts';
import { isKnownOrigin, rememberOrigin, type SignInOrigin } from './known-origins.ts';
import { emailIndexOf } from './register.ts';
import { beginFamily } from './tokens.ts';

/** The subject of audit events about sign-ins to addresses that have no account. */
const UNKNOWN_ACCOUNT = 'sign-in:unknown';

type Needs = Pick<Services, 'db' | 'keys' | 'passwords' | 'limits' | 'newId'>;

export interface PasswordGiven {
  email: string;
  password: string;
  from: SignInOrigin;
}

export interface Verified {
  userId: string;
  passwordHash: string;
}

/** @throws DomainError `invalid-credentials`, `account-disabled` or `rate-limited`. */
export async function login(services: Needs, given: PasswordGiven): Promise<TokenSet> {
  const verified = await verifyPassword(services, given);
  const { userId } = verified;
  const at = new Date();
  return services.db.transaction(async (tx) => {
    await requireSamePassword(tx, verified);
    await requireEnabled(tx, userId);
    const grant = { user_id: userId, client_id: null, session_hash: null, scopes: LOGIN_SCOPES };
    const { familyId, tokens } = await beginFamily(tx, services, grant, at);
    await rememberOrigin(tx, services, userId, given.from, at);
    const data = { family_id: familyId };
    await audit(tx, services, { subject: userId, kind: 'sign-in.succeeded', actor: userId, data });
    return tokens;
  });
}

export async function verifyPasswordOf(
  services: Needs,
  { userId, ...given }: Omit<PasswordGiven, 'email'> & { userId: string },
): Promise<Verified> {
  const row = await services.db.maybe(emailOfUser(userId));
  if (row === undefined) throw wrongPassword();
  return verify(services, { emailIndex: row.email_index, ...given });
}

/**
 * Takes the same steps for an unknown email address as for a wrong password, so that timing does not reveal accounts.
 * Too many failures from one network (`LIMIT_FAILED_LOGINS`) block that network for the account. Too many failures from
 * unknown origins together block unknown origins (see `isKnownOrigin`).
 * @throws DomainError `invalid-credentials` or `rate-limited`.
 */
export async function verifyPassword(services: Needs, { email, ...given }: PasswordGiven): Promise<Verified> {
  return verify(services, { emailIndex: emailIndexOf(services, email), ...given });
}

async function verify(
  services: Needs,
  { emailIndex, password, from }: Omit<PasswordGiven, 'email'> & { emailIndex: string },
): Promise<Verified> {
  const { db, passwords, limits } = services;
  const here = `${emailIndex} ${addressGroup(from.address)}`;
  await limits.check('failed-logins', here);
  const user = await db.maybe(userByEmail(emailIndex));
  const isKnown = await isKnownOrigin(services, user?.user_id, from);
  if (!isKnown) await limits.check('failed-logins-everywhere', emailIndex);
  const hash = user?.password_hash ?? null;
  const verified = hash === null ? await passwords.verifyDummy(password) : await passwords.verify(hash, password);
  if (user && hash !== null && verified) {
    // Checks the limit again, so that concurrent guesses cannot exceed it.
    await limits.check('failed-logins', here);
    if (!isKnown) await limits.check('failed-logins-everywhere', emailIndex);
    return { userId: user.user_id, passwordHash: hash };
  }
  // Audit lines stay for good, so none has anything computed from an email address, not even a keyed hash.
  const subject = user?.user_id ?? UNKNOWN_ACCOUNT;
  await audit(db, services, { subject, kind: 'sign-in.failed', actor: 'anonymous', data: {} });
  await limits.take('failed-logins', here);
  if (!isKnown) await limits.take('failed-logins-everywhere', emailIndex);
  throw wrongPassword();
}

/** Locks the account's password. Throws if the password has changed since its check. */
export async function requireSamePassword(tx: Tx, verified: Verified): Promise<void> {
  const row = await tx.maybe(lockPassword(verified.userId));
  if (row?.password_hash !== verified.passwordHash) throw wrongPassword();
}

function wrongPassword(): DomainError {
  return new DomainError('invalid-credentials', 'The email address or the password is wrong.');
}
