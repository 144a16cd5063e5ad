import { isSameMailbox } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { userByEmail } from '../../infra/db/statements/auth.ts';
import * as statements from '../../infra/db/statements/providers.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { emailOf } from './address.ts';
import { queueMail } from './mail.ts';
import { endAllElse } from './password-reset.ts';
import { emailIndexOf, insertAccount } from './register.ts';

type Needs = Pick<Services, 'db' | 'keys' | 'clock' | 'newId' | 'log'>;

interface Linking {
  provider: { providerId: string; name: string };
  /** Who it is to the provider, and the address that the provider has verified, as it is kept. */
  identity: { subject: string; email: string };
  at: Date;
}

/**
 * The account of somebody who signed in with another provider: the one that is linked to it; else the one with the address,
 * which is linked now; else a new one without a password. Not to be called inside a transaction.
 * @throws DomainError `sign-in-failed` where an account has an address that only looks like this one.
 */
export async function linkedUser(services: Needs, linking: Linking): Promise<string> {
  const { db, keys } = services;
  const { providerId } = linking.provider;
  const subjectIndex = keys.blindIndex('provider_subject', `${providerId} ${linking.identity.subject}`);
  const known = await db.maybe(statements.userOfIdentity, [providerId, subjectIndex]);
  if (known) return known.user_id;
  const emailIndex = emailIndexOf(services, linking.identity.email);
  try {
    return await link(services, linking, { subjectIndex, emailIndex });
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'email-taken') throw error;
    // Somebody else took the address meanwhile, most likely the same person in another tab; now there is an account.
    return link(services, linking, { subjectIndex, emailIndex });
  }
}

async function link(
  services: Needs,
  linking: Linking,
  { subjectIndex, emailIndex }: { subjectIndex: string; emailIndex: string },
): Promise<string> {
  const { db } = services;
  const { provider, identity, at } = linking;
  const data = { provider_id: provider.providerId };
  const existing = await db.maybe(userByEmail, [emailIndex]);
  if (existing) await requireSameMailbox(services, linking, existing.user_id);
  return db.transaction(async () => {
    const account = { email: identity.email, emailIndex, passwordHash: null, emailVerifiedAt: at, data };
    const userId = existing?.user_id ?? (await insertAccount(services, account)).userId;
    if (existing) await claim(services, { userId, data, at });
    const linked = await db.run(statements.insertIdentity, [provider.providerId, subjectIndex, userId, at]);
    if (linked === 0) return (await db.one(statements.userOfIdentity, [provider.providerId, subjectIndex])).user_id;
    await audit(services, { subject: userId, kind: 'provider.linked', actor: userId, data });
    if (existing) await queueMail(services, { kind: 'sign-in-linked', userId, data: { provider_name: provider.name } });
    return userId;
  });
}

/** Two mailboxes whose addresses look alike count as one address here, but the owner of one is not the owner of the other. */
async function requireSameMailbox(services: Needs, { provider, identity }: Linking, userId: string): Promise<void> {
  const kept = await emailOf(services, { userId, purpose: 'provider-link' });
  if (kept !== undefined && isSameMailbox(kept, identity.email)) return;
  throw new DomainError(
    'sign-in-failed',
    `There is an account whose address looks like the one that ${provider.name} gave, but is not certain to be the same. Sign in to it with its password.`,
  );
}

/**
 * Makes sure that an account is its owner's. Where nobody has proved yet to own its address, somebody else may have registered
 * it, and wait for its owner to come: then everything that gives access to the account ends first.
 */
async function claim(
  services: Needs,
  { userId, data, at }: { userId: string; data: { provider_id: string }; at: Date },
): Promise<void> {
  const { db } = services;
  if ((await db.run(statements.claimAccount, [userId, at])) === 0) return;
  await endAllElse(services, { userId, familyId: null, reason: 'claimed', at });
  await db.run(statements.deleteConsents, [userId]);
  await audit(services, { subject: userId, kind: 'account.claimed', actor: userId, data });
}
