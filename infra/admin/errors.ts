/** The command line is wrong; the message shows the correct usage. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message tells the operator why. Exit code 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
