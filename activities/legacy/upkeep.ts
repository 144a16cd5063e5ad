import { stalledDocuments } from '../../infra/db/statements/legacy.ts';
import type { Services } from '../../infra/services.ts';
import { restartSilent, type Silent } from '../outbox.ts';
import { startReading } from './record.ts';

export async function restartStalledDocuments(services: Services, silent: Silent): Promise<number> {
  return restartSilent(services, silent, { find: stalledDocuments, restart: startReading });
}
