import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';

/** What the reader's process is asked. */
export interface Request {
  id: number;
  bytes: Uint8Array;
  hint: DocumentType | undefined;
}

/**
 * What it says: that it began, how the reading ended, or which fault of ours stopped it. Between them, that there is no text and pictures are
 * read, or what the text says before pictures are looked at as well.
 */
export type Reply = { id: number } & (
  { began: true } | { pictures: true } | { soFar: ReadOutcome } | { outcome: ReadOutcome } | { fault: Fault }
);

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
  /** After so much processor time of a document no further page of it is read by OCR. */
  budget: Budget;
}

/** Milliseconds of processor time, for a document with text and for one of pictures. */
export interface Budget {
  textMs: number;
  picturesMs: number;
}

/** How the process ends itself when it holds more memory than it may: told apart from every other death by the signal. */
export const TOO_MUCH_MEMORY = 'SIGUSR2';
