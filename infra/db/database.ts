import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Config } from '../config.ts';
import { queriesBy, runBy, type Queries, type QueryWatch, type Result } from './connection.ts';
import { asUnavailable, isTransient } from './errors.ts';
import { groupCommit } from './group-commit/index.ts';
import { listenerOn, type Listener } from './listen.ts';
import { createOrm } from './orm.ts';
import { queryOf, type AnyEntry, type Entry, type Placed, type Query } from './query.ts';
import { loaderOf } from './loader.ts';
import { inTransaction, type Transaction } from './transaction.ts';

export interface Database extends Queries {
  /**
   * Uses the caller's open transaction, if there is one. After a deadlock or a serialisation failure, `work` runs
   * again, so `work` must do only database work.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Like `transaction`, but concurrent calls can commit together, and `work` can run again (docs/group-commit.md). */
  groupTransaction<T>(work: () => Promise<T>): Promise<T>;
  open<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row>;
  /** In a transaction, does not await the result, but an error fails the transaction. Groups ignore `onFault`. */
  send(asked: Query | AnyEntry, onFault?: (fault: Error) => void): Promise<void>;
  /** Sends the last query with the commit. @returns the number of rows written; in a group transaction always 1. */
  commitWith(asked: Query | AnyEntry): Promise<number>;
  /** Reads one row. Outside an ordinary transaction, concurrent calls share a query and read committed data. */
  load<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row | undefined>;
  /** Without an open transaction, calls `then` at once. */
  afterCommit(then: () => void): void;
  /** MikroORM writes values into the SQL text, so use no secrets, personal data or owners' data here. */
  entities(): EntityManager;
  listener(channel: string, notify: (payload: string) => void): Listener;
  pool(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** Without `timeoutMs`, queries have no time limit. */
export type DatabaseAddress = Pick<Config['database'], 'url' | 'poolSize'> &
  Partial<Pick<Config['database'], 'timeoutMs' | 'groupCommit'>>;

const MOST_RUNS = 4;

export async function openDatabase(config: DatabaseAddress, watch?: QueryWatch): Promise<Database> {
  const orm = createOrm(config);
  const pool = await orm.em.getDriver().getConnection().getNativeClient();
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
    listener: (channel, notify) => listenerOn(pool, channel, notify),
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
