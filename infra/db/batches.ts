import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';

export interface BatchLimits {
  /** Items in one batch. */
  most: number;
  /** The next batch starts after this many milliseconds, even if the previous one still runs. */
  patienceMs: number;
}

/**
 * Runs work for many callers at once, by DataLoader. Calls during a batch join the next one. If no batch runs, a call
 * starts one at once.
 * @param run returns the result of each item, in their order; an Error is thrown only to that item's caller
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<ArrayLike<Result | Error>>,
  { most, patienceMs }: BatchLimits,
): (item: Item) => Promise<Result> {
  // A batch does not belong to any caller: it must not run in a caller's transaction or trace.
  const outside = AsyncLocalStorage.snapshot();
  const waiting: (() => void)[] = [];
  let isRunning = false;
  const startNext = () => {
    const start = waiting.shift();
    isRunning = start !== undefined;
    // All calls of one turn of the event loop share the batch.
    if (start) queueMicrotask(() => outside(start));
  };
  const loader = new DataLoader<Item, Result>(
    async (items) => {
      let isFollowed = false;
      const followed = () => {
        if (isFollowed) return;
        isFollowed = true;
        clearTimeout(patience);
        startNext();
      };
      const patience = setTimeout(followed, patienceMs);
      try {
        return await run(items);
      } finally {
        followed();
      }
    },
    {
      cache: false,
      maxBatchSize: most,
      batchScheduleFn(start) {
        waiting.push(start);
        if (!isRunning) startNext();
      },
    },
  );
  return (item) => loader.load(item);
}
