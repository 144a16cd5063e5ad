import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';

interface BatchLimits {
  /** The maximum number of items in a batch. */
  most: number;
  /** After this many milliseconds the next batch starts, even if the previous batch still runs. */
  patienceMs: number;
}

/**
 * Collects the items of concurrent callers into batches. While a batch runs, new calls join the next batch.
 * @param run returns the result of each item, in order. An Error as a result is thrown to that item's caller only.
 */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<ArrayLike<Result | Error>>,
  { most, patienceMs }: BatchLimits,
): (item: Item) => Promise<Result> {
  // A batch serves many callers, so it must not run in one caller's transaction or trace.
  const outside = AsyncLocalStorage.snapshot();
  const waiting: (() => void)[] = [];
  let isRunning = false;
  const startNext = () => {
    const start = waiting.shift();
    isRunning = start !== undefined;
    // Calls from the same turn of the event loop share a batch.
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
