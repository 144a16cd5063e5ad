import { AsyncLocalStorage } from 'node:async_hooks';
import { DomainError } from '../../domain/errors.ts';
import { inBatches } from './batches.ts';
import type { Result } from './connection.ts';
import type { AnyBatch, Entry, Placed, Query } from './query.ts';

const LIMITS = { most: 64, patienceMs: 20 };

type Execute = <Row>(query: Query<Row>) => Promise<Result<Row>>;
type Load = (values: unknown) => Promise<Placed[]>;

/** Reads entries of about the same moment by one query. None of them fails by the fault of another. */
export function loaderOf(execute: Execute) {
  const outside = AsyncLocalStorage.snapshot();
  const loaders = new Map<AnyBatch, Load>();
  return <Values, Row extends Placed>({ batch, values }: Entry<Values, Row>): Promise<Row[]> => {
    const load = loaders.get(batch) ?? outside(() => loadBy(execute, batch));
    loaders.set(batch, load);
    return load(values) as Promise<Row[]>;
  };
}

function loadBy(execute: Execute, batch: AnyBatch): Load {
  const rowsOf = async (entries: readonly unknown[]): Promise<Placed[][]> => {
    const rows: Placed[][] = entries.map(() => []);
    for (const row of (await execute(batch.all(entries as never[]))).rows as Placed[]) rows[row.place - 1]!.push(row);
    return rows;
  };
  const aloneOf = (entry: unknown) =>
    rowsOf([entry]).then(
      ([own]) => own!,
      (error: unknown) => (error instanceof Error ? error : new Error('a query failed')),
    );
  return inBatches<unknown, Placed[]>(async (entries) => {
    try {
      return await rowsOf(entries);
    } catch (error) {
      // A database that is away is so for everybody.
      if (entries.length === 1 || error instanceof DomainError) throw error;
      return Promise.all(entries.map(aloneOf));
    }
  }, LIMITS);
}
