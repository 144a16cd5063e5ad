import { AsyncLocalStorage } from 'node:async_hooks';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import pg from 'pg';
import { DomainError } from '../../domain/errors.ts';
import type { Config } from '../config.ts';
import { createOrm } from './orm.ts';
import { rowTypes, type Queries, type Query } from './sql.ts';

/** The database of the service. Statements outside `transaction` run each on its own. */
export interface Database extends Queries {
  /**
   * Runs `work` in one transaction; inside another it joins that one. A deadlock or a serialisation failure runs it
   * again, so it must do nothing but database work.
   * @throws DomainError `dependency-unavailable` when the database is not there.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` so that a failure in it undoes only what it wrote. Inside a transaction only. */
  savepoint<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `then` once what is being written is committed; at once outside a transaction. */
  afterCommit(then: () => void): void;
  /** A fresh MikroORM entity manager, for ordinary persistence outside transactions. */
  entities(): EntityManager;
  /** Calls `listener` with the payload of each notification of the channel until the returned function is called. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Ambient {
  client: PoolClient;
  afterCommit: (() => void)[];
  savepoints: number;
}

const MAX_RUNS = 4;

/** Connects lazily: the first statement opens the first connection. */
export async function openDatabase(config: Config['database']): Promise<Database> {
  const orm = createOrm(config);
  const pool = await poolOf(orm);
  const ambient = new AsyncLocalStorage<Ambient>();
  const types = rowTypes(pg.types);

  const execute = async <Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[] = []) => {
    const runner = ambient.getStore()?.client ?? pool;
    const request = { name: statement.name, text: statement.text, values: values as unknown[], types };
    return runner.query<Row>(request).catch((error: unknown) => Promise.reject(asUnavailable(error)));
  };

  const queries: Queries = {
    many: async (statement, values) => (await execute(statement, values)).rows,
    maybe: async (statement, values) => (await execute(statement, values)).rows[0],
    run: async (statement, values) => (await execute(statement, values)).rowCount ?? 0,
    one: async (statement, values) => {
      const row = (await execute(statement, values)).rows[0];
      if (row === undefined) throw new Error(`${statement.name} gave no row`);
      return row;
    },
  };

  return {
    ...queries,
    entities: () => orm.em.fork(),
    async transaction(work) {
      if (ambient.getStore()) return work();
      for (let run = 1; ; run += 1) {
        try {
          return await inTransaction(pool, ambient, work);
        } catch (error) {
          if (run === MAX_RUNS || !isTransient(error)) throw asUnavailable(error);
        }
      }
    },
    async savepoint(work) {
      const open = ambient.getStore();
      if (!open) throw new Error('a savepoint needs a transaction');
      const name = `s${(open.savepoints += 1)}`;
      await open.client.query(`savepoint ${name}`);
      const commitHooks = open.afterCommit.length;
      try {
        return await work();
      } catch (error) {
        await open.client.query(`rollback to savepoint ${name}`);
        open.afterCommit.length = commitHooks;
        throw error;
      }
    },
    afterCommit(then) {
      const open = ambient.getStore();
      if (open) open.afterCommit.push(then);
      else then();
    },
    async listen(channel, listener) {
      return listenOn(pool, channel, listener);
    },
    close: () => orm.close(true),
  };
}

async function poolOf(orm: MikroORM): Promise<Pool> {
  return (orm.em.getDriver() as unknown as { getConnection(): { getNativeClient(): Promise<Pool> } })
    .getConnection()
    .getNativeClient();
}

async function inTransaction<T>(pool: Pool, ambient: AsyncLocalStorage<Ambient>, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const open: Ambient = { client, afterCommit: [], savepoints: 0 };
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await ambient.run(open, work);
    await client.query('commit');
    for (const then of open.afterCommit) then();
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function listenOn(pool: Pool, channel: string, listener: (payload: string) => void) {
  let client: PoolClient | undefined;
  let stopped = false;
  const open = async () => {
    const fresh = await pool.connect();
    client = fresh;
    fresh.on('notification', (message) => listener(message.payload ?? ''));
    fresh.once('error', () => void reopen(fresh));
    await fresh.query(`listen "${channel}"`);
  };
  const reopen = async (lost: PoolClient) => {
    lost.release(true);
    client = undefined;
    while (!stopped && !client) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await open().catch(() => undefined);
    }
  };
  await open();
  return async () => {
    stopped = true;
    client?.removeAllListeners('notification');
    client?.release(true);
  };
}

const TRANSIENT = new Set(['40001', '40P01']);
const UNAVAILABLE = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN',
  '57P01', '57P02', '57P03', '53300', '08000', '08001', '08003', '08006',
]);

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

function isTransient(error: unknown): boolean {
  return TRANSIENT.has(codeOf(error));
}

function asUnavailable(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  const message = error instanceof Error ? error.message : '';
  const lost = /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;
  if (!UNAVAILABLE.has(codeOf(error)) && !lost.test(message)) return error;
  return new DomainError(
    'dependency-unavailable',
    'The database is not reachable. Send the same request again with the same Idempotency-Key; it will take effect once.',
    { dependency: 'database' },
  );
}
