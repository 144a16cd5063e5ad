import { AsyncLocalStorage } from 'node:async_hooks';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface BatchLimits {
  /** Items in one batch. */
  most: number;
  /** A batch that takes longer lets the next one start beside it. Milliseconds. */
  patienceMs: number;
}

/**
 * Runs work for many callers at once. Whoever calls while a batch runs joins the next one, and nobody waits where none runs.
 * @param run gives the result of each item, in their order
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most, patienceMs }: BatchLimits,
): (item: Item) => Promise<Result> {
  // A batch belongs to none of its callers: it must not run in a transaction or a trace of theirs.
  const outside = AsyncLocalStorage.snapshot();
  let waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  const start = () => {
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    isRunning = batch.length > 0;
    if (!isRunning) return;
    let isFollowed = false;
    const startNext = () => {
      if (isFollowed) return;
      isFollowed = true;
      clearTimeout(patience);
      start();
    };
    const patience = setTimeout(startNext, patienceMs);
    run(batch.map(({ item }) => item)).then(
      (results) => {
        // The next batch is on its way before callers go on.
        startNext();
        batch.forEach(({ resolve }, index) => resolve(results[index]!));
      },
      (error: unknown) => {
        startNext();
        for (const { reject } of batch) reject(error);
      },
    );
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // All who call within the same turn share the batch.
      queueMicrotask(() => outside(start));
    });
}
