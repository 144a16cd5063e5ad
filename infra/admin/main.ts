import { whenUnread } from '../process/unread-output.ts';
import { runCommand } from './run.ts';

whenUnread();
const { stdout, stderr, exitCode } = await runCommand(process.argv.slice(2));
process.stderr.write(stderr);
process.stdout.write(stdout);
process.exitCode = exitCode;
