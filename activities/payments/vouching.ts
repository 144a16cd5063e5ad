import { DomainError } from '../../domain/errors.ts';
import { payeeById, vouchFor } from '../../infra/db/queries/payees.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { Payee } from '../../openapi/types.ts';
import { payeeViews } from './payees.ts';

/** Changes nothing if somebody already vouches for the payee. */
export async function confirmPayee(
  services: Services,
  { provider_id, actor }: { provider_id: string; actor: string },
): Promise<Payee> {
  const { db, clock } = services;
  await db.transaction(async (tx) => {
    if ((await tx.run(vouchFor(provider_id, 'operator'))) === 0) return;
    const data = { vouched_by: 'operator' };
    const at = await clock.now(tx);
    await audit(tx, services, { subject: provider_id, kind: 'payee.confirmed', actor, data, at });
  });
  const row = await db.maybe(payeeById(provider_id));
  if (!row || row.removed_at !== null) throw new DomainError('not-found', 'There is no payee with this id.');
  const [payee] = await payeeViews(services, [row], actor);
  return payee!;
}
