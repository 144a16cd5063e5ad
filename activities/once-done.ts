import type { Services } from '../infra/services.ts';

/** The row is read again, because the notification of a change might be lost. */
const LOOK_AGAIN_MS = 2_000;

/** Returns the row as last read, even if the row is not done. */
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
