import { isEmail, mailDomainOf, normaliseEmail } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { insertAttempt, takeAttempt } from '../../infra/db/queries/identity-providers.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { openUnder, sealUnder } from '../../infra/keys/seal.ts';
import { newSignInChecks, OidcError, type OidcIdentity, type SignInChecks } from '../../infra/oidc/index.ts';
import type { Services } from '../../infra/services.ts';
import { accountOf, holdIdentityProvider } from './identity-link.ts';
import { beginProof, locationOf, type ProofRequested, type SignedIn } from './identity-proof.ts';
import { redirectUriOf, requireIdentityProvider } from './identity-providers.ts';
import { beginSession, type Session } from './sessions.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';

type IdentityProvider = Awaited<ReturnType<typeof requireIdentityProvider>>;

/** The database stores an attempt encrypted under the `state` parameter. */
interface Attempt {
  checks: SignInChecks;
  /** The query of `addressAfterSignIn`. It is empty if neither an application nor a page of ours is waiting. */
  continueWith: string;
}

/** `browser` is the value of the browser's cookie, and `answer` is the query of the redirect. */
interface IdentityProviderResponse {
  provider_id: string;
  browser: string;
  answer: Readonly<Record<string, string>>;
}

/** `prove`: an account has the email address, and the person must first confirm that account. */
export type IdentitySignIn = (SignedIn & { kind: 'signed-in' }) | (ProofRequested & { kind: 'prove'; request: string });

const ATTEMPT_MS = 600_000;

export async function beginIdentitySignIn(
  services: Services,
  { provider_id, browser, continue_with }: { provider_id: string; browser: string; continue_with: string },
): Promise<{ location: string }> {
  const { db, oidc } = services;
  const identityProvider = await requireIdentityProvider(services, provider_id);
  const checks = newSignInChecks();
  const location = await oidc
    .authorizationUrl(identityProvider, redirectUriOf(services, provider_id), checks)
    .catch((error: unknown) => refused(services, identityProvider, error));
  const attempt: Attempt = { checks, continueWith: new URLSearchParams(continue_with).toString() };
  const sealed = await sealUnder(checks.state, JSON.stringify(attempt), attemptContext(provider_id));
  const at = new Date();
  const expiresAt = new Date(at.getTime() + ATTEMPT_MS);
  await db.run(
    insertAttempt({
      state_hash: hashOf(services, checks.state),
      provider_id,
      browser_hash: hashOf(services, browser),
      sealed,
      created_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
    }),
  );
  return { location };
}

export async function completeIdentitySignIn(
  services: Services,
  given: IdentityProviderResponse & { previous: Session | undefined; address: string },
): Promise<IdentitySignIn> {
  const identityProvider = await requireIdentityProvider(services, given.provider_id);
  const { checks, continueWith } = await attemptOf(services, given);
  const identity = await services.oidc
    .identify(identityProvider, redirectUriOf(services, given.provider_id), given.answer, checks)
    .catch((error: unknown) => refused(services, identityProvider, error));
  const verified = verifiedOnly(identityProvider, identity);
  const at = new Date();
  const account = await accountOf(services, { identityProvider, identity: verified, at });
  const { browser, previous, address } = given;
  const { identityProviderId, name: identityProviderName } = identityProvider;
  if (account.kind === 'to-be-proved') {
    const request = await beginProof(services, { ...account, identityProviderId, browser, continueWith, at });
    return { kind: 'prove', request, identityProviderName, email: verified.email };
  }
  const { userId } = account;
  const { cookie } = await services.db.transaction(async (tx) => {
    await holdIdentityProvider(tx, identityProvider);
    const from = { address, browser };
    return beginSession(tx, services, { userId, method: 'provider', identityProviderId, at, previous, from });
  });
  return { kind: 'signed-in', cookie, location: locationOf(continueWith) };
}

async function attemptOf(
  services: Services,
  { provider_id, browser, answer }: IdentityProviderResponse,
): Promise<Attempt> {
  const state = answer.state ?? '';
  const row = await services.db.maybe(
    takeAttempt({ state_hash: hashOf(services, state), provider_id, browser_hash: hashOf(services, browser) }),
  );
  if (!row) {
    throw new DomainError(
      'sign-in-failed',
      'This sign-in was not started in this browser within the last 10 minutes. Start again from the sign-in page.',
    );
  }
  return JSON.parse(await openUnder(state, row.sealed, attemptContext(provider_id))) as Attempt;
}

/** Refuses an address that normalisation would change, because the result would be a different mailbox. */
function verifiedOnly({ name, domains }: IdentityProvider, { subject, email, emailVerified }: OidcIdentity) {
  if (emailVerified && email !== undefined && email === normaliseEmail(email) && isEmail(email)) {
    if (domains.length === 0 || domains.includes(mailDomainOf(email))) return { subject, email };
    throw new DomainError(
      'sign-in-failed',
      `You can sign in with ${name} only if your email address is at ${domains.join(', ')}, but your address is at a different domain. Sign in with a password.`,
    );
  }
  throw new DomainError(
    'sign-in-failed',
    `${name} did not return a verified email address. Verify your address at ${name} and try again, or sign in with a password.`,
  );
}

function refused(
  { log }: Pick<Services, 'log'>,
  { identityProviderId, name }: IdentityProvider,
  error: unknown,
): never {
  if (!(error instanceof OidcError)) throw error;
  log.warn({ provider_id: identityProviderId, kind: error.kind, code: error.code }, 'a sign-in with a provider failed');
  if (error.kind === 'unavailable') {
    throw new DomainError(
      'dependency-unavailable',
      `${name} cannot be reached at the moment. Try again later, or sign in with a password.`,
      { dependency: 'sign-in-provider' },
    );
  }
  throw new DomainError(
    'sign-in-failed',
    `${name} did not confirm who is signing in. Start again from the sign-in page, or sign in with a password.`,
  );
}

function attemptContext(identityProviderId: string): Record<string, string> {
  return { use: SEAL_USES.signInAttempt, provider_id: identityProviderId };
}
