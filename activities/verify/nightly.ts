import { openDatabase } from '../../infra/db/database.ts';
import type { Services } from '../../infra/services.ts';
import { verify, type PartResult } from './index.ts';
import { recordVerified } from './loop.ts';

/** A log line names so many faults of a part. `admin verify` names more. */
const LOGGED = 20;

export type NightResult = {
  parts: Pick<PartResult, 'part' | 'checked' | 'ms' | 'found'>[];
  /** The checkpoint that says what was covered. */
  checkpoint: number | null;
};

type NightServices = Pick<Services, 'clock' | 'keys' | 'config' | 'log' | 'metrics'>;

/** Takes no argument, because anybody who reaches Temporal could otherwise choose what is left out. */
export const verifyActivities = (services: NightServices) => ({
  async verifyByNight(): Promise<NightResult> {
    // Some queries read whole tables, which takes longer than a statement of the service may.
    const db = await openDatabase({ url: services.config.database.url, poolSize: 1 });
    try {
      const needs = { ...services, db };
      const done = await verify(needs, { all: false });
      const { parts } = done;
      for (const part of parts) report(services, part);
      const written = await recordVerified(needs, done).catch((error: unknown) => {
        services.log.warn({ reason: String(error) }, 'no checkpoint says what was verified');
        return undefined;
      });
      return {
        parts: parts.map(({ part, checked, ms, found }) => ({ part, checked, ms, found })),
        checkpoint: written !== undefined && 'number' in written ? written.number : null,
      };
    } finally {
      await db.close();
    }
  },
});

export type VerifyActivities = ReturnType<typeof verifyActivities>;

function report({ log, metrics }: NightServices, { part, found, faults, skipped }: PartResult): void {
  if (skipped !== undefined) log.warn({ part, skipped }, 'verify left something out');
  if (found === 0) return;
  metrics.tampering.inc({ what: part }, found);
  log.error({ part, found, faults: faults.slice(0, LOGGED) }, 'something other than the service changed the database');
}
