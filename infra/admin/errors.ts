/** The command line is wrong; the message shows the correct usage. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command failed; the message tells the operator why. Exit code 1. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** A check found faults, which `reply` lists. The command prints `reply` and the message. Exit code 1. */
export class FaultsFoundError extends OperatorError {
  readonly reply: object;

  constructor(message: string, reply: object) {
    super(message);
    this.reply = reply;
  }
}
