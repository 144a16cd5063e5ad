import { isEmail, normaliseEmail } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { insertAttempt, takeAttempt } from '../../infra/db/statements/providers.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import {
  newSignInChecks,
  OidcError,
  type OidcIdentity,
  type OidcProvider,
  type SignInChecks,
} from '../../infra/oidc/index.ts';
import type { Services } from '../../infra/services.ts';
import { linkedUser } from './provider-link.ts';
import { redirectUriOf, requireProvider } from './providers.ts';
import { beginSession, type Session } from './sessions.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

type Provider = OidcProvider & { name: string };

/** What is kept of a sign-in while the browser is at the provider; it opens with the state alone. */
interface Attempt {
  checks: SignInChecks;
  /** The query with which the browser goes on at our authorization endpoint; empty where it came from nowhere. */
  continueWith: string;
}

/** A browser that came back from a provider: its identifier, and the query that it brought. */
export interface ProviderAnswer {
  provider_id: string;
  browser: string;
  answer: Readonly<Record<string, string>>;
}

const ATTEMPT_MS = 600_000;

/**
 * Begins a sign-in with another provider, for the browser that has this identifier.
 * @returns where to send it. @throws DomainError `not-found`, or `dependency-unavailable` naming the provider.
 */
export async function beginProviderSignIn(
  services: Services,
  { provider_id, browser, continue_with }: { provider_id: string; browser: string; continue_with: string },
): Promise<{ location: string }> {
  const { db, keys, oidc } = services;
  const provider = await requireProvider(services, provider_id);
  const checks = newSignInChecks();
  const location = await oidc
    .authorizationUrl(provider, redirectUriOf(services, provider_id), checks)
    .catch((error: unknown) => refused(services, provider, error));
  const attempt: Attempt = { checks, continueWith: new URLSearchParams(continue_with).toString() };
  const sealed = await keys.sealUnder(checks.state, JSON.stringify(attempt), attemptContext(provider_id));
  const at = new Date();
  const expiresAt = new Date(at.getTime() + ATTEMPT_MS);
  await db.run(insertAttempt, [hashOf(checks.state), provider_id, hashOf(browser), sealed, at, expiresAt]);
  return { location };
}

/**
 * Ends a sign-in with another provider: finds out who came back, and signs the browser in.
 * @returns the cookie of the session, and where to go on; no `location` where the browser came from nowhere.
 * @throws DomainError `sign-in-failed`, `not-found`, or `dependency-unavailable` naming the provider.
 */
export async function completeProviderSignIn(
  services: Services,
  given: ProviderAnswer & { previous: Session | undefined; address: string },
): Promise<{ cookie: string; location: string | undefined }> {
  const provider = await requireProvider(services, given.provider_id);
  const { checks, continueWith } = await attemptOf(services, given);
  const identity = await services.oidc
    .identify(provider, redirectUriOf(services, given.provider_id), given.answer, checks)
    .catch((error: unknown) => refused(services, provider, error));
  const verified = verifiedOnly(provider, identity);
  const at = new Date();
  const userId = await linkedUser(services, { provider, identity: verified, at });
  const from = { address: given.address, browser: given.browser };
  const { cookie } = await beginSession(services, { userId, method: 'provider', at, previous: given.previous, from });
  return { cookie, location: continueWith === '' ? undefined : `/api/v1/auth/authorize?${continueWith}` };
}

/** What this browser began with this state, once. */
async function attemptOf({ db, keys }: Services, { provider_id, browser, answer }: ProviderAnswer): Promise<Attempt> {
  const state = answer.state ?? '';
  const row = await db.maybe(takeAttempt, [hashOf(state), provider_id, hashOf(browser)]);
  if (!row) {
    throw new DomainError(
      'sign-in-failed',
      'This answer does not belong to a sign-in that was begun in this browser within the last 10 minutes. Start again from the sign-in page.',
    );
  }
  return JSON.parse(await keys.openUnder(state, row.sealed, attemptContext(provider_id))) as Attempt;
}

/**
 * @throws DomainError `sign-in-failed` where the provider does not vouch for the address, or it is written in characters that
 * would become others here: then the mailbox that was verified is not the one that would be kept.
 */
function verifiedOnly({ name }: Provider, { subject, email, emailVerified }: OidcIdentity) {
  if (emailVerified && email !== undefined && email === normaliseEmail(email) && isEmail(email))
    return { subject, email };
  throw new DomainError(
    'sign-in-failed',
    `${name} gave no e-mail address that it has verified. Verify your address there and try again, or sign in with a password.`,
  );
}

function refused({ log }: Pick<Services, 'log'>, { providerId, name }: Provider, error: unknown): never {
  if (!(error instanceof OidcError)) throw error;
  log.warn({ provider_id: providerId, kind: error.kind, code: error.code }, 'a sign-in with another provider failed');
  if (error.kind === 'unavailable') {
    throw new DomainError(
      'dependency-unavailable',
      `${name} cannot be reached now, so nobody can sign in with it. Try again in a while, or sign in with a password.`,
      { dependency: 'sign-in-provider' },
    );
  }
  throw new DomainError(
    'sign-in-failed',
    `${name} did not confirm who is signing in. Start again from the sign-in page, or sign in with a password.`,
  );
}

function attemptContext(providerId: string): Record<string, string> {
  return { use: SEAL_USES.signInAttempt, provider_id: providerId };
}
