import { DomainError } from '../../domain/errors.ts';
import * as statements from '../../infra/db/statements/providers.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
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
 * The account of somebody who signed in with another provider, in the transaction that is open: the one that is linked to it;
 * else the one with the address, which is linked now; else a new one without a password.
 */
export async function linkedUser(services: Needs, { provider, identity, at }: Linking): Promise<string> {
  const { db, keys } = services;
  const { providerId } = provider;
  const subjectIndex = keys.blindIndex('provider_subject', `${providerId} ${identity.subject}`);
  const known = await db.maybe(statements.userOfIdentity, [providerId, subjectIndex]);
  if (known) return known.user_id;

  const emailIndex = emailIndexOf(services, identity.email);
  const made = await madeUser(services, { provider, identity, at }, emailIndex);
  const userId = made ?? (await claimedUser(services, { providerId, emailIndex, at }));
  // Where the same person comes twice at once, the second waits here, and is the same user by the address.
  await db.run(statements.insertIdentity, [providerId, subjectIndex, userId, at]);
  const data = { provider_id: providerId };
  await audit(services, { subject: userId, kind: 'provider.linked', actor: userId, data, at });
  if (made === undefined) {
    await queueMail(services, { kind: 'sign-in-linked', userId, data: { provider_name: provider.name } });
  }
  return userId;
}

/** A new account, where nobody has the address yet. */
async function madeUser(services: Needs, { provider, identity, at }: Linking, emailIndex: string) {
  const { db } = services;
  if (await db.maybe(statements.lockUserByEmail, [emailIndex])) return undefined;
  const { email } = identity;
  const data = { provider_id: provider.providerId };
  try {
    const account = { email, emailIndex, passwordHash: null, emailVerifiedAt: at, data };
    return (await db.savepoint(() => insertAccount(services, account))).userId;
  } catch (error) {
    // Somebody else took the address meanwhile.
    if (error instanceof DomainError && error.code === 'email-taken') return undefined;
    throw error;
  }
}

/**
 * The account that has the address. Where nobody has proved yet to own that address, somebody else may have registered it, and
 * wait for its owner to come: then everything that gives access to the account ends first.
 */
async function claimedUser(
  services: Needs,
  { providerId, emailIndex, at }: { providerId: string; emailIndex: string; at: Date },
): Promise<string> {
  const { db } = services;
  const { user_id: userId, email_verified_at } = await db.one(statements.lockUserByEmail, [emailIndex]);
  if (email_verified_at !== null) return userId;
  await db.run(statements.claimAccount, [userId, at]);
  await endAllElse(services, { userId, familyId: null, reason: 'claimed', at });
  await db.run(statements.deleteConsents, [userId]);
  const data = { provider_id: providerId };
  await audit(services, { subject: userId, kind: 'account.claimed', actor: userId, data, at });
  return userId;
}
