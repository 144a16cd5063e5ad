import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient, QueryResult } from 'pg';
import type { Result, Run } from './connection.ts';
import { queryOf, type AnyEntry, type Entry, type Placed, type Query } from './query.ts';

export interface Transaction {
  /** A group commit accepts only batch queries. */
  readonly isGrouped: boolean;
  run<Row>(query: Query<Row>): Promise<Result<Row>>;
  open<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row>;
  send(asked: Query | AnyEntry, onFault?: (fault: Error) => void): Promise<void>;
  commitWith(asked: Query | AnyEntry): Promise<number>;
  afterCommit(then: () => void): void;
  /** In a group commit, this call causes a conflict. */
  connection(): PoolClient;
}

class OwnTransaction implements Transaction {
  readonly isGrouped = false;
  readonly after: (() => void)[] = [];
  private readonly client: PoolClient;
  private readonly runOn: Run;
  private fault: Error | undefined;
  private readonly sent: Promise<void>[] = [];
  private commit: Promise<QueryResult> | undefined;
  private isOver = false;

  constructor(client: PoolClient, runOn: Run) {
    this.client = client;
    this.runOn = runOn;
    this.watch(client.query('begin'));
  }

  async run<Row>(query: Query<Row>): Promise<Result<Row>> {
    try {
      return await this.runOn(query, this.usable(query));
    } catch (error) {
      throw this.fault ?? error;
    }
  }

  async open<Values, Row extends Placed>(entry: Entry<Values, Row>): Promise<Row> {
    const query = entry.batch.all([entry.values]);
    const { rows } = await this.run(query);
    if (rows[0] === undefined) throw new Error(`${query.name} returned no row`);
    return rows[0];
  }

  async send(asked: Query | AnyEntry, onFault?: (fault: Error) => void): Promise<void> {
    const query = queryOf(asked);
    this.watch(this.runOn(query, this.usable(query)), onFault);
    return Promise.resolve();
  }

  async commitWith(asked: Query | AnyEntry): Promise<number> {
    const last = this.run(queryOf(asked));
    this.commit = this.client.query('commit');
    this.commit.catch(() => undefined);
    return (await last).rowCount;
  }

  afterCommit(then: () => void): void {
    this.after.push(then);
  }

  connection(): PoolClient {
    return this.usable({ name: 'the entity manager' });
  }

  async end(): Promise<void> {
    this.isOver = true;
    const commit = await (this.commit ?? this.client.query('commit'));
    await Promise.all(this.sent);
    requireCommit(commit, this.fault);
  }

  async undo(): Promise<void> {
    this.isOver = true;
    await this.client.query('rollback');
  }

  private watch(sent: Promise<unknown>, onFault?: (fault: Error) => void): void {
    const watched = sent.then(
      () => undefined,
      (error: unknown) => {
        this.fault ??= error as Error;
        onFault?.(this.fault);
      },
    );
    this.sent.push(watched);
  }

  private usable({ name }: Pick<Query, 'name'>): PoolClient {
    if (this.commit !== undefined || this.isOver) throw new Error(`${name} was sent after its transaction ended`);
    return this.client;
  }
}

export async function inTransaction<T>(
  { pool, run, ambient }: { pool: Pool; run: Run; ambient: AsyncLocalStorage<Transaction> },
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const own = new OwnTransaction(client, run);
  let broken: Error | undefined;
  let result: T;
  try {
    result = await ambient.run(own, work);
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
