import type { Pool, PoolClient, QueryResult } from 'pg';
import { requireRow, type Queries, type Result, type Run } from './connection.ts';
import { asUnavailable } from './errors.ts';
import { queryOf, type Statement, type Query } from './query.ts';

/**
 * An open transaction, which only `Database` makes. Every call fails after the transaction has ended. A statement need
 * not be awaited: if it fails, the transaction does not commit, and the caller gets its error.
 */
export abstract class Tx implements Queries {
  /** Runs once the transaction has committed. */
  abstract afterCommit(then: () => void): void;
  abstract many<Row>(query: Query<Row>): Promise<Row[]>;
  abstract maybe<Row>(statement: Statement<Row>): Promise<Row | undefined>;
  abstract run(statement: Statement<unknown>): Promise<number>;

  one<Row>(statement: Statement<Row>): Promise<Row> {
    const found = this.maybe(statement).then((row) => requireRow(row, statement));
    found.catch(() => undefined);
    return found;
  }

  /** Nothing else has this method, so a `Database` is no `Tx`. @throws Error after the transaction has ended. */
  abstract requireOpen(): void;
}

class OwnTransaction extends Tx {
  readonly after: (() => void)[] = [];
  private readonly client: PoolClient;
  private readonly runOn: Run;
  private fault: Error | undefined;
  private isOver = false;
  private readonly sent: Promise<unknown>[];

  constructor(client: PoolClient, runOn: Run) {
    super();
    this.client = client;
    this.runOn = runOn;
    this.sent = [client.query('begin').catch((error: unknown) => this.fail(error))];
  }

  many<Row>(query: Query<Row>): Promise<Row[]> {
    return this.watch(this.send(query).then(({ rows }) => rows));
  }

  maybe<Row>(statement: Statement<Row>): Promise<Row | undefined> {
    return this.watch(this.send(statement).then(({ rows }) => rows[0]));
  }

  run(statement: Statement<unknown>): Promise<number> {
    return this.watch(this.send(statement).then(({ rowCount }) => rowCount));
  }

  afterCommit(then: () => void): void {
    this.requireOpen('Work for after the commit');
    this.after.push(then);
  }

  requireOpen(what = 'A query'): void {
    if (this.isOver) throw new Error(`${what} was sent after its transaction ended`);
  }

  /** The commit does not wait for the last statements, so it saves a round trip. */
  async end(): Promise<void> {
    this.isOver = true;
    const commit = await this.client.query('commit');
    await Promise.allSettled(this.sent);
    requireCommit(commit, this.fault);
  }

  async undo(): Promise<void> {
    this.isOver = true;
    await this.client.query('rollback');
  }

  /** Throws at once after the end, because nobody might await the statement. */
  private send<Row>(statement: Statement<Row>): Promise<Result<Row>> {
    const query = queryOf(statement);
    this.requireOpen(query.name);
    return this.runOn(query, this.client).catch((error: unknown) => {
      throw this.fail(error);
    });
  }

  /** After a first failure, PostgreSQL refuses the statements that were already sent. */
  private fail(error: unknown): Error {
    this.fault ??= asUnavailable(error) as Error;
    return this.fault;
  }

  private watch<T>(sent: Promise<T>): Promise<T> {
    sent.catch(() => undefined);
    this.sent.push(sent);
    return sent;
  }
}

export type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

export async function inTransaction<T>(
  { pool, run }: { pool: Pool; run: Run },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const own = new OwnTransaction(client, run);
  let broken: Error | undefined;
  let result: T;
  try {
    result = await work(own);
    await own.end();
  } catch (error) {
    await own.undo().catch((fault: unknown) => {
      broken = fault instanceof Error ? fault : new Error('the rollback failed');
    });
    throw error;
  } finally {
    client.release(broken);
  }
  for (const then of own.after) then();
  return result;
}

/** PostgreSQL answers the commit of a failed transaction with a rollback and no error. */
export function requireCommit({ command }: QueryResult, fault?: Error): void {
  if (fault !== undefined) throw fault;
  if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed, so it was rolled back');
}
