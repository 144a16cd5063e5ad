import * as queries from '../../infra/db/queries/payday.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { enqueue, restartSilent, type Silent } from '../outbox.ts';

type Needs = Pick<Services, 'outbox' | 'tracing'>;

/** For wages that are being confirmed. Without a standing split, or while it is paused, nothing starts, also not later. */
export async function startPaydays(
  tx: Tx,
  services: Needs,
  { ownerId, wageIds, at }: { ownerId: string; wageIds: readonly string[]; at: Date },
): Promise<void> {
  if (wageIds.length === 0) return;
  const split = await tx.maybe(queries.splitOf(ownerId));
  if (!split || split.paused_at !== null) return;
  for (const payday of await tx.many(queries.insertPaydays(wageIds, at))) await startPayday(tx, services, payday);
}

type PaydayRef = Pick<queries.PaydayRow, 'wage_id' | 'owner_id'>;

function startPayday(tx: Tx, services: Needs, { wage_id, owner_id }: PaydayRef): Promise<void> {
  return enqueue(tx, services, 'payday.start', wage_id, services.tracing.carry({ wage_id, owner_id }));
}

/** Recovers paydays whose workflow was lost. */
export function restartPaydays(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, { find: queries.silentPaydays, restart: startPayday });
}
