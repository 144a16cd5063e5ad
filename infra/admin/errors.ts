/** The command line is wrong. The message shows the correct usage, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed. The message tells the operator why, and the exit code is 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** A check found faults, which `reply` lists. The command prints `reply` and the message, and the exit code is 1. */
export class FaultsFoundError extends OperatorError {
  readonly reply: object;

  constructor(message: string, reply: object) {
    super(message);
    this.reply = reply;
  }
}
