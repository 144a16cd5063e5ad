import { HOUR_MS, MINUTE_MS } from '../../domain/dates.ts';
import { useLinksOf } from '../../infra/db/queries/proof.ts';
import * as queries from '../../infra/db/queries/sign-in.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { hostCookie } from '../../infra/oidc/host-cookie.ts';
import { hashOf, newSessionId } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { requireEnabled } from './enabled.ts';
import { rememberOrigin, type SignInOrigin } from './known-origins.ts';

export interface Session {
  userId: string;
  /** The hash of the cookie's value. Codes and tokens refer to the session by this hash. */
  sessionHash: string;
  /** When the person last proved who they are in this browser. */
  signedInAt: Date;
}

const COOKIE = hostCookie('rf_session', /^rf_se_[\w-]{43}$/);
const SESSION_HOURS = 12;
const FRESH_MS = 15 * MINUTE_MS;

interface NewSession {
  userId: string;
  method: 'password' | 'provider';
  identityProviderId?: string;
  at: Date;
  from: SignInOrigin;
  /** This sign-in ends the browser's previous session. Tokens granted in the previous session stay valid. */
  previous?: Session | undefined;
}

/**
 * Returns the `Set-Cookie` header. A new session id prevents session fixation.
 * @throws DomainError `account-disabled`.
 */
export async function beginSession(
  tx: Tx,
  services: Pick<Services, 'keys' | 'newId'>,
  { userId, method, identityProviderId, at, from, previous }: NewSession,
): Promise<{ cookie: string }> {
  const id = newSessionId();
  const expiresAt = new Date(at.getTime() + SESSION_HOURS * HOUR_MS);
  await requireEnabled(tx, userId);
  if (previous) await tx.run(queries.endSessions({ session_hash: previous.sessionHash }, at));
  await tx.run(
    queries.insertSession({
      session_hash: hashOf(services, id),
      user_id: userId,
      created_at: at.toISOString(),
      expires_at: expiresAt.toISOString(),
      signed_in_with: identityProviderId ?? 'password',
    }),
  );
  await rememberOrigin(tx, services, userId, from, at);
  const data = { method, through: 'browser' };
  await audit(tx, services, { subject: userId, kind: 'sign-in.succeeded', actor: userId, data });
  return { cookie: COOKIE.set(id) };
}

export async function sessionOf(
  services: Pick<Services, 'db' | 'keys'>,
  { cookie }: { cookie?: string },
): Promise<Session | undefined> {
  const id = COOKIE.read(cookie);
  if (id === undefined) return undefined;
  const sessionHash = hashOf(services, id);
  const row = await services.db.maybe(queries.sessionByHash(sessionHash));
  return row && { userId: row.user_id, sessionHash, signedInAt: new Date(row.created_at) };
}

/** For what needs the person themselves: undefined if they signed in longer ago, by default more than 15 minutes. */
export async function freshSessionOf(
  services: Pick<Services, 'db' | 'clock' | 'keys'>,
  headers: { cookie?: string },
  withinMs = FRESH_MS,
): Promise<Session | undefined> {
  const session = await sessionOf(services, headers);
  if (session === undefined) return undefined;
  const now = await services.clock.real(services.db);
  return now.getTime() - session.signedInAt.getTime() <= withinMs ? session : undefined;
}

/** Also ends the tokens granted in the session. Ends the codes first, which waits for code exchanges in progress. */
export async function signOut(
  { db, newId }: Pick<Services, 'db' | 'newId'>,
  { userId, sessionHash }: Session,
): Promise<void> {
  const at = new Date();
  await db.transaction(async (tx) => {
    const of = { session_hash: sessionHash };
    if ((await tx.run(queries.endSessions(of, at))) === 0) return;
    await tx.run(queries.endCodes(of, at));
    await tx.run(queries.endFamilies(of, at, 'logout'));
    const data = { through: 'browser' };
    await audit(tx, { newId }, { subject: userId, kind: 'sign-out', actor: userId, data });
  });
}

/**
 * Ends a user's access, except the session and tokens of the sign-in `familyId`. Ends the codes before the tokens,
 * because ending the codes waits for code exchanges in progress.
 * @returns the token families that were ended.
 */
export async function endAllElse(
  tx: Tx,
  { userId, familyId, reason, at }: { userId: string; familyId: string | null; reason: string; at: Date },
): Promise<string[]> {
  await tx.run(useLinksOf('password_resets', userId, at));
  await tx.run(queries.endSessionsOfUser(userId, { at, familyId }));
  await tx.run(queries.endCodes({ user_id: userId }, at));
  const ended = await tx.many(queries.endFamiliesOfUser(userId, { at, ended_reason: reason, familyId }));
  return ended.map(({ family_id }) => family_id);
}

/** The `Set-Cookie` header that deletes the cookie. */
export const FORGET_SESSION = COOKIE.set('', 0);
