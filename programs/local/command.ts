import { inspect, parseArgs } from 'node:util';
import { exitCodeOf } from '../../infra/config/settings.ts';
import { sentenceOf } from '../../infra/process/foreseen.ts';

/** The one argument. If there is none or more, prints the usage, and exits with 2. */
export function fileGiven(usage: string): string {
  try {
    const { positionals } = parseArgs({ allowPositionals: true });
    if (positionals.length === 1) return positionals[0]!;
  } catch {
    // An unknown option gets the usage too.
  }
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}

/** Runs this process's work, and exits. */
export async function runHere(work: (log: (line: string) => void) => Promise<void>): Promise<never> {
  try {
    await work((line) => process.stdout.write(`${line}\n`));
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error) ?? inspect(error)}\n`);
    process.exit(exitCodeOf(error));
  }
}
