import type { ReadFailure, ReadOutcome } from '../../domain/legacy/reading.ts';

/** The message is for the person who sent the file, and repeats nothing from the file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly code: ReadFailure;

  constructor(detail: string, code: ReadFailure = 'unreadable') {
    super(detail);
    this.code = code;
  }
}

export function failedBy({ code, message }: Unreadable): ReadOutcome {
  return { kind: 'failed', code, detail: message };
}

/** A model file is missing or is not the tested version, so OCR cannot read any document. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

export function tooComplex(): Unreadable {
  return new Unreadable(
    'The document contains far more than a payslip, so the service stopped reading it. Print the page to a new PDF or take a picture of the page, and send that file.',
    'document-too-complex',
  );
}
