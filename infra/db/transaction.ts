import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { hold, letGo, together, type Corked } from './cork.ts';
import { valuesOf, type Ask, type Line, type LinesQuery, type PlacedRow, type Query } from './sql.ts';

/** What may be asked in a transaction, be it one's own or one that is shared. */
export interface Transaction {
  isShared: boolean;
  ask<Row extends QueryResultRow>(statement: Query<Row>, values: readonly unknown[]): Promise<QueryResult<Row>>;
  open<Row extends PlacedRow>(statement: LinesQuery<Row>, line: Line): Promise<Row>;
  /** Nobody waits for its outcome; where it fails so does whatever is asked next, and `onFault` is told at once. */
  askAhead(statement: Query | LinesQuery, values: readonly unknown[], onFault?: (fault: Error) => void): Promise<void>;
  /** @returns how many rows were written. */
  askLast(statement: Query | LinesQuery, values: readonly unknown[]): Promise<number>;
  afterCommit(then: () => void): void;
}

interface Open extends Corked {
  /** Why something that was asked ahead failed; the transaction has failed with it. */
  fault?: Error;
  /** It is being undone, or was ended: nothing more may be asked, as it would be done outside of it. */
  over?: true;
  /** What PostgreSQL says of the commit that went out with the last statement. */
  ended?: Promise<QueryResult>;
}

/** Runs `work` in a transaction of its own. */
export async function inTransaction<T>(
  { pool, ask, ambient }: { pool: Pool; ask: Ask; ambient: AsyncLocalStorage<Transaction> },
  work: () => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const open: Open = { client, held: false };
  const after: (() => void)[] = [];
  let broken: Error | undefined;
  let done: { result: T };
  try {
    ahead(open, () => client.query('begin'));
    const result = await ambient.run(transactionOn(open, ask, after), work);
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
  for (const then of after) then();
  return done.result;
}

function transactionOn(open: Open, ask: Ask, after: (() => void)[]): Transaction {
  const askOne: Transaction['ask'] = async (statement, values) => {
    try {
      const asked = ask(statement, values, sound(open, statement));
      letGo(open);
      return await asked;
    } catch (error) {
      throw open.fault ?? error;
    }
  };
  return {
    isShared: false,
    ask: askOne,
    async open(statement, line) {
      const { rows } = await askOne(statement, statement.valuesOf([line], true));
      if (rows[0] === undefined) throw new Error(`${statement.name} opened nothing`);
      return rows[0];
    },
    async askAhead(statement, values, onFault) {
      const client = sound(open, statement);
      ahead(open, () => ask(statement, valuesOf(statement, values), client), onFault);
      return Promise.resolve();
    },
    async askLast(statement, values) {
      const written = together(open.client, () => {
        const last = askOne(statement, valuesOf(statement, values));
        open.ended = open.client.query('commit');
        open.ended.catch(() => undefined);
        return last;
      });
      return (await written).rowCount ?? 0;
    },
    afterCommit: (then) => void after.push(then),
  };
}

/** The connection of a transaction that can still be asked. */
function sound({ client, ended, over }: Open, { name }: Query): PoolClient {
  if (ended ?? over) throw new Error(`${name} came after the end of its transaction`);
  return client;
}

/** PostgreSQL answers the commit of a failed transaction with a quiet rollback: some error was swallowed, or of what was asked ahead. */
async function committed(open: Open): Promise<void> {
  open.over = true;
  const ended = open.ended ?? open.client.query('commit');
  letGo(open);
  requireCommit(await ended, open.fault);
}

/** @throws where a commit was none: why, where that is known. */
export function requireCommit({ command }: QueryResult, fault?: Error): void {
  if (fault !== undefined) throw fault;
  if (command !== 'COMMIT') throw new Error('a failed transaction cannot be committed; nothing of it was kept');
}

/** A claim is one only where it was sent: so it leaves soon, even where nothing is asked after it. */
function ahead(open: Open, ask: () => Promise<unknown>, onFault?: (fault: Error) => void): void {
  hold(open);
  ask().catch((error: unknown) => {
    open.fault ??= error as Error;
    onFault?.(open.fault);
  });
}
