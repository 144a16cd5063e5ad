import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../domain/errors.ts';
import { inBatches } from './batches.ts';
import type { Result } from './connection.ts';
import type { Batch, Entry, Numbered, Query } from './query.ts';

const LIMITS = { most: 64, patienceMs: 20 };

type Execute = <Row>(query: Query<Row>) => Promise<Result<Row>>;
type AnyBatch = Batch<unknown>;
type LoadOf = (values: unknown) => Promise<unknown>;

export type Load = <Row>(entry: Entry<Row>) => Promise<Row | undefined>;

/** Combines concurrent reads into one query. If the query fails, reads each entry alone. */
export function loaderOf(execute: Execute): Load {
  // The first caller's trace must not get the queries of later callers.
  const outside = AsyncLocalStorage.snapshot();
  const loaders = new Map<AnyBatch, LoadOf>();
  return <Row>({ batch, values }: Entry<Row>): Promise<Row | undefined> => {
    const load = loaders.get(batch) ?? outside(() => loadBy(execute, batch));
    loaders.set(batch, load);
    return load(values) as Promise<Row | undefined>;
  };
}

function loadBy(execute: Execute, batch: AnyBatch): LoadOf {
  const rowsOf = async (entries: readonly unknown[]): Promise<unknown[]> => {
    const { rows } = await execute(batch.all(entries as never[]));
    const byOrdinal = new Map((rows as Numbered[]).map((row) => [row.ordinal, row]));
    return entries.map((_, index) => byOrdinal.get(index + 1));
  };
  const alone = (entry: unknown) =>
    rowsOf([entry]).then(
      ([row]) => row,
      (error: unknown) => (error instanceof Error ? error : new Error('a query failed')),
    );
  return inBatches<unknown, unknown>(async (entries) => {
    try {
      return await rowsOf(entries);
    } catch (error) {
      // Single reads cannot help if the database is unreachable.
      if (entries.length === 1 || error instanceof DomainError) throw error;
      return Promise.all(entries.map(alone));
    }
  }, LIMITS);
}
