import { callerOf, type Principal } from '../../domain/auth.ts';
import * as statements from '../../infra/db/queries/credential.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { issuedCredential } from './record.ts';

export async function revokeCredential(
  tx: Tx,
  services: Pick<Services, 'clock' | 'newId' | 'metrics'>,
  request: { principal: Principal; credential_id: string },
): Promise<void> {
  const { credential_id, list_id, list_index } = await issuedCredential(tx, request.credential_id);
  const at = await services.clock.now(tx);
  if ((await tx.run(statements.revokeCredential(credential_id, at))) === 0) return;
  await tx.run(statements.nextVersion(list_id));
  const data = { list_id, list_index };
  const actor = callerOf(request.principal);
  await audit(tx, services, { subject: credential_id, kind: 'credential.revoked', actor, data, at });
  tx.afterCommit(() => services.metrics.credentials.inc({ event: 'revoked' }));
}
