import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';

export interface Request {
  id: number;
  bytes: Uint8Array;
  hint: DocumentType | undefined;
}

/**
 * A message from the reading process. `pictures`: the file has no text, so OCR reads its images. `soFar`: the result
 * from the text, before the remaining pages are read.
 */
export type Reply = { id: number } & (
  { began: true } | { pictures: true } | { soFar: ReadOutcome } | { outcome: ReadOutcome } | { fault: Fault }
);

/** The kind of an error and its place in the code. The error's message might quote the document, so it is left out. */
export interface Fault {
  name: string;
  at: string;
}

/** The settings of the reading process, passed as its only argument. */
export interface ProcessSettings {
  parentPid: number;
  memoryMb: number;
  idleMs: number;
  /** After this much processor time for a document, OCR reads no further page. */
  budget: Budget;
}

/** Limits of processor time for a document, in milliseconds: for one with text, and for one of images only. */
export interface Budget {
  textMs: number;
  picturesMs: number;
}

/**
 * The reading process ends itself with this signal if it exceeds its memory limit. Nothing else ends the process with
 * this signal.
 */
export const TOO_MUCH_MEMORY = 'SIGUSR2';
