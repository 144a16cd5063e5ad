import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';

/** What the reader's process is asked. */
export interface Request {
  id: number;
  bytes: Uint8Array;
  hint: DocumentType | undefined;
}

/** What it says: that it began, how the reading ended, or which fault of ours stopped it. */
export type Reply = { id: number; began: true } | { id: number; outcome: ReadOutcome } | { id: number; fault: Fault };

/** An error's kind and where it was; never its message, which might tell of the document. */
export interface Fault {
  name: string;
  at: string;
}

/** What the process is told at its start, as its one argument. */
export interface ProcessSettings {
  parentPid: number;
  memoryMb: number;
  idleMs: number;
  /** After so many milliseconds of a document no further page is read by OCR. */
  budgetMs: number;
}

/** How the process ends itself when it holds more memory than it may: told apart from every other death by the signal. */
export const TOO_MUCH_MEMORY = 'SIGUSR2';
