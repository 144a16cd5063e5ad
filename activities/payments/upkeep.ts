import { londonDateOf } from '../../domain/dates.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { startWorkflow } from './record.ts';

/** Recovers payments whose workflow or notification was lost. */
export function paymentUpkeep(services: Services) {
  const { db, clock } = services;

  return {
    async restartStalledPayments({ silent_for_s, limit }: { silent_for_s: number; limit: number }): Promise<number> {
      const now = await clock.now();
      const silentSince = new Date(now.getTime() - silent_for_s * 1_000);
      const stalled = await db.many(statements.stalledPayments({ silentSince, dueBy: londonDateOf(now), most: limit }));
      await db.transaction(async () => {
        for (const payment of stalled) await startWorkflow(services, payment);
      });
      return stalled.length;
    },
  };
}
