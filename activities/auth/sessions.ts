import * as statements from '../../infra/db/statements/sign-in.ts';
import { hostCookie } from '../../infra/oidc/host-cookie.ts';
import { hashOf, newSessionId } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { rememberPlace, type SignInPlace } from './places.ts';

/** The signed-in session of a browser on our own pages. */
export interface Session {
  userId: string;
  /** The SHA-256 of the cookie's value. Codes and tokens refer to the session by this hash. */
  sessionHash: string;
}

export interface BrowserHeaders {
  cookie?: string;
}

const COOKIE = hostCookie('rf_session', /^rf_se_[\w-]{43}$/);
const SESSION_HOURS = 12;
const HOUR_MS = 3_600_000;

interface NewSession {
  userId: string;
  method: 'password' | 'provider';
  /** The provider that the person used, or undefined for a password. Removing the provider ends the session. */
  providerId?: string;
  at: Date;
  from: SignInPlace;
  /** The browser's previous session, which this sign-in ends. Tokens granted in the previous session stay valid. */
  previous?: Session | undefined;
}

/**
 * Signs a browser in. Creates a new session id, to prevent session fixation. Writes an audit event. @returns the
 * `Set-Cookie` header.
 */
export async function beginSession(
  services: Pick<Services, 'db' | 'keys' | 'newId'>,
  { userId, method, providerId, at, from, previous }: NewSession,
): Promise<{ cookie: string }> {
  const { db, newId } = services;
  const id = newSessionId();
  const expiresAt = new Date(at.getTime() + SESSION_HOURS * HOUR_MS);
  await db.transaction(async () => {
    if (previous) await db.run(statements.endSession(previous.sessionHash, at));
    await db.run(
      statements.insertSession({
        session_hash: hashOf(id),
        user_id: userId,
        created_at: at.toISOString(),
        expires_at: expiresAt.toISOString(),
        signed_in_with: providerId ?? 'password',
      }),
    );
    await rememberPlace(services, userId, from, at);
    const data = { method, through: 'browser' };
    await audit({ db, newId }, { subject: userId, kind: 'sign-in.succeeded', actor: userId, data });
  });
  return { cookie: COOKIE.set(id) };
}

/** The session of this browser, or undefined if there is none, or it has ended or expired. */
export async function sessionOf(
  { db }: Pick<Services, 'db'>,
  { cookie }: BrowserHeaders,
): Promise<Session | undefined> {
  const id = COOKIE.read(cookie);
  if (id === undefined) return undefined;
  const sessionHash = hashOf(id);
  const row = await db.maybe(statements.sessionByHash(sessionHash));
  return row && { userId: row.user_id, sessionHash };
}

/**
 * Signs a browser out: ends the session and all tokens granted in it. Repeating the call changes nothing. Writes an audit
 * event.
 */
export async function endSession(
  { db, newId }: Pick<Services, 'db' | 'newId'>,
  { userId, sessionHash, at }: Session & { at: Date },
): Promise<void> {
  await db.transaction(async () => {
    if ((await db.run(statements.endSession(sessionHash, at))) === 0) return;
    await db.run(statements.endFamiliesOfSession(sessionHash, at, 'logout'));
    const data = { through: 'browser' };
    await audit({ db, newId }, { subject: userId, kind: 'sign-out', actor: userId, data });
  });
}

/** The `Set-Cookie` header that deletes the session's cookie. */
export const FORGET_SESSION = COOKIE.set('', 0);
