import type { Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import * as statements from '../../infra/db/statements/proof.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { emailOf } from './address.ts';
import { verifyPasswordOf } from './login.ts';
import { queueMail } from './mail.ts';
import type { SignInPlace } from './places.ts';

type AddressNeeds = Pick<Services, 'db' | 'keys' | 'clock' | 'newId' | 'log'>;
type ProofNeeds = Pick<Services, 'db' | 'keys' | 'passwords' | 'limits' | 'newId'>;

/** The token from an emailed link, together with the account's password. */
export interface AddressProof {
  token: string;
  password: string;
  from: SignInPlace;
}

/**
 * Emails the caller a link that confirms the email address. If the address is already confirmed, sends no email, but
 * the response is the same. Do not call inside a transaction.
 * @throws DomainError `users-only`, `rate-limited`.
 */
export async function sendVerificationMail(
  services: Pick<Services, 'db' | 'limits'>,
  { principal }: { principal: Principal },
): Promise<{ status: 'accepted' }> {
  if (principal.kind !== 'user') {
    throw new DomainError(
      'users-only',
      'An API key has no email address to verify. Sign in as the user whose address you want to verify.',
    );
  }
  const { userId } = principal;
  await services.limits.take('proof-mails', `address ${userId}`);
  const row = await services.db.maybe(statements.isProved(userId));
  if (row?.proved === false) await queueMail(services, { kind: 'email-verification', userId, data: {} });
  return { status: 'accepted' };
}

/**
 * The email address of a verification link's account. The link stays valid.
 * @throws DomainError `invalid-verification-token`.
 */
export async function describeVerification(
  services: AddressNeeds,
  { token }: { token: string },
): Promise<{ email: string }> {
  const userId = await userOfLink(services, token);
  const email = await emailOf(services, { userId, purpose: 'verification-page' });
  if (email === undefined) throw badLink();
  return { email };
}

/**
 * Confirms an email address with an emailed link and the account's password. The password shows that the mailbox and the
 * account belong to one person, so all sign-ins stay valid. A wrong password counts as a failed sign-in and leaves the link
 * usable. Do not call inside a transaction.
 * @throws DomainError `invalid-verification-token`, `invalid-credentials`, `rate-limited`.
 */
export async function verifyEmail(services: ProofNeeds, { token, password, from }: AddressProof): Promise<void> {
  const { db } = services;
  const userId = await userOfLink(services, token);
  const { passwordHash } = await verifyPasswordOf(services, { userId, password, from });
  const at = new Date();
  await db.transaction(async () => {
    await proveWithPassword(services, { userId, passwordHash, by: 'link', at });
    if ((await db.run(statements.useVerification(hashOf(token), at))) === 0) throw badLink();
    await db.run(statements.useVerificationsOfUser(userId, at));
  });
}

/**
 * Records that the person who knows the password owns the email address, in the open transaction. Locks the account.
 * @throws DomainError `invalid-credentials` if the password has changed since it was verified.
 */
export async function proveWithPassword(
  services: Pick<Services, 'db' | 'newId'>,
  { userId, passwordHash, by, at }: { userId: string; passwordHash: string; by: 'link' | 'provider'; at: Date },
): Promise<void> {
  const proof = await services.db.maybe(statements.proveAddress(userId, at, passwordHash));
  if (proof === undefined) throw new DomainError('invalid-credentials', 'The password is wrong.');
  if (!proof.first) return;
  await audit(services, { subject: userId, kind: 'email.verified', actor: userId, data: { by } });
}

/**
 * Requires a confirmed email address before a person may move money in production. So an impostor who registers a
 * stranger's email address cannot prepare payees or payments. Owners without an account need no confirmation.
 * @throws DomainError `email-not-verified`.
 */
export async function requireProvedAddress(
  { db, config }: Pick<Services, 'db' | 'config'>,
  ownerId: string,
): Promise<void> {
  if (config.environment === 'sandbox' || !isPersonId(ownerId)) return;
  const row = await db.maybe(statements.isProved(ownerId));
  if (row?.proved === true) return;
  throw new DomainError(
    'email-not-verified',
    'The email address of this account is not verified yet. Open the link in the verification email, or request a new link.',
  );
}

/**
 * Locks a person's sign-in in the open transaction. A transaction that ends the sign-in waits for the commit, and so
 * sees everything that this transaction wrote. Does nothing for an API key.
 * @throws DomainError `invalid-token` if the sign-in has ended since the request arrived.
 */
export async function holdSignIn({ db }: Pick<Services, 'db'>, principal: Principal): Promise<void> {
  if (principal.kind !== 'user') return;
  if (await db.maybe(statements.holdFamily(principal.familyId))) return;
  throw new DomainError('invalid-token', 'The sign-in has ended. Sign in again.');
}

async function userOfLink({ db }: Pick<Services, 'db'>, token: string): Promise<string> {
  const wellFormed = /^rf_ev_[\w-]{43}$/.test(token);
  const row = wellFormed ? await db.maybe(statements.verificationByToken(hashOf(token))) : undefined;
  if (row) return row.user_id;
  throw badLink();
}

function badLink(): DomainError {
  return new DomainError(
    'invalid-verification-token',
    'This link is not valid. It was already used, is incomplete or older than 24 hours, or the email address is already verified. If it is not verified yet, request a new link.',
  );
}
