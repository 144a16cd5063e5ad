import { createHash } from 'node:crypto';
import type { AuditEntry } from '../../activities/audit.ts';
import type { Config } from '../../infra/config/index.ts';
import type { Clock } from '../../infra/clock.ts';
import { openDatabase, type Database } from '../../infra/db/database.ts';
import { textQuery } from './text-query.ts';
import type { Services } from '../../infra/services.ts';
import { ownerUrl } from './postgres.ts';

const open = new Map<string, Promise<Database>>();

interface Served {
  config: { database: Pick<Config['database'], 'url'> };
}

/** For changes that the service has no right to make. Callers share the connection. */
export function asOwner({ config }: Served): Promise<Database> {
  const url = ownerUrl(config.database.url);
  let db = open.get(url);
  if (db === undefined) open.set(url, (db = openDatabase({ url, poolSize: 1 })));
  return db;
}

export async function ownerSql(served: Served, text: string, values: readonly unknown[] = []) {
  const name = `owner.${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  return (await asOwner(served)).many<Record<string, unknown>>(textQuery(name, text)(...values));
}

/** Runs one statement as the schema's owner, with the triggers of `table` off. */
export async function unguarded(served: Served, table: string, text: string, values: readonly unknown[] = []) {
  const db = await asOwner(served);
  const owned = (what: string) =>
    textQuery(`owner.${createHash('sha256').update(what).digest('hex').slice(0, 32)}`, what);
  await db.transaction(async (tx) => {
    await tx.run(owned(`alter table ${table} disable trigger user`)());
    await tx.run(owned(text)(...values));
    await tx.run(owned(`alter table ${table} enable trigger user`)());
  });
}

/** Appends to the audit log as the schema's owner, who can choose the time. */
export async function auditThen(services: Served & Pick<Services, 'newId'>, entries: readonly Required<AuditEntry>[]) {
  const rows = entries.map((entry) => ({ event_id: services.newId('evt'), ...entry, created_at: entry.at }));
  await ownerSql(
    services,
    `insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
     select event_id, subject, kind, actor, data, created_at, 0, '', '' from jsonb_populate_recordset(null::audit_events, $1)`,
    [JSON.stringify(rows)],
  );
}

/** Replaces the rates of all days, like a first `db:migrate` with these settings. */
export async function setRates(served: Pick<Services, 'config'>): Promise<void> {
  for (const [type, rate] of Object.entries(served.config.yield.annualRates))
    await ownerSql(
      served,
      `update yield_rates set annual_rate = $2 where vault_type = $1 and from_date = '0001-01-01'`,
      [type, rate],
    );
}

export async function closeOwner({ config }: Served): Promise<void> {
  const url = ownerUrl(config.database.url);
  const db = open.get(url);
  open.delete(url);
  await (await db)?.close();
}

// Times in the ledger and the audit log may differ from the business clock by 60 seconds.
const TOLERATED_MS = 20_000;

/** Makes the database's business clock follow a test's clock, forward and back. */
export function followedBy(served: Served, clock: Clock): Clock {
  let offsetMs = 0;
  let isFree = false;
  let following = Promise.resolve();
  const follow = async (wantedMs: number) => {
    if (!isFree) await ownerSql(served, 'alter table business_clock disable trigger user');
    isFree = true;
    await ownerSql(served, 'update business_clock set offset_ms = $1', [wantedMs]);
    offsetMs = wantedMs;
  };
  return {
    async now(db) {
      const now = await clock.now(db);
      const wantedMs = now.getTime() - Date.now();
      following = following.then(() => (Math.abs(wantedMs - offsetMs) > TOLERATED_MS ? follow(wantedMs) : undefined));
      await following;
      return now;
    },
    real: (db) => clock.real(db),
  };
}
