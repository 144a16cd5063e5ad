import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';

type InTransaction = (tx: Tx, services: never, ...given: never[]) => unknown;

type Bound<Activities> = {
  readonly [Name in keyof Activities]: Activities[Name] extends (
    tx: Tx,
    services: never,
    ...given: infer Given
  ) => Promise<infer Result>
    ? (...given: Given) => Promise<Result>
    : never;
};

/** Binds activities that take a transaction. Each call runs in a transaction of its own. */
export function inTransactions<Activities extends Record<string, InTransaction>>(
  services: Services,
  activities: Activities,
): Bound<Activities> {
  const bound = Object.entries(activities).map(([name, activity]) => {
    const run = activity as unknown as (tx: Tx, services: Services, ...given: unknown[]) => Promise<unknown>;
    return [name, (...given: unknown[]) => services.db.transaction((tx) => run(tx, services, ...given))];
  });
  return Object.fromEntries(bound) as Bound<Activities>;
}

/** Prepares a request unless it is `ready`, and then runs it in a transaction of its own. */
export function afterPreparing<Request, Prepared, Result>(
  services: Services,
  prepare: (services: Services, request: Request) => Promise<Prepared>,
  run: (tx: Tx, services: Services, request: Request, prepared: Prepared) => Promise<Result>,
): (request: Request, ready?: Prepared) => Promise<Result> {
  return async (request, ready) => {
    const prepared = ready ?? (await prepare(services, request));
    return services.db.transaction((tx) => run(tx, services, request, prepared));
  };
}
