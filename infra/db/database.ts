import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { queriesBy, runBy, type Queries, type QueryWatch, type Result } from './connection.ts';
import { asUnavailable, isTransient } from './errors.ts';
import { groupCommit } from './group-commit/index.ts';
import { listenOn } from './listen.ts';
import { createOrm } from './orm.ts';
import { queryOf, type AnyEntry, type Entry, type Placed, type Query } from './query.ts';
import { loaderOf } from './loader.ts';
import { inTransaction, type Transaction } from './transaction.ts';

/** Outside `transaction`, each query commits alone. */
export interface Database extends Queries {
  /**
   * Runs `work` in a transaction, or in the caller's open transaction. After a deadlock or a serialisation failure,
   * `work` runs again, so it must do only database work.
   * @throws DomainError `dependency-unavailable` if the database cannot work now, or its clock differs too much from
   * this process's clock.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Does the same as `transaction`. If group commit is on, concurrent calls commit together (docs/group-commit.md).
   * Work that cannot stay in a group, for example because it takes too long, runs again in its own transaction.
   */
  groupTransaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs a locking query in the open transaction, and returns its row. */
  open<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row>;
  /**
   * In a transaction, sends a query without awaiting its result. If the query fails, the transaction fails. Outside a
   * group transaction, `onFault` is then called at once.
   */
  send(asked: Query | AnyEntry, onFault?: (fault: Error) => void): Promise<void>;
  /**
   * Sends the transaction's last query together with the commit. @returns the number of rows written; in a group
   * transaction always 1.
   */
  commitWith(asked: Query | AnyEntry): Promise<number>;
  /**
   * Reads one row. Concurrent calls share one query, except in an ordinary transaction. A group transaction reads only
   * committed data.
   */
  load<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row | undefined>;
  /** Calls `then` after the open transaction commits. Without a transaction, calls `then` at once. */
  afterCommit(then: () => void): void;
  /**
   * Returns a new entity manager, which uses the open transaction if there is one. MikroORM writes values into the SQL
   * itself, so never use the entity manager for secrets, personal data or an owner's data.
   */
  entities(): EntityManager;
  /** Calls `listener` with the payload of each notification on the channel. Call the returned function to stop. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
  /** Counts the pool's connections, in total and idle, and the callers that wait for a connection. */
  pool(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** The database's address and settings. Without `timeoutMs`, queries have no time limit. */
export type DatabaseAddress = Pick<Config['database'], 'url' | 'poolSize'> &
  Partial<Pick<Config['database'], 'timeoutMs' | 'groupCommit'>>;

const MOST_RUNS = 4;

/** Opens no connection yet: the first query opens the first connection. */
export async function openDatabase(config: DatabaseAddress, watch?: QueryWatch): Promise<Database> {
  const orm = createOrm(config);
  const pool = await poolOf(orm);
  const ambient = new AsyncLocalStorage<Transaction>();
  const run = runBy(watch);
  const execute = <Row>(query: Query<Row>): Promise<Result<Row>> =>
    available(ambient.getStore()?.run(query) ?? run(query, pool));
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await inTransaction({ pool, run, ambient }, work);
      } catch (error) {
        if (tries === MOST_RUNS || !isTransient(error)) throw asUnavailable(error);
      }
    }
  };
  const load = loaderOf(execute);
  const grouped = config.groupCommit === 'on' ? groupCommit({ pool, run, ambient, alone }) : alone;
  const inside = (): Transaction => {
    const transaction = ambient.getStore();
    if (!transaction) throw new Error('no transaction is open');
    return transaction;
  };
  return {
    ...queriesBy(execute),
    entities: () => entitiesIn(orm, ambient.getStore()),
    transaction: async (work) => (ambient.getStore() ? work() : alone(work)),
    groupTransaction: async (work) => (ambient.getStore() ? work() : grouped(work)),
    open: async (entry) => available(inside().open(entry)),
    async send(asked, onFault) {
      const transaction = ambient.getStore();
      if (transaction) await available(transaction.send(asked, onFault));
      else await execute(queryOf(asked));
    },
    commitWith: async (asked) => available(inside().commitWith(asked)),
    async load(entry) {
      const transaction = ambient.getStore();
      if (transaction === undefined || transaction.isGrouped) return available(load(entry));
      return (await execute(entry.batch.all([entry.values]))).rows[0];
    },
    afterCommit(then) {
      const transaction = ambient.getStore();
      if (transaction) transaction.afterCommit(then);
      else then();
    },
    listen: async (channel, listener) => listenOn(pool, channel, listener),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await orm.close(true);
      // MikroORM closes the pool only if MikroORM itself has used it.
      if (!pool.ending) await pool.end();
    },
  };
}

function entitiesIn(orm: MikroORM, transaction: Transaction | undefined): EntityManager {
  const entities = orm.em.fork();
  if (transaction === undefined) return entities;
  const client = transaction.connection();
  const query = client.query.bind(client) as PostgresPoolClient['query'];
  const connection: PostgresPoolClient = { query, release: () => undefined };
  const pool = { connect: () => Promise.resolve(connection), end: () => Promise.resolve(), options: {} };
  entities.setTransactionContext(new Kysely({ dialect: new PostgresDialect({ pool }) }));
  return entities;
}

async function available<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw asUnavailable(error);
  }
}

async function poolOf(orm: MikroORM): Promise<Pool> {
  return (orm.em.getDriver() as unknown as { getConnection(): { getNativeClient(): Promise<Pool> } })
    .getConnection()
    .getNativeClient();
}
