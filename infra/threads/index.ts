import { Piscina } from 'piscina';
import { DomainError, type ErrorCode, type ErrorExtra } from '../../domain/errors.ts';
import type { Config } from '../config/index.ts';
import { currentCaller } from './caller.ts';
import type { Task } from './task.ts';
import { createTurns } from './turns.ts';

export type Threads = ReturnType<typeof openThreads>;

export interface Job {
  module: string;
  name: string;
  input: unknown;
}
export type Outcome = { result: unknown } | { refusal: { code: ErrorCode; detail: string; extra: ErrorExtra } };

/** A thread with a larger heap than `MOST_MEMORY_MB` ends, and its calculation fails. */
const IDLE_MS = 60_000;
const MOST_MEMORY_MB = 128;
/** A larger young generation would only keep more garbage in memory. */
const YOUNG_MB = 4;
const RETRY_AFTER_S = 2;

export function openThreads({ count, queued, queuedOfCaller }: Config['threads']) {
  // Not a queue of Piscina's: it passes by that queue when a thread is idle, and puts what found no thread at its end.
  const turns = createTurns({ atOnce: count, waiting: queued, waitingOfCaller: queuedOfCaller, tooMany: tooBusy });
  const threads = new Piscina<Job, Outcome>({
    filename: new URL('thread.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: count,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  return {
    /** @throws the error of the calculation, or DomainError `dependency-unavailable` if too much is waiting. */
    async run<Input, Output>({ module, name }: Task<Input, Output>, input: Input) {
      const outcome = await turns.run(currentCaller(), () => threads.run({ module, name, input }));
      if ('result' in outcome) return outcome.result as Output;
      throw new DomainError(outcome.refusal.code, outcome.refusal.detail, outcome.refusal.extra);
    },
    close: () => threads.destroy(),
  };
}

function tooBusy(): DomainError {
  return new DomainError(
    'dependency-unavailable',
    'Too many long calculations are already waiting. Try again in a moment.',
    { dependency: 'threads', retry_after: RETRY_AFTER_S },
  );
}
