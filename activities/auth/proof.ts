import type { Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { isPersonId } from '../../domain/owners.ts';
import type { Queries } from '../../infra/db/connection.ts';
import * as queries from '../../infra/db/queries/proof.ts';
import type { Row } from '../../infra/db/tables.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { EmailVerificationRequest } from '../../openapi/types.ts';
import { audit } from '../audit.ts';
import type { VaultServices } from '../vault/record.ts';
import { emailOf } from './address.ts';
import { requireEnabled } from './enabled.ts';
import { verifyPasswordOf } from './login.ts';
import { queueMail } from './mail.ts';
import type { SignInOrigin } from './known-origins.ts';
import { userOf } from './profile.ts';

type ProofNeeds = Pick<Services, 'db' | 'keys' | 'passwords' | 'limits' | 'newId'>;

/** A confirmed address gets no email, but the caller gets the same response. */
export async function sendVerificationMail(
  services: Pick<Services, 'db' | 'limits'>,
  { principal }: { principal: Principal },
): Promise<{ status: 'accepted' }> {
  const { userId } = userOf(
    principal,
    'An API key has no email address to verify. Sign in as the user whose address you want to verify.',
  );
  await services.limits.take('proof-mails', `address ${userId}`);
  const row = await services.db.maybe(queries.isProved(userId));
  if (row?.proved === false) await queueMail(services.db, { kind: 'email-verification', userId, data: {} });
  return { status: 'accepted' };
}

export async function describeVerification(services: VaultServices, { token }: { token: string }) {
  const userId = await userOfLink(services, token);
  const email = await emailOf(services, { userId, purpose: 'verification-page' });
  if (email === undefined) throw badLink();
  return { email };
}

/**
 * The password shows that the mailbox and the account belong to one person, so the sign-ins stay valid.
 * @throws DomainError `invalid-credentials`, `account-disabled` or `rate-limited`.
 */
export async function verifyEmail(
  services: ProofNeeds,
  { token, password, from }: EmailVerificationRequest & { from: SignInOrigin },
): Promise<void> {
  const { db } = services;
  const userId = await userOfLink(services, token);
  const { passwordHash } = await verifyPasswordOf(services, { userId, password, from });
  const at = new Date();
  await db.transaction(async (tx) => {
    await proveWithPassword(tx, services, { userId, passwordHash, by: 'link', at });
    await requireEnabled(tx, userId);
    if ((await tx.run(queries.useLink('email_verifications', hashOf(services, token), at))) === 0) throw badLink();
    await tx.run(queries.useLinksOf('email_verifications', userId, at));
  });
}

/** Locks the account. Throws if the password has changed since its check. */
export async function proveWithPassword(
  tx: Tx,
  services: Pick<Services, 'newId'>,
  { userId, passwordHash, by, at }: { userId: string; passwordHash: string; by: 'link' | 'provider'; at: Date },
): Promise<void> {
  const proof = await tx.maybe(queries.proveAddress(userId, at, passwordHash));
  if (proof === undefined) throw new DomainError('invalid-credentials', 'The password is wrong.');
  if (!proof.first) return;
  await audit(tx, services, { subject: userId, kind: 'email.verified', actor: userId, data: { by } });
}

/**
 * In production, an impostor who registers a stranger's address must not prepare payees or payments. Owners without an
 * account need no confirmation.
 */
export async function requireProvedAddress(
  db: Queries,
  { config }: Pick<Services, 'config'>,
  ownerId: string,
): Promise<void> {
  if (config.environment === 'sandbox' || !isPersonId(ownerId)) return;
  const row = await db.maybe(queries.isProved(ownerId));
  if (row?.proved === true) return;
  throw new DomainError(
    'email-not-verified',
    'The email address of this account is not verified yet. Open the link in the verification email, or request a new link.',
  );
}

/** `client_id` is null if the person signed in without an OAuth client. */
export type SignIn = Pick<Row<'token_families'>, 'family_id' | 'client_id'>;

/**
 * Locks a person's sign-in. A transaction that ends the sign-in waits, and so sees what this transaction wrote.
 * @returns the sign-in, or null for an API key.
 */
export async function holdSignIn(tx: Tx, principal: Principal): Promise<SignIn | null> {
  if (principal.kind !== 'user') return null;
  const signIn = await tx.maybe(queries.holdFamily(principal.familyId));
  if (signIn) return signIn;
  throw new DomainError('invalid-token', 'The sign-in has ended. Sign in again.');
}

async function userOfLink(services: Pick<Services, 'db' | 'keys'>, token: string): Promise<string> {
  const wellFormed = /^rf_ev_[\w-]{43}$/.test(token);
  const row = wellFormed ? await services.db.maybe(queries.verificationByToken(hashOf(services, token))) : undefined;
  if (row) return row.user_id;
  throw badLink();
}

function badLink(): DomainError {
  return new DomainError(
    'invalid-verification-token',
    'This link is not valid. It was already used, is incomplete or older than 24 hours, or the email address is already verified. If it is not verified yet, request a new link.',
  );
}
