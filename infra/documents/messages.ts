import type { DocumentType, ReadOutcome } from '../../domain/legacy/reading.ts';

/** `hint` is the type of document that the uploader states. */
export interface Request {
  bytes: Uint8Array;
  hint?: DocumentType | undefined;
}

export interface DocumentToRead extends Request {
  signal?: AbortSignal | undefined;
}

/** `pictures`: the file has no text. `soFar`: the result from the text, before other pages are read. */
export type Reply =
  { began: true } | { pictures: true } | { soFar: ReadOutcome } | { outcome: ReadOutcome } | { fault: Fault };

/** An error's message might quote the document, so a fault has only the error's name and stack frames. */
export interface Fault {
  name: string;
  at: string;
}

export interface ProcessSettings {
  parentPid: number;
  memoryMb: number;
  idleMs: number;
  /** After this much processor time for a document, OCR reads no further page. */
  budget: Budget;
}

/** In milliseconds: for a document with text, and for one of images only. */
export interface Budget {
  textMs: number;
  picturesMs: number;
}

/** Nothing else ends the reading process with this signal. */
export const TOO_MUCH_MEMORY = 'SIGUSR2';
