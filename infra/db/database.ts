import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { Pool, QueryResultRow } from 'pg';
import pg from 'pg';
import type { Config } from '../config.ts';
import { asUnavailable, isTransient } from './errors.ts';
import { askedAlone, gathering } from './gathered.ts';
import { sharedLane } from './lane.ts';
import { listenOn } from './listen.ts';
import { createOrm } from './orm.ts';
import { sharing } from './shared.ts';
import {
  queriesBy,
  rowTypes,
  valuesOf,
  type Ask,
  type Line,
  type LinesQuery,
  type PlacedRow,
  type Queries,
  type Query,
} from './sql.ts';
import { inTransaction, type Transaction } from './transaction.ts';

/** The database of the service. Statements outside `transaction` run each on its own. */
export interface Database extends Queries {
  /**
   * Runs `work` in one transaction; inside another it joins that one. A deadlock or a serialisation failure runs it
   * again, so it must do nothing but database work.
   * @throws DomainError `dependency-unavailable` when the database is not there.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The same in one transaction with others of about the same moment, where `work` asks by `open`, `runAhead` and `runLast` only, and
   * statements that take lines; else it is run once more, in one of its own.
   */
  sharedTransaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The row that a key leads to, or undefined. Outside a transaction it goes out in one message with all others that are
   * looked up at the same moment; so the statement must be quick and wait for no lock. In a shared one it sees what is committed.
   */
  lookUp<Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[]): Promise<Row | undefined>;
  /**
   * What a statement gives for a line, where those who ask at about the same moment share one. In a transaction it is asked for
   * this line alone.
   */
  gathered<Row extends PlacedRow>(statement: LinesQuery<Row>, line: Line): Promise<Row[]>;
  /** The row of an opening, in the transaction that is open. */
  open<Row extends PlacedRow>(statement: LinesQuery<Row>, line: Line): Promise<Row>;
  /**
   * A statement whose outcome nobody waits for, with its values or its line: in a transaction it goes out with what is asked next,
   * and where it fails whatever is waited for next fails with its error, which `onFault` is told at once. Outside it is run as any other.
   */
  runAhead(statement: Query | LinesQuery, values?: readonly unknown[], onFault?: (fault: Error) => void): Promise<void>;
  /**
   * The last statement of the transaction that is open, with its values or its line: the commit goes out with it, and where it
   * fails nothing is kept.
   * @returns how many rows were written.
   */
  runLast(statement: Query | LinesQuery, values?: readonly unknown[]): Promise<number>;
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

const MAX_RUNS = 4;

/** Connects lazily: the first statement opens the first connection. */
export async function openDatabase(config: Config['database'], watch?: StatementWatch): Promise<Database> {
  const orm = createOrm(config);
  const pool = await poolOf(orm);
  const ambient = new AsyncLocalStorage<Transaction>();
  const ask = askerOf(watch);
  const lane = sharedLane(pool);
  const execute = <Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[] = []) =>
    available(ambient.getStore()?.ask(statement, values) ?? ask(statement, values, pool));
  const queries = queriesBy(execute);
  const gather = gathering(queries);
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let run = 1; ; run += 1) {
      try {
        return await inTransaction({ pool, ask, ambient }, work);
      } catch (error) {
        if (run === MAX_RUNS || !isTransient(error)) throw asUnavailable(error);
      }
    }
  };
  const shared = sharing({ pool, ask, ambient, alone });
  const inside = (): Transaction => {
    const transaction = ambient.getStore();
    if (!transaction) throw new Error('this needs a transaction');
    return transaction;
  };
  return {
    ...queries,
    entities: () => orm.em.fork(),
    transaction: async (work) => (ambient.getStore() ? work() : alone(work)),
    sharedTransaction: async (work) => (ambient.getStore() ? work() : shared(work)),
    async lookUp(statement, values) {
      const transaction = ambient.getStore();
      if (transaction && !transaction.isShared) return queries.maybe(statement, values);
      const { rows } = await available(lane.ask((client) => ask(statement, values, client)));
      return rows[0];
    },
    gathered: async (statement, line) =>
      ambient.getStore() ? askedAlone(queries, statement, line) : gather(statement, line),
    open: async (statement, line) => available(inside().open(statement, line)),
    async runAhead(statement, values = [], onFault) {
      const transaction = ambient.getStore();
      if (transaction) await available(transaction.askAhead(statement, values, onFault));
      else await execute(statement, valuesOf(statement, values));
    },
    runLast: async (statement, values = []) => available(inside().askLast(statement, values)),
    afterCommit(then) {
      const transaction = ambient.getStore();
      if (transaction) transaction.afterCommit(then);
      else then();
    },
    listen: async (channel, listener) => listenOn(pool, channel, listener),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await lane.close();
      await orm.close(true);
      // MikroORM ends the pool only where it asked something itself.
      if (!pool.ending) await pool.end();
    },
  };
}

async function available<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** `watch` is told how long each statement took and whether it failed. */
function askerOf(watch: StatementWatch | undefined): Ask {
  const types = rowTypes(pg.types);
  return <Row extends QueryResultRow>(
    { name, text }: Query<Row>,
    values: readonly unknown[],
    on: Parameters<Ask>[2],
  ): Promise<pg.QueryResult<Row>> => {
    const askedAt = performance.now();
    const asked = on.query<Row>({ name, text, values: values as unknown[], types });
    if (watch) {
      asked.then(
        () => watch(name, askedAt, false),
        () => watch(name, askedAt, true),
      );
    }
    return asked;
  };
}

async function poolOf(orm: MikroORM): Promise<Pool> {
  return (orm.em.getDriver() as unknown as { getConnection(): { getNativeClient(): Promise<Pool> } })
    .getConnection()
    .getNativeClient();
}
