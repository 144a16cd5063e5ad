import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { standing, type StandingRow } from '../db/queries/watch.ts';
import type { Metrics } from './metrics.ts';

const FRESH_MS = 10_000;
const PATIENCE_MS = 2_000;
const SILENT_MS = 30 * 60_000;

const FOR_ALL = 'Every process reports this for the whole service, so use max(), never sum().';

type Single = Exclude<keyof StandingRow, 'bank_connections'>;

const HELP: Readonly<Record<Single, string>> = {
  outbox_messages: 'Messages that wait for Temporal, counted up to 10001.',
  outbox_oldest_age_seconds: 'Age of the oldest message that waits for Temporal; 0 if there is none.',
  letters_waiting: 'Emails that are not sent yet, counted up to 10001.',
  letters_oldest_age_seconds: 'Age of the oldest email that is not sent yet; 0 if there is none.',
  payments_needing_attention: 'Payments that need an operator, counted up to 1001.',
  payments_silent:
    'Payments that need no operator, but have been processing for 30 minutes without any change. Looks only at the 20000 open payments that changed longest ago.',
  documents_waiting: 'Documents that are not read yet, counted up to 10001.',
  credentials_unsigned: 'Credentials that are not signed yet, counted up to 1001.',
  yield_last_success_timestamp_seconds:
    'When the last successful interest run ended. A run is successful if no vault failed and it covers all days before the month in which it ended.',
  yield_last_run_failed_vaults: 'Vaults whose interest the last interest run could not post.',
  payments_missing:
    'Payments that need an operator because they were not found in the account that paid. Looks at 1001 payments that need an operator at most.',
  reconciliation_last_success_timestamp_seconds:
    'When the last run ended that looked for the payments of all owners in their accounts. No owner failed in it.',
  bank_consents_not_ended: 'Consents that a bank should have ended over an hour ago, counted up to 1001.',
  bank_connections_unread:
    'Connections that should be read, but have had no sync for two days, counted up to 1001. Looks only at 20000 connections.',
  bank_syncs_late: 'Syncs that have been open for over an hour, counted up to 1001.',
};

const CONNECTIONS = 'Connections to people’s banks by status, each counted up to 10001.';

/** The query reads bounded ranges of indexes, so its cost stays constant. */
export function watchStanding({ gauge }: Metrics, db: Pick<Database, 'one'>, clock: Pick<Clock, 'now'>) {
  const reachable = gauge(
    'database_reachable',
    'Whether this process reached the database within two seconds: 1 or 0.',
  );
  const gauges = Object.entries(HELP).map(
    ([name, help]) => [name as Single, gauge(name, `${help} ${FOR_ALL}`)] as const,
  );
  const connections = gauge('bank_connections', `${CONNECTIONS} ${FOR_ALL}`, ['status']);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const found = async () => db.one(standing(new Date((await clock.now(db)).getTime() - SILENT_MS)));
    // `row` is undefined if the database fails or does not respond in time.
    const row = await Promise.race([found(), sleep(PATIENCE_MS, undefined, { ref: false })]).catch(() => undefined);
    reachable.set(row === undefined ? 0 : 1);
    for (const [name, metric] of gauges) {
      const value = row?.[name];
      if (value === undefined || value === null) metric.remove();
      else metric.set(value);
    }
    connections.reset();
    for (const [status, count] of Object.entries(row?.bank_connections ?? {})) connections.set({ status }, count);
  };
  let looking: Promise<void> | undefined;
  return {
    /** Queries at most every `FRESH_MS`. Settles within two seconds. */
    async refresh(): Promise<void> {
      if (performance.now() - lookedAt < FRESH_MS) return;
      looking ??= look().finally(() => {
        lookedAt = performance.now();
        looking = undefined;
      });
      await looking;
    },
  };
}
