import { readsADay } from '../../domain/bank/reading.ts';
import { DAY_MS } from '../../domain/dates.ts';
import * as queries from '../../infra/db/queries/bank-reading.ts';
import type { Services } from '../../infra/services.ts';
import type { Silent } from '../outbox.ts';
import { startLook } from './look.ts';
import { lockConnection } from './record.ts';
import { requestSync, startSync } from './request-sync.ts';

const PAGE = 500;
const DAY_S = DAY_MS / 1_000;

/** Requests the syncs that the schedule owes. Returns how many. */
export async function startDueSyncs(services: Services): Promise<number> {
  let requested = 0;
  for (const { bankId, port } of services.banks.all) {
    if (!port.traits.reads) continue;
    const everyS = DAY_S / readsADay(port.traits.unattendedPerDay, 'schedule');
    for (let after = 0; ;) {
      const due = await services.db.many(queries.dueSyncs({ bankId, everyS, after, most: PAGE }));
      for (const { connection_id } of due) {
        const result = await services.db.transaction(async (tx) => {
          const request = { requestedBy: 'schedule', presentSealed: null, actor: null } as const;
          return requestSync(await lockConnection(tx, connection_id), services, request);
        });
        if (result.kind === 'requested') requested += 1;
      }
      if (due.length < PAGE) break;
      after = due.at(-1)!.seq;
    }
  }
  return requested;
}

/** Has the bank asked about each consent that nobody asked about for a day. Returns how many. */
export async function startDueLooks(services: Services): Promise<number> {
  return startLooks(services, DAY_S);
}

async function startLooks(services: Services, olderS: number | null): Promise<number> {
  let started = 0;
  for (let after = ''; ;) {
    const due = await services.db.many(queries.dueLooks({ olderS, after, most: PAGE }));
    await services.db.transaction(async (tx) => {
      for (const consent of due) await startLook(tx, services, consent);
    });
    started += due.length;
    if (due.length < PAGE) return started;
    after = due.at(-1)!.consent_id;
  }
}

/** Starts syncs again that were lost, for example with Temporal's database. Returns the number. */
export async function restartSyncs(
  services: Services,
  { silent_for_s: silentS, limit: most }: Silent,
): Promise<number> {
  const found = await services.db.many(queries.silentSyncs({ silentS, most }));
  await services.db.transaction(async (tx) => {
    for (const { connection_id, owner_id } of found) await startSync({ tx, connection_id, owner_id }, services);
  });
  return found.length;
}

/** Starts the looks again that an event of the bank asked for. Returns the number. */
export async function restartLooks(services: Services): Promise<number> {
  return startLooks(services, null);
}
