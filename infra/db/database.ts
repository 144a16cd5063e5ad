import { AsyncLocalStorage } from 'node:async_hooks';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import pg from 'pg';
import type { Config } from '../config.ts';
import { hold, letGo, together, type Corked } from './cork.ts';
import { asUnavailable, isTransient } from './errors.ts';
import { askedAlone, gathering, type PlacedRow } from './gathered.ts';
import { sharedLane } from './lane.ts';
import { listenOn } from './listen.ts';
import { createOrm } from './orm.ts';
import { queriesBy, rowTypes, type Queries, type Query } from './sql.ts';

/** The database of the service. Statements outside `transaction` run each on its own. */
export interface Database extends Queries {
  /**
   * Runs `work` in one transaction; inside another it joins that one. A deadlock or a serialisation failure runs it
   * again, so it must do nothing but database work.
   * @throws DomainError `dependency-unavailable` when the database is not there.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The row that a key leads to, or undefined. Outside a transaction it goes out in one message with all others that are
   * looked up at the same moment; so the statement must be quick and wait for no lock.
   */
  lookUp<Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[]): Promise<Row | undefined>;
  /**
   * What a statement gives for a line of values. It takes a list for each column of its lines, and gives rows that tell the place
   * of theirs, so that those who ask at about the same moment share one. In a transaction it is asked for this line alone.
   */
  gathered<Row extends PlacedRow>(statement: Query<Row>, line: readonly unknown[]): Promise<Row[]>;
  /**
   * A statement whose outcome nobody waits for: in a transaction it goes out with what is asked next, and where it fails
   * whatever is waited for next fails with its error, which `onFault` is told at once. Outside it is run as any other.
   */
  runAhead(statement: Query, values?: readonly unknown[], onFault?: (fault: Error) => void): Promise<void>;
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

interface Ambient extends Corked {
  afterCommit: (() => void)[];
  /** Why something that was asked ahead failed; the transaction has failed with it. */
  fault?: Error;
  /** It is being undone, or was ended: nothing more may be asked, as it would be done outside of it. */
  over?: true;
  /** What PostgreSQL says of the commit that went out with the last statement. */
  ended?: Promise<pg.QueryResult>;
}

const MAX_RUNS = 4;

/** Connects lazily: the first statement opens the first connection. */
export async function openDatabase(config: Config['database'], watch?: StatementWatch): Promise<Database> {
  const orm = createOrm(config);
  const pool = await poolOf(orm);
  const ambient = new AsyncLocalStorage<Ambient>();
  const ask = askerOf(watch);
  const lane = sharedLane(pool);
  const execute = async <Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[] = []) => {
    const open = ambient.getStore();
    try {
      const asked = open ? ask(statement, values, sound(open, statement)) : ask(statement, values, pool);
      if (open) letGo(open);
      return await asked;
    } catch (error) {
      throw asUnavailable(open?.fault ?? error);
    }
  };

  const queries = queriesBy(execute);
  const gather = gathering(queries);
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
    async lookUp(statement, values) {
      if (ambient.getStore()) return queries.maybe(statement, values);
      try {
        return (await lane.ask((client) => ask(statement, values, client))).rows[0];
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    async gathered(statement, line) {
      return ambient.getStore() ? askedAlone(queries, statement, line) : gather(statement, line);
    },
    async runAhead(statement, values = [], onFault) {
      const open = ambient.getStore();
      if (open && !open.over) askAhead(open, () => ask(statement, values, sound(open, statement)), onFault);
      else await execute(statement, values);
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
    close: () => lane.close().then(() => orm.close(true)),
  };
}

/** Asks a connection, or any of a pool; `watch` is told how long each statement took and whether it failed. */
function askerOf(watch: StatementWatch | undefined) {
  const types = rowTypes(pg.types);
  return <Row extends QueryResultRow>(
    { name, text }: Query<Row>,
    values: readonly unknown[],
    on: Pool | PoolClient,
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

/** The connection of a transaction that can still be asked. */
function sound({ client, ended, over }: Ambient, { name }: Query): PoolClient {
  if (ended ?? over) throw new Error(`${name} came after the end of its transaction`);
  return client;
}

async function poolOf(orm: MikroORM): Promise<Pool> {
  return (orm.em.getDriver() as unknown as { getConnection(): { getNativeClient(): Promise<Pool> } })
    .getConnection()
    .getNativeClient();
}

async function inTransaction<T>(pool: Pool, ambient: AsyncLocalStorage<Ambient>, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const open: Ambient = { client, afterCommit: [], held: false };
  let broken: Error | undefined;
  let done: { result: T };
  try {
    askAhead(open, () => client.query('begin'));
    const result = await ambient.run(open, work);
    await committed(open);
    done = { result };
  } catch (error) {
    open.over = true;
    letGo(open);
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

/** PostgreSQL answers the commit of a failed transaction with a quiet rollback: some error was swallowed, or of what was asked ahead. */
async function committed(open: Ambient): Promise<void> {
  open.over = true;
  const ended = open.ended ?? open.client.query('commit');
  letGo(open);
  const { command } = await ended;
  if (open.fault !== undefined) throw open.fault;
  if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed; nothing of it was kept');
}

/** A claim is one only where it was sent: so it leaves soon, even where nothing is asked after it. */
function askAhead(open: Ambient, ask: () => Promise<unknown>, onFault?: (fault: Error) => void): void {
  hold(open);
  ask().catch((error: unknown) => {
    open.fault ??= error as Error;
    onFault?.(open.fault);
  });
}
