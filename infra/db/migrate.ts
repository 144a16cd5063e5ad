import type { ClientBase, PoolClient } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, ConfigOf } from '../config/index.ts';
import { queriesBy, runBy } from './connection.ts';
import { codeOf } from './errors.ts';
import { createOrm } from './orm.ts';
import { grantToService } from './roles.ts';
import { PROGRAM, recordingMigrations, type SchemaProgram } from './schema-program.ts';
import { changedMigrations, ChangedSchemaError } from './schema-version.ts';
import { checksumOf } from './schema-files.ts';
import { checkFunctions, filesInForce, recordFile } from './queries/deployment.ts';

export const MIGRATION_LOCK = 7_201_604;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const RETRY_MS = 1_000;
const POLL_MS = 100;

export type MigratedDatabase = Pick<Config['database'], 'url'> & Partial<ConfigOf<'migration'>['database']>;

export const ownerUrlOf = ({ migrationUrl, url }: Pick<MigratedDatabase, 'migrationUrl' | 'url'>) =>
  migrationUrl ?? url;

/**
 * Applies missing migrations, then the functions and triggers that changed, while the service keeps running. A second
 * migrator waits for the first. What waits too long for a lock is retried later, because other queries would queue
 * behind it. `service` is the role that gets its rights.
 * @throws ChangedSchemaError if an applied migration has changed; nothing is applied then.
 */
export async function migrate(
  { database, service }: { database: MigratedDatabase; service?: string | undefined },
  program: SchemaProgram = PROGRAM,
): Promise<void> {
  const { migrationLockMs = 1_000, migrationTryS = 300 } = database;
  const options = ` -c lock_timeout=${migrationLockMs}`;
  const list = await recordingMigrations(program);
  const orm = createOrm({ url: ownerUrlOf(database), poolSize: 3 }, { options, list });
  try {
    const pool = await orm.em.getDriver().getConnection().getNativeClient();
    const lock = await pool.connect();
    try {
      await holding(lock, async () => {
        await requireUnchanged(lock, program);
        await untilUnlocked(() => orm.migrator.up(), migrationTryS);
        await untilUnlocked(() => applyFiles(lock, program, service), migrationTryS);
      });
    } finally {
      lock.release();
    }
  } finally {
    await orm.close(true);
  }
}

async function requireUnchanged(client: PoolClient, program: SchemaProgram): Promise<void> {
  const changed = await changedMigrations(queriesOn(client), program);
  if (changed.length > 0) throw new ChangedSchemaError(changed);
}

async function applyFiles(client: PoolClient, { files }: SchemaProgram, service: string | undefined): Promise<void> {
  const db = queriesOn(client);
  await client.query('begin');
  try {
    const inForce = new Map((await db.many(filesInForce())).map(({ name, checksum }) => [name, checksum]));
    // A function may use another whose file comes later.
    await client.query('set local check_function_bodies = off');
    const changed = files.filter(({ name, text }) => inForce.get(name) !== checksumOf(text));
    for (const { name, text } of changed) {
      await client.query(text);
      await db.run(recordFile(name, checksumOf(text)));
    }
    await client.query('set local check_function_bodies = on');
    if (changed.length > 0) await db.many(checkFunctions());
    if (service !== undefined) await grantToService(db, service);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

const queriesOn = (client: PoolClient) => queriesBy((query) => runBy()(query, client));

/** Holds the migration lock on the connection `lock` during the work. */
async function holding<T>(lock: ClientBase, work: () => Promise<T>): Promise<T> {
  // Polls because a statement that waits in PostgreSQL keeps a snapshot, which blocks `create index concurrently`.
  while (!(await hasTaken(lock))) await sleep(POLL_MS);
  try {
    return await work();
  } finally {
    // A lost connection has lost the lock too.
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
  }
}

async function hasTaken(lock: ClientBase): Promise<boolean> {
  const { rows } = await lock.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [MIGRATION_LOCK]);
  return rows[0]!.taken;
}

async function untilUnlocked<T>(work: () => Promise<T>, tryS: number): Promise<T> {
  const until = performance.now() + tryS * 1_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayPass = [LOCK_NOT_AVAILABLE, DEADLOCK].includes(codeOf(error));
      if (!mayPass || performance.now() > until) throw error;
      await sleep(RETRY_MS);
    }
  }
}
