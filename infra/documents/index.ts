import PQueue from 'p-queue';
import { DomainError } from '../../domain/errors.ts';
import type { ReadOutcome } from '../../domain/legacy/reading.ts';
import type { ReaderConfig } from '../config/index.ts';
import { failedBy, ModelError, tooComplex } from './failure.ts';
import { startReaderProcess, type Attempt, type ReaderProcess } from './child.ts';
import type { DocumentToRead, Fault } from './messages.ts';

/** Reads one document at a time in a separate process. After a crash, a new process reads the next document. */
export interface DocumentReader {
  /** Undefined if no process runs. */
  readonly pid: number | undefined;
  /** An unreadable document is an outcome. @throws DomainError `dependency-unavailable` if no process starts. */
  read(document: DocumentToRead): Promise<ReadOutcome>;
  /** Waits until the process is gone. Readings in progress fail. */
  close(): Promise<void>;
}

const RETRY_AFTER_S = 5;
/** The running process may be ending or short of memory, so a second attempt starts a new process. */
const ATTEMPTS = 2;

/**
 * The process, which runs `program`, starts with the first document. `onFault` gets internal errors of a reading, and
 * deaths of the process.
 */
export function openReader(
  config: ReaderConfig,
  program: URL,
  onFault: (fault: Fault) => void = () => {},
): DocumentReader {
  const queue = new PQueue({ concurrency: 1 });
  const closing = new AbortController();
  let running: ReaderProcess | undefined;

  const attempt = async (document: DocumentToRead): Promise<Attempt> => {
    if (running?.isAlive !== true) {
      await running?.end();
      closing.signal.throwIfAborted();
      running = startReaderProcess(config, program);
    }
    return running.read(document);
  };
  const readNow = async (document: DocumentToRead): Promise<ReadOutcome> => {
    closing.signal.throwIfAborted();
    document.signal?.throwIfAborted();
    for (let tried = 0; tried < ATTEMPTS; tried += 1) {
      const isUsed = running?.isAlive === true;
      const attempted = await attempt(document);
      closing.signal.throwIfAborted();
      if (attempted.kind === 'fault') onFault(attempted.fault);
      const settled = settledBy(attempted, isUsed, config);
      if (settled === 'again') continue;
      if (attempted.kind === 'died')
        onFault({ name: 'ReaderDied', at: attempted.tooMuchMemory ? 'memory' : 'unknown' });
      return settled;
    }
    throw notStarted();
  };
  return {
    get pid() {
      return running?.isAlive === true ? running.pid : undefined;
    },
    read: (document) => queue.add(() => readNow(document)),
    async close() {
      closing.abort(new Error('The document reader was closed.'));
      await running?.end();
      await queue.onIdle();
    },
  };
}

export function notStarted(): DomainError {
  const detail = 'The process that reads documents could not be started. Try again in a moment.';
  return new DomainError('dependency-unavailable', detail, {
    dependency: 'document reader',
    retry_after: RETRY_AFTER_S,
  });
}

function settledBy(attempt: Attempt, isUsed: boolean, { memoryMb, timeoutMs }: ReaderConfig): ReadOutcome | 'again' {
  switch (attempt.kind) {
    case 'outcome':
      return attempt.outcome;
    case 'fault':
      if (attempt.fault.name === ModelError.name) throw new Error('The models of the document reader cannot be used.');
      return unreadable('it crashed the document reader');
    case 'too-costly':
      if (attempt.soFar?.kind === 'read') return attempt.soFar;
      return failedBy(tooComplex());
    case 'timed-out':
      return unreadable(`reading it took longer than ${timeoutMs / 1000} seconds`);
    case 'died':
      // Try again: memory left over from earlier documents may have caused the excess.
      if (!attempt.began || (isUsed && attempt.tooMuchMemory)) return 'again';
      return unreadable(
        attempt.tooMuchMemory
          ? `reading it needs more than ${memoryMb} MB of memory`
          : 'it crashed the document reader',
      );
  }
}

function unreadable(why: string): ReadOutcome {
  return {
    kind: 'failed',
    code: 'unreadable',
    detail: `The service stopped reading the file, because ${why}. Print the page to a new PDF or take a picture of the page, and send that file.`,
  };
}
