/** A command that was not understood; the sentence says how it is written. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that cannot be carried out, in a sentence for the operator. Exit code 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
