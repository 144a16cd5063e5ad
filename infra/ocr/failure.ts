import type { ReadFailure } from '../../domain/legacy/reading.ts';

/** Why a file cannot be read: the message is a sentence for the person who sent it, without a word of what is in the file. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly code: ReadFailure;

  constructor(detail: string, code: ReadFailure = 'unreadable') {
    super(detail);
    this.code = code;
  }
}

/** The models are not there, or are not those that were tried: no document can be read by OCR. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** What is refused because reading it would cost more than a document may. */
export function tooComplex(): Unreadable {
  return new Unreadable(
    'The document holds more than any payslip does, so reading it was ended. Print the page to a new PDF, or take a picture of it, and send that.',
    'document-too-complex',
  );
}
