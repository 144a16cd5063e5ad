import type { ReadFailure } from '../../domain/legacy/reading.ts';

/** A file that cannot be read. The message is a sentence for its sender, and contains nothing from the file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly code: ReadFailure;

  constructor(detail: string, code: ReadFailure = 'unreadable') {
    super(detail);
    this.code = code;
  }
}

/** The models are missing, or are not the tested ones: OCR cannot read any document. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** The refusal of a document that would cost too much to read. */
export function tooComplex(): Unreadable {
  return new Unreadable(
    'The document contains far more than a payslip, so the service stopped reading it. Print the page to a new PDF or take a picture of the page, and send that file.',
    'document-too-complex',
  );
}
