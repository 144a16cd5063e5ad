import { DomainError } from '../../domain/errors.ts';
import { providerById, vouchFor } from '../../infra/db/queries/payees.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import type { Provider } from '../../openapi/types.ts';
import { providerViews } from './providers.ts';

/** Changes nothing if somebody already vouches for the payee. */
export async function confirmPayee(
  services: Services,
  { provider_id, actor }: { provider_id: string; actor: string },
): Promise<Provider> {
  const { db, clock } = services;
  await db.transaction(async (tx) => {
    if ((await tx.run(vouchFor(provider_id, 'operator'))) === 0) return;
    const data = { vouched_by: 'operator' };
    const at = await clock.now(tx);
    await audit(tx, services, { subject: provider_id, kind: 'payee.confirmed', actor, data, at });
  });
  const row = await db.maybe(providerById(provider_id));
  if (!row || row.removed_at !== null) throw new DomainError('not-found', 'There is no payee with this id.');
  const [payee] = await providerViews(services, [row], actor);
  return payee!;
}
