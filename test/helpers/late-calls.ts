import type { Query } from '../../infra/db/query.ts';
import type { Tx } from '../../infra/db/transaction.ts';

const CALLS: readonly ((tx: Tx, query: Query) => unknown)[] = [
  (tx, query) => tx.run(query),
  (tx, query) => tx.maybe(query),
  (tx, query) => tx.one(query),
  (tx, query) => tx.many(query),
  (tx) => tx.afterCommit(() => undefined),
  (tx) => tx.requireOpen(),
];

/** What each call that need not be awaited throws at once, or `accepted`. */
export function lateCalls(tx: Tx, query: Query): string[] {
  return CALLS.map((call) => {
    try {
      call(tx, query);
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  });
}

/** What `lateCalls` returns after the transaction has ended. */
export const ALL_REFUSED = CALLS.map(
  () => expect.stringMatching(/^\S.* was sent after its transaction ended$/) as string,
);
