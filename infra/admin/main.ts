import '../process/environment.ts';
import { print } from '../process/output.ts';
import { runCommand } from './run.ts';

const { stdout, stderr, exitCode } = await runCommand(process.argv.slice(2));
const unprinted = (await print(2, stderr)) ?? (await print(1, stdout));
// The result might be a key that cannot be shown again.
if (unprinted !== undefined) await print(2, `The command ran, but its output could not be printed: ${unprinted}.\n`);
process.exitCode = unprinted === undefined ? exitCode : exitCode || 1;
