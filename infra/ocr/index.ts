import { DomainError } from '../../domain/errors.ts';
import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';
import type { ReaderConfig } from '../config.ts';
import { ModelError, tooComplex, type Unreadable } from './failure.ts';
import { startReaderProcess, type Attempt, type Fault, type ReaderProcess } from './child.ts';

/** A document to be read: a file, and the type that its sender states. */
export interface DocumentToRead {
  bytes: Uint8Array;
  hint?: DocumentType | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Reads payslips, P60s and P45s in a separate process, one after another. Survives whatever a document makes that
 * process do.
 */
export interface DocumentReader {
  /** The reading process; undefined while there is none. */
  readonly pid: number | undefined;
  /**
   * An unreadable document is an outcome, not an error. @throws DomainError `dependency-unavailable` if the process
   * cannot be started; the signal's reason; Error for an internal error.
   */
  read(document: DocumentToRead): Promise<ReadOutcome>;
  /** Ends the process and waits until it is gone; current readings fail. */
  close(): Promise<void>;
}

const RETRY_AFTER_S = 5;
/** One with the existing process, which may have just ended or be full of other documents; one with a fresh process. */
const ATTEMPTS = 2;

/**
 * @returns a reader that starts its process at the first document. It reports documents that crashed it to `onFault`.
 */
export function openReader(config: ReaderConfig, onFault: (fault: Fault) => void = () => {}): DocumentReader {
  const closing = new AbortController();
  let running: ReaderProcess | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const attempt = async ({ bytes, hint, signal }: DocumentToRead): Promise<Attempt> => {
    if (running?.isAlive !== true) {
      await running?.end();
      closing.signal.throwIfAborted();
      running = startReaderProcess(config);
    }
    return running.read({ bytes, hint, signal });
  };
  const readNow = async (document: DocumentToRead): Promise<ReadOutcome> => {
    for (let tried = 0; tried < ATTEMPTS; tried += 1) {
      const isUsed = running?.isAlive === true;
      const attempted = await attempt(document);
      closing.signal.throwIfAborted();
      if (attempted.kind === 'fault') onFault(attempted.fault);
      const settled = settledBy(attempted, isUsed, config);
      if (settled !== 'again') return settled;
    }
    throw unavailable('The process that reads documents could not be started. Try again in a moment.');
  };
  return {
    get pid() {
      return running?.isAlive === true ? running.pid : undefined;
    },
    async read(document) {
      closing.signal.throwIfAborted();
      document.signal?.throwIfAborted();
      const before = turn;
      const { promise: done, resolve: finish } = Promise.withResolvers<undefined>();
      turn = before.then(() => done);
      try {
        await untilTurn(before, [document.signal, closing.signal]);
        return await readNow(document);
      } finally {
        finish(undefined);
      }
    },
    async close() {
      closing.abort(new Error('The document reader was closed.'));
      await running?.end();
      await turn;
    },
  };
}

/** Waits for its turn, or until one of the signals aborts. */
async function untilTurn(before: Promise<unknown>, signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  const any = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(any.reason as Error);
  any.addEventListener('abort', abort);
  try {
    await Promise.race([before, aborted]);
    any.throwIfAborted();
  } finally {
    any.removeEventListener('abort', abort);
  }
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
      return unreadable(`this took longer than ${timeoutMs / 1000} seconds`);
    case 'died':
      // Memory left over from earlier documents may have caused the excess.
      if (!attempt.began || (isUsed && attempt.tooMuchMemory)) return 'again';
      return unreadable(
        attempt.tooMuchMemory ? `this needs more than ${memoryMb} MB of memory` : 'it crashed the document reader',
      );
  }
}

function failedBy({ code, message }: Unreadable): ReadOutcome {
  return { kind: 'failed', code, detail: message };
}

function unreadable(why: string): ReadOutcome {
  return {
    kind: 'failed',
    code: 'unreadable',
    detail: `The service stopped reading the file, because ${why}. Print the page to a new PDF or take a picture of the page, and send that file.`,
  };
}

function unavailable(detail: string): DomainError {
  return new DomainError('dependency-unavailable', detail, {
    dependency: 'document reader',
    retry_after: RETRY_AFTER_S,
  });
}
