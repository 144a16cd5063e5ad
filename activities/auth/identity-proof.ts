import { MINUTE_MS } from '../../domain/dates.ts';
import { addressAfterSignIn } from '../../domain/destinations.ts';
import { DomainError } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/identity-providers.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hashOf, newLinkRequest } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { VaultServices } from '../vault/record.ts';
import { emailOf } from './address.ts';
import { proveWithoutPassword } from './claim.ts';
import { verifyPasswordOf } from './login.ts';
import { LINK_MINUTES, queueMail } from './mail.ts';
import { proveWithPassword } from './proof.ts';
import { holdIdentityProvider, linkSubject } from './identity-link.ts';
import { nameOfIdentityProvider } from './identity-providers.ts';
import { beginSession, type Session } from './sessions.ts';

export interface SignedIn {
  cookie: string;
  location: string | undefined;
}

export interface ProofRequested {
  identityProviderName: string;
  email: string;
}

/** `browser` is the value of the browser's cookie, and `address` is an IP address. */
interface Proving {
  browser: string;
  address: string;
  previous: Session | undefined;
}

type Request = queries.LinkRequestRow;
type Stored = Pick<Services, 'db' | 'keys'>;

/** Returns a request id, which works for 30 minutes in this browser. */
export async function beginProof(
  services: Pick<Services, 'db' | 'keys'>,
  given: {
    identityProviderId: string;
    subjectIndex: string;
    userId: string;
    browser: string;
    continueWith: string;
    at: Date;
  },
): Promise<string> {
  const { identityProviderId, subjectIndex, userId, browser, continueWith, at } = given;
  const request = newLinkRequest();
  const expiresAt = new Date(at.getTime() + LINK_MINUTES * MINUTE_MS);
  await services.db.run(
    queries.insertLinkRequest({
      request_hash: hashOf(services, request),
      provider_id: identityProviderId,
      subject_index: subjectIndex,
      user_id: userId,
      browser_hash: hashOf(services, browser),
      continue_with: continueWith,
      created_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
    }),
  );
  return request;
}

export async function describeProof(
  services: VaultServices,
  { request, browser }: { request: string; browser: string },
): Promise<ProofRequested> {
  return describe(services, await requestOf(services, request, browser));
}

export async function describeMailedProof(
  services: VaultServices,
  { token, browser }: { token: string; browser: string },
): Promise<ProofRequested & { proved: boolean }> {
  const row = await mailedRequestOf(services, token, browser);
  return { ...(await describe(services, row)), proved: row.proved };
}

export async function mailProof(
  services: Pick<Services, 'db' | 'keys' | 'limits'>,
  { request, browser }: { request: string; browser: string },
): Promise<void> {
  const row = await requestOf(services, request, browser);
  await services.limits.take('proof-mails', `link ${row.user_id}`);
  const { user_id: userId, request_hash } = row;
  await queueMail(services.db, { kind: 'provider-link', userId, data: { request_hash } });
}

/** @throws DomainError `invalid-credentials` or `rate-limited`. */
export async function proveByPassword(
  services: Services,
  given: Proving & { request: string; password: string },
): Promise<SignedIn> {
  const row = await requestOf(services, given.request, given.browser);
  const { user_id: userId } = row;
  const { password, address, browser } = given;
  const { passwordHash } = await verifyPasswordOf(services, { userId, password, from: { address, browser } });
  return link(services, row, given, (tx, at) =>
    proveWithPassword(tx, services, { userId, passwordHash, by: 'provider', at }),
  );
}

/** Somebody else may have registered the address, so the first confirmation also deletes the password. */
export async function proveByLetter(services: Services, given: Proving & { token: string }): Promise<SignedIn> {
  const row = await mailedRequestOf(services, given.token, given.browser);
  const { user_id: userId, provider_id } = row;
  return link(services, row, given, async (tx, at) => {
    const data = { by: 'provider', provider_id };
    await proveWithoutPassword(tx, services, { userId, passwordHash: null, reason: 'claimed', data, at });
  });
}

async function link(
  services: Services,
  {
    request_hash,
    provider_id: identityProviderId,
    subject_index: subjectIndex,
    user_id: userId,
    continue_with,
  }: Request,
  proving: Proving,
  prove: (tx: Tx, at: Date) => Promise<void>,
): Promise<SignedIn> {
  const { db } = services;
  const name = await nameOfIdentityProvider(services, identityProviderId);
  const at = new Date();
  const { cookie } = await db.transaction(async (tx) => {
    await holdIdentityProvider(tx, { identityProviderId });
    if ((await tx.run(queries.takeLinkRequest(request_hash))) === 0) throw over();
    await prove(tx, at);
    await linkSubject(tx, services, { identityProvider: { identityProviderId, name }, subjectIndex, userId, at });
    await queueMail(tx, { kind: 'sign-in-linked', userId, data: { provider_name: name } });
    const { previous, address, browser } = proving;
    const from = { address, browser };
    return beginSession(tx, services, { userId, method: 'provider', identityProviderId, at, previous, from });
  });
  return { cookie, location: locationOf(continue_with) };
}

/** Returns undefined if neither an application nor a page of ours is waiting for the sign-in. */
export function locationOf(continueWith: string): string | undefined {
  return continueWith === '' ? undefined : addressAfterSignIn(continueWith);
}

async function describe(services: VaultServices, { provider_id, user_id: userId }: Request): Promise<ProofRequested> {
  const identityProviderName = await nameOfIdentityProvider(services, provider_id);
  const email = await emailOf(services, { userId, purpose: 'provider-link' });
  if (email === undefined) throw over();
  return { identityProviderName, email };
}

async function requestOf(services: Stored, request: string, browser: string): Promise<Request> {
  const wellFormed = /^rf_lr_[\w-]{43}$/.test(request);
  const row = wellFormed
    ? await services.db.maybe(queries.linkRequest(hashOf(services, request), hashOf(services, browser)))
    : undefined;
  if (row) return row;
  throw over();
}

async function mailedRequestOf(services: Stored, token: string, browser: string) {
  const wellFormed = /^rf_pl_[\w-]{43}$/.test(token);
  const row = wellFormed
    ? await services.db.maybe(queries.mailedLinkRequest(hashOf(services, token), hashOf(services, browser)))
    : undefined;
  if (row) return row;
  throw new DomainError(
    'sign-in-failed',
    'This link does not work here. It was already used, is older than 30 minutes, or was requested in a different browser. Open the link in the browser in which you started to sign in, or sign in again there.',
  );
}

function over(): DomainError {
  return new DomainError(
    'sign-in-failed',
    'This sign-in has ended, or was started in a different browser. Start again from the sign-in page.',
  );
}
