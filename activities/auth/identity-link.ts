import { isSameMailbox } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { userByEmail } from '../../infra/db/queries/auth.ts';
import * as queries from '../../infra/db/queries/identity-providers.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { emailOf } from './address.ts';
import { requireOpenRegistration } from './invitations.ts';
import { emailIndexOf, insertAccount, sealAccount } from './register.ts';

type Needs = Pick<Services, 'db' | 'keys' | 'clock' | 'newId' | 'log' | 'metrics' | 'config'>;

interface GivenIdentity {
  identityProvider: { identityProviderId: string; name: string };
  /** `email` is normalised, and the identity provider has verified the address. */
  identity: { subject: string; email: string };
  at: Date;
}

/** `to-be-proved`: the account has the email address, but no link to the identity provider. */
type AccountFound = { kind: 'known'; userId: string } | { kind: 'to-be-proved'; userId: string; subjectIndex: string };

/** Creates an account without a password if no account has the email address. */
export async function accountOf(services: Needs, given: GivenIdentity): Promise<AccountFound> {
  const { db, keys } = services;
  const { identityProvider, identity } = given;
  const subjectIndex = keys.blindIndex(
    'provider_subject',
    `${identityProvider.identityProviderId} ${identity.subject}`,
  );
  const emailIndex = emailIndexOf(services, identity.email);
  const found = async (): Promise<AccountFound | undefined> => {
    // Looks up the email address first. If another tab has just created the account, the next statement finds the
    // account's link.
    const existing = await db.maybe(userByEmail(emailIndex));
    const known = await db.maybe(queries.userOfIdentity(identityProvider.identityProviderId, subjectIndex));
    if (known) return { kind: 'known', userId: known.user_id };
    if (existing === undefined) return undefined;
    await requireSameMailbox(services, given, existing.user_id);
    return { kind: 'to-be-proved', userId: existing.user_id, subjectIndex };
  };
  const existing = await found();
  if (existing) return existing;
  await requireOpenRegistration(services, {});
  try {
    return { kind: 'known', userId: await newAccount(services, given, subjectIndex) };
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'email-taken') throw error;
    // Another request, probably from the same person's other tab, has just registered the email address.
    const taken = await found();
    if (taken === undefined) throw error;
    return taken;
  }
}

async function newAccount(
  services: Needs,
  { identityProvider, identity, at }: GivenIdentity,
  subjectIndex: string,
): Promise<string> {
  const sealed = await sealAccount(services, identity.email);
  const { userId } = sealed;
  const data = { provider_id: identityProvider.identityProviderId };
  await services.db.transaction(async (tx) => {
    await holdIdentityProvider(tx, identityProvider);
    await insertAccount(tx, services, sealed, { passwordHash: null, emailVerifiedAt: at, data });
    await linkSubject(tx, services, { identityProvider, subjectIndex, userId, at });
  });
  return userId;
}

export async function linkSubject(
  tx: Tx,
  services: Pick<Services, 'newId'>,
  given: { identityProvider: GivenIdentity['identityProvider']; subjectIndex: string; userId: string; at: Date },
): Promise<void> {
  const { identityProvider, subjectIndex, userId, at } = given;
  const { identityProviderId, name } = identityProvider;
  const identity = {
    provider_id: identityProviderId,
    subject_index: subjectIndex,
    user_id: userId,
    created_at: at.toISOString(),
  };
  if ((await tx.run(queries.insertIdentity(identity))) === 0) {
    const linked = await tx.one(queries.userOfIdentity(identityProviderId, subjectIndex));
    if (linked.user_id === userId) return;
    throw new DomainError(
      'sign-in-failed',
      `Your account at ${name} is already linked to a different Ringfence account. Sign in with your password instead.`,
    );
  }
  const data = { provider_id: identityProviderId };
  await audit(tx, services, { subject: userId, kind: 'provider.linked', actor: userId, data });
}

/** Locks the identity provider. A command that removes it waits, and then also ends this sign-in. */
export async function holdIdentityProvider(
  tx: Tx,
  { identityProviderId }: { identityProviderId: string },
): Promise<void> {
  if (await tx.maybe(queries.holdIdentityProvider(identityProviderId))) return;
  throw new DomainError('not-found', 'This sign-in provider does not exist. Start again from the sign-in page.');
}

async function requireSameMailbox(
  services: Needs,
  { identityProvider, identity }: GivenIdentity,
  userId: string,
): Promise<void> {
  const kept = await emailOf(services, { userId, purpose: 'provider-link' });
  if (kept !== undefined && isSameMailbox(kept, identity.email)) return;
  throw new DomainError(
    'sign-in-failed',
    `There is already an account whose email address looks the same as yours at ${identityProvider.name}, but might belong to somebody else. If the account is yours, sign in with its password.`,
  );
}
