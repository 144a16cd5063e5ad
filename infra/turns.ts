import PQueue from 'p-queue';

interface Turns {
  /** Runs `work` after all earlier work of the same name. @throws the result of `tooMany` if too much is waiting. */
  take<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Keeps order in this process only, and occupies no database connection while work waits. */
export function createTurns({ most, tooMany }: { most: number; tooMany: () => Error }): Turns {
  const queues = new Map<string, PQueue>();
  return {
    async take(name, work) {
      const queue = queues.get(name) ?? new PQueue({ concurrency: 1 });
      if (queue.size >= most) throw tooMany();
      queues.set(name, queue);
      try {
        return await queue.add(work);
      } finally {
        if (queue.size === 0 && queue.pending === 0) queues.delete(name);
      }
    },
  };
}
