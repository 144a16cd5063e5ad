import { londonDateOf } from '../../domain/dates.ts';
import { stalledPayments } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { restartSilent, type Silent } from '../outbox.ts';
import { startWorkflow } from './record.ts';

/** Recovers payments whose workflow or notification was lost. */
export async function restartStalledPayments(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, {
    find: (silentSince, most, now) => stalledPayments({ silentSince, dueBy: londonDateOf(now), most }),
    restart: startWorkflow,
  });
}
