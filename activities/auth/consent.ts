import { maskEmail } from '../../domain/vault.ts';
import { destinationOf } from '../../domain/authorize.ts';
import { scopeLines, type ScopeLine } from '../../domain/scope-words.ts';
import { lockSession, upsertConsent } from '../../infra/db/statements/sign-in.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { emailOf } from './address.ts';
import { issueCode, refusalAddress, requireHeldClient, type AuthorizationRequest } from './authorize.ts';
import type { Session } from './sessions.ts';

/** What a person is shown before an application may act for it. */
export interface ConsentQuestion {
  clientName: string;
  lines: ScopeLine[];
  destination: ReturnType<typeof destinationOf>;
  /** Masked: enough to know one's own address by. */
  signedInAs: string;
}

/** Puts the question; undefined where the account that is signed in has no address any more. */
export async function describeConsent(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'newId' | 'log'>,
  { request, session }: { request: AuthorizationRequest; session: Session },
): Promise<ConsentQuestion | undefined> {
  const email = await emailOf(services, { userId: session.userId, purpose: 'consent-page' });
  if (email === undefined) return undefined;
  return {
    clientName: request.clientName,
    lines: scopeLines(request.scopes),
    destination: destinationOf(request.redirectUri),
    signedInAs: maskEmail(email),
  };
}

/**
 * Takes the person's answer. Allowed: it is put on record and a code is issued, in one transaction; denied: the client is told
 * so. Audited either way.
 * @returns where to send the person; undefined where the session ended in the meantime, which undoes nothing and does nothing.
 * @throws DomainError `invalid-request` where the client was removed in the meantime.
 */
export async function answerConsent(
  services: Pick<Services, 'db' | 'config' | 'newId'>,
  { request, session, allowed }: { request: AuthorizationRequest; session: Session; allowed: boolean },
): Promise<string | undefined> {
  const { db } = services;
  const { userId, sessionHash } = session;
  const { clientId, scopes } = request;
  const at = new Date();
  return db.transaction(async () => {
    // Held, so that a change of the password, which ends the session, also ends the code that is issued here.
    if (!(await db.maybe(lockSession(sessionHash)))) return undefined;
    await requireHeldClient(services, request);
    const kind = allowed ? 'consent.granted' : 'consent.denied';
    const data = { client_id: clientId, scopes };
    await audit(services, { subject: userId, kind, actor: userId, data });
    if (!allowed) {
      const denied = { error: 'access_denied', description: 'the person did not allow it' } as const;
      return refusalAddress(services, request, denied);
    }
    await db.run(upsertConsent({ user_id: userId, client_id: clientId, scopes, granted_at: at.toISOString() }));
    return issueCode(services, { request, session, at });
  });
}
