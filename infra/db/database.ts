import { AsyncLocalStorage } from 'node:async_hooks';
import type { Writable } from 'node:stream';
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
  /**
   * The last statement of the transaction that is open: the commit goes out with it, and where it fails nothing is kept.
   * @returns how many rows were written.
   */
  runLast(statement: Query, values?: readonly unknown[]): Promise<number>;
  /** Calls `then` once what is being written is committed; at once outside a transaction. */
  afterCommit(then: () => void): void;
  /** A fresh MikroORM entity manager, for ordinary persistence outside transactions. */
  entities(): EntityManager;
  /** Calls `listener` with the payload of each notification of the channel until the returned function is called. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
  /** The connections of this process: how many there are, how many of them are idle, and how many wait for one. */
  pool(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** Told of each statement: when it was asked for, by `performance.now()`, and whether it failed. */
export type StatementWatch = (name: string, askedAt: number, failed: boolean) => void;

interface Ambient {
  client: PoolClient;
  afterCommit: (() => void)[];
  /** What PostgreSQL says of the commit that went out with the last statement. */
  ended?: Promise<pg.QueryResult>;
}

const MAX_RUNS = 4;

/** Connects lazily: the first statement opens the first connection. */
export async function openDatabase(config: Config['database'], watch?: StatementWatch): Promise<Database> {
  const orm = createOrm(config);
  const pool = await poolOf(orm);
  const ambient = new AsyncLocalStorage<Ambient>();
  const types = rowTypes(pg.types);

  const execute = async <Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[] = []) => {
    const open = ambient.getStore();
    if (open?.ended) throw new Error(`${statement.name} came after the last statement of its transaction`);
    const runner = open?.client ?? pool;
    const request = { name: statement.name, text: statement.text, values: values as unknown[], types };
    const askedAt = performance.now();
    try {
      const result = await runner.query<Row>(request);
      watch?.(statement.name, askedAt, false);
      return result;
    } catch (error) {
      watch?.(statement.name, askedAt, true);
      throw asUnavailable(error);
    }
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
    async runLast(statement, values) {
      const open = ambient.getStore();
      if (!open) throw new Error('a last statement needs a transaction');
      const written = together(open.client, () => {
        const last = execute(statement, values);
        open.ended = open.client.query('commit');
        open.ended.catch(() => undefined);
        return last;
      });
      return (await written).rowCount ?? 0;
    },
    afterCommit(then) {
      const open = ambient.getStore();
      if (open) open.afterCommit.push(then);
      else then();
    },
    async listen(channel, listener) {
      return listenOn(pool, channel, listener);
    },
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
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
  const open: Ambient = { client, afterCommit: [] };
  let broken: Error | undefined;
  let done: { result: T };
  try {
    const result = await ambient.run(open, () => begun(client, work));
    // PostgreSQL answers the commit of a failed transaction with a quiet rollback: some error was swallowed inside.
    const { command } = await (open.ended ?? client.query('commit'));
    if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed; nothing of it was kept');
    done = { result };
  } catch (error) {
    await client.query('rollback').catch((rollbackError: unknown) => {
      broken = rollbackError instanceof Error ? rollbackError : new Error('the rollback failed');
    });
    throw error;
  } finally {
    client.release(broken);
  }
  for (const then of open.afterCommit) then();
  return done.result;
}

/** Begins a transaction, in one write with what `work` asks first. */
async function begun<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  const [begin, done] = await Promise.allSettled(
    together(client, () => [client.query('begin'), (async () => work())()] as const),
  );
  if (begin.status === 'rejected') throw begin.reason;
  if (done.status === 'rejected') throw done.reason;
  return done.value;
}

/** What is asked of one connection at once goes out in one write: each costs a system call, which is dearer than the rest of it. */
function together<T>(client: PoolClient, ask: () => T): T {
  const { stream } = (client as PoolClient & { connection: { stream: Writable } }).connection;
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}

const LISTEN_AGAIN_MS = 500;

/** Listens on a connection of its own, and on a new one after each that is lost. */
async function listenOn(
  pool: Pool,
  channel: string,
  listener: (payload: string) => void,
): Promise<() => Promise<void>> {
  let listening: PoolClient | undefined;
  let stopped = false;
  const released = new WeakSet<PoolClient>();
  const drop = (client: PoolClient) => {
    if (listening === client) listening = undefined;
    if (released.has(client)) return;
    released.add(client);
    client.removeAllListeners('notification');
    client.release(true);
  };
  const open = async () => {
    const client = await pool.connect();
    client.on('notification', (message) => listener(message.payload ?? ''));
    client.on('error', () => {
      const wasListening = listening === client;
      drop(client);
      if (wasListening) void openAgain();
    });
    try {
      await client.query(`listen "${channel}"`);
    } catch (error) {
      drop(client);
      throw error;
    }
    if (stopped) drop(client);
    else listening = client;
  };
  const openAgain = async () => {
    while (!stopped) {
      await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
      if (
        await open()
          .then(() => true)
          .catch(() => false)
      )
        return;
    }
  };
  await open();
  return () => {
    stopped = true;
    if (listening) drop(listening);
    return Promise.resolve();
  };
}

const TRANSIENT = new Set(['40001', '40P01']);
const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08006',
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
  const lost =
    /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;
  if (!UNAVAILABLE.has(codeOf(error)) && !lost.test(message)) return error;
  return new DomainError(
    'dependency-unavailable',
    'The database is not reachable. Send the same request again with the same Idempotency-Key; it will take effect once.',
    { dependency: 'database' },
  );
}
