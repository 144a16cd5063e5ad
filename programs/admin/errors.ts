import { Foreseen } from '../../infra/process/foreseen.ts';

/** The command line is wrong. The exit code is 2. */
export class UsageError extends Foreseen {
  override readonly name = 'UsageError';
}

/** The command failed. The exit code is 1. */
export class OperatorError extends Foreseen {
  override readonly name = 'OperatorError';
}

/** The command prints `reply` and the message. The exit code is 1. */
export class FaultsFoundError extends OperatorError {
  readonly reply: object;

  constructor(message: string, reply: object) {
    super(message);
    this.reply = reply;
  }
}
