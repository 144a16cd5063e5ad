import type { Database } from '../../infra/db/database.ts';
import { queryOf, type Statement } from '../../infra/db/query.ts';
import type { InTransaction, Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';

type Way = 'one' | 'maybe' | 'many' | 'run';

interface Watch {
  /** Called before each query, which waits for a returned promise. */
  query?: (name: string, way: Way) => void | Promise<void>;
  /** Called before each commit. A rejected promise rolls the transaction back. */
  commit?: () => Promise<void>;
}

const WAYS: readonly PropertyKey[] = ['one', 'maybe', 'many', 'run'] satisfies Way[];

/** The same services, whose database reports queries and commits. */
export function watched(services: Services, watch: Watch): Services {
  const { db } = services;
  const inWatched =
    (transaction: InTransaction): InTransaction =>
    (work) =>
      transaction(async (tx) => {
        const result = await work(watchedQueries<Tx>(tx, watch));
        await watch.commit?.();
        return result;
      });
  const transactions: Pick<Database, 'transaction' | 'groupTransaction'> = {
    transaction: inWatched((work) => db.transaction(work)),
    groupTransaction: inWatched((work) => db.groupTransaction(work)),
  };
  return replaced(services, { db: replaced(watchedQueries<Database>(db, watch), transactions) });
}

function watchedQueries<On extends object>(on: On, { query }: Watch): On {
  return new Proxy(on, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      if (query === undefined || !WAYS.includes(name)) return method;
      return (statement: Statement<unknown>) => {
        const wait = query(queryOf(statement).name, name as Way);
        return wait === undefined ? method(statement) : wait.then(() => method(statement));
      };
    },
  });
}

function replaced<T extends object>(all: T, parts: Partial<T>): T {
  return new Proxy(all, {
    get: (target, name) => Reflect.get(Reflect.has(parts, name) ? parts : target, name) as unknown,
  });
}
