import { maskEmail } from '../../domain/vault/masks.ts';
import { destinationOf } from '../../domain/authorize.ts';
import { scopeLines } from '../../domain/scope-texts.ts';
import { holdClient, lockSession, upsertConsent } from '../../infra/db/queries/sign-in.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { VaultServices } from '../vault/record.ts';
import { emailOf } from './address.ts';
import { issueCode, refusalAddress, unknownClient, type AuthorizationRequest } from './authorize.ts';
import type { Session } from './sessions.ts';

/** Returns undefined if the account or its email address no longer exists. */
export async function describeConsent(
  services: VaultServices,
  { request, session }: { request: AuthorizationRequest; session: Session },
) {
  const email = await emailOf(services, { userId: session.userId, purpose: 'consent-page' });
  if (email === undefined) return undefined;
  return {
    clientName: request.clientName,
    lines: scopeLines(request.scopes),
    destination: destinationOf(request.redirectUri),
    signedInAs: maskEmail(email),
  };
}

/** @returns the redirect URI with the code or the denial, or undefined if the session has ended. */
export async function answerConsent(
  services: Pick<Services, 'db' | 'config' | 'keys' | 'newId'>,
  { request, session, allowed }: { request: AuthorizationRequest; session: Session; allowed: boolean },
): Promise<string | undefined> {
  const { db } = services;
  const { userId, sessionHash } = session;
  const { clientId, scopes } = request;
  const at = new Date();
  return db.transaction(async (tx) => {
    // A concurrent password change waits for this lock, and then also ends the new code.
    if (!(await tx.maybe(lockSession(sessionHash)))) return undefined;
    // Nobody can remove the client before the commit.
    if (!(await tx.maybe(holdClient(clientId)))) throw unknownClient();
    const kind = allowed ? 'consent.granted' : 'consent.denied';
    const data = { client_id: clientId, scopes };
    await audit(tx, services, { subject: userId, kind, actor: userId, data });
    if (!allowed) {
      const denied = { error: 'access_denied', description: 'the person denied the request' } as const;
      return refusalAddress(services, request, denied);
    }
    await tx.run(upsertConsent({ user_id: userId, client_id: clientId, scopes, granted_at: at.toISOString() }));
    return issueCode(tx, services, { request, session, at });
  });
}
