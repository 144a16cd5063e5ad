import PQueue from 'p-queue';

/** Keeps order in this process only, and occupies no database connection while work waits. */
export function createKeyedQueue({ most, tooMany }: { most: number; tooMany: () => Error }) {
  const queues = new Map<string, PQueue>();
  return {
    /** Runs `work` after all earlier work of the same key. @throws the result of `tooMany` if too much is waiting. */
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const queue = queues.get(key) ?? new PQueue({ concurrency: 1 });
      if (queue.size >= most) throw tooMany();
      queues.set(key, queue);
      try {
        return await queue.add(work);
      } finally {
        if (queue.size === 0 && queue.pending === 0) queues.delete(key);
      }
    },
  };
}
