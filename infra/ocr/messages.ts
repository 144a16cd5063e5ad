import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';

/** A request to the reading process. */
export interface Request {
  id: number;
  bytes: Uint8Array;
  hint: DocumentType | undefined;
}

/**
 * A message from the reading process: the reading began, ended, or was stopped by an internal error. A message in between
 * says that the file has no text, or gives the result of its text. In both cases its pictures are read next.
 */
export type Reply = { id: number } & (
  { began: true } | { pictures: true } | { soFar: ReadOutcome } | { outcome: ReadOutcome } | { fault: Fault }
);

/** An error's kind and place. Never its message, which might contain parts of the document. */
export interface Fault {
  name: string;
  at: string;
}

/** The process's settings, passed as its only argument. */
export interface ProcessSettings {
  parentPid: number;
  memoryMb: number;
  idleMs: number;
  /** After this much processor time for a document, OCR reads no further page of it. */
  budget: Budget;
}

/** Milliseconds of processor time, for a document with text and for one of pictures. */
export interface Budget {
  textMs: number;
  picturesMs: number;
}

/**
 * The signal by which the process ends itself when it exceeds its memory limit; it distinguishes this from every other
 * death.
 */
export const TOO_MUCH_MEMORY = 'SIGUSR2';
