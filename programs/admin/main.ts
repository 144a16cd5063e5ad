import '../../infra/process/environment.ts';
import { isUnread, print, reasonOf } from '../../infra/process/output.ts';
import { runCommand } from './run.ts';

const { isTTY, columns } = process.stdout;
// A terminal that does not know its width has none.
const terminal = isTTY ? { columns: columns || 80 } : undefined;
const { stdout, stderr, exitCode } = await runCommand(process.argv.slice(2), process.env, terminal);
process.exitCode = exitCode;
const failed = (await print(2, stderr)) ?? (await print(1, stdout));
if (failed !== undefined && !isUnread(failed)) {
  // The result might be a key that cannot be shown again.
  await print(2, `The command ran, but its output could not be printed: ${reasonOf(failed)}.\n`);
  process.exitCode ||= 1;
}
// Does not wait for a connection on which pg could not sign in: pg leaves it open, and PostgreSQL ends it after a minute.
process.exit();
