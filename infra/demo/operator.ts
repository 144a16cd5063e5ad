import { runCommand } from '../admin/run.ts';
import { DemoError } from './expect.ts';
import type { Stage } from './stage.ts';

export async function issueKey(stage: Stage, scopes: string): Promise<string> {
  stage.appId ??= String((await command(stage, 'app', 'create', '--name', 'Demo')).app_id);
  const { key } = await command(stage, 'key', 'create', '--app', stage.appId, '--scopes', scopes);
  return String(key);
}

export async function command({ teller }: Pick<Stage, 'teller'>, ...args: string[]): Promise<Record<string, unknown>> {
  teller.line(`    $ npm run admin -- ${args.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`);
  const { stdout, stderr, exitCode } = await runCommand(args);
  if (exitCode !== 0) throw new DemoError(`The command "${args.join(' ')}" failed: ${stderr.trim()}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
