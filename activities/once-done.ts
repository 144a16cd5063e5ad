import type { Services } from '../infra/services.ts';

/** How often the row is read again, in milliseconds, in case the notification of a change was lost. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Reads the row with this id until it is done, the time is up, or the caller has disconnected.
 * @returns the row as last read.
 */
export async function onceDone<Row>(
  { changes }: Pick<Services, 'changes'>,
  id: string,
  given: {
    read: () => Promise<Row>;
    isDone: (row: Row) => boolean;
    withinMs: number;
    signal?: AbortSignal | undefined;
  },
): Promise<Row> {
  const deadline = performance.now() + given.withinMs;
  const watch = await changes.watch(id);
  try {
    for (;;) {
      const row = await given.read();
      const left = deadline - performance.now();
      if (given.isDone(row) || left <= 0 || given.signal?.aborted) return row;
      await watch.next(Math.min(left, LOOK_AGAIN_MS));
    }
  } finally {
    watch.stop();
  }
}
