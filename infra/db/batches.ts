import { AsyncLocalStorage } from 'node:async_hooks';
import DataLoader from 'dataloader';

interface BatchLimits {
  most: number;
  /** The next batch starts after this time, even if the current batch still runs. */
  patienceMs: number;
}

/** Combines concurrent calls. `run` returns the results in order. An Error result rejects only that item's call. */
export function inBatches<Item, Result>(
  run: (items: readonly Item[]) => Promise<ArrayLike<Result | Error>>,
  { most, patienceMs }: BatchLimits,
): (item: Item) => Promise<Result> {
  // A batch serves many callers, so it must not run in one caller's trace.
  const outside = AsyncLocalStorage.snapshot();
  const waiting: (() => void)[] = [];
  let isRunning = false;
  const startNext = () => {
    const start = waiting.shift();
    isRunning = start !== undefined;
    // Node first reads the other requests that have arrived, so that their calls can join the batch.
    if (start) setImmediate(() => outside(start));
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
