import { callerOf, type Principal } from '../../domain/auth.ts';
import * as statements from '../../infra/db/statements/credential.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { issuedCredential } from './record.ts';

export async function revokeCredential(
  services: Services,
  request: { principal: Principal; credential_id: string },
): Promise<void> {
  const { db, clock } = services;
  await db.transaction(async () => {
    const { credential_id, list_id, list_index } = await issuedCredential(services, request.credential_id);
    const at = await clock.now();
    if ((await db.run(statements.revokeCredential(credential_id, at))) === 0) return;
    await db.run(statements.nextVersion(list_id));
    const data = { list_id, list_index };
    const actor = callerOf(request.principal);
    await audit(services, { subject: credential_id, kind: 'credential.revoked', actor, data, at });
    db.afterCommit(() => services.metrics.credentials.inc({ event: 'revoked' }));
  });
}
