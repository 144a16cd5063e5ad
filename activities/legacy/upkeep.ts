import { stalledDocuments } from '../../infra/db/statements/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { startReading } from './record.ts';

export async function restartStalledDocuments(
  services: Services,
  { silent_for_s, limit }: { silent_for_s: number; limit: number },
): Promise<number> {
  const { db, clock } = services;
  const silentSince = new Date((await clock.now()).getTime() - silent_for_s * 1_000);
  const stalled = await db.many(stalledDocuments(silentSince, limit));
  await db.transaction(async () => {
    for (const document of stalled) await startReading(services, document);
  });
  return stalled.length;
}
