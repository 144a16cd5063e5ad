import { inspect, parseArgs, type ParseArgsConfig } from 'node:util';
import { ConfigError, readConfig } from '../../infra/config/index.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { EXIT_REFUSED } from '../../infra/config/settings.ts';
import { FaultsFoundError, UsageError } from './errors.ts';
import { operatorBy, type Given } from './given.ts';
import { inTerminal, type Terminal } from './terminal.ts';
import { sentenceOf } from '../../infra/process/foreseen.ts';
import { settingsHere } from './right-stack.ts';

export interface Outcome {
  stdout: string;
  stderr: string;
  exitCode: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Never throws: errors become a message and an exit code. Without a terminal, or with `--json`, prints JSON. */
export async function runCommand(
  args: readonly string[],
  env: Environment = process.env,
  terminal?: Terminal,
): Promise<Outcome> {
  if (args.length === 0) return { stdout: '', stderr: help(), exitCode: 2 };
  if (args.includes('--help') || args[0] === 'help') return { stdout: help(args), stderr: '', exitCode: 0 };
  const isJson = terminal === undefined || args.includes(JSON_FLAG);
  const printed = (reply: object, says?: string): string =>
    `${isJson ? JSON.stringify(reply) : inTerminal(reply, says, terminal)}\n`;
  try {
    const { name, command, rest } = findCommand(args.filter((word) => word !== JSON_FLAG));
    const given = readGiven(name, command, rest);
    const uses = command.uses ?? ['database'];
    const settings = await settingsHere(env, uses);
    const reply = await command.run(readConfig(settings, uses), given);
    return { stdout: printed(reply, command.says), stderr: '', exitCode: 0 };
  } catch (error) {
    const stdout = error instanceof FaultsFoundError ? printed(error.reply) : '';
    return {
      stdout,
      stderr: `${sentenceOf(error) ?? `Unexpected error: ${inspect(error)}`}\n`,
      exitCode: exitCodeOf(error),
    };
  }
}

const JSON_FLAG = '--json';

function findCommand(args: readonly string[]): { name: string; command: Command; rest: readonly string[] } {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(' ');
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command) return { name, command, rest: args.slice(words) };
  }
  const names = commandsFor(args).map(([name]) => name);
  throw new UsageError(
    `There is no command "${args.slice(0, 2).join(' ')}"; the commands are ${names.join(', ')}. See --help.`,
  );
}

function readGiven(name: string, command: Command, args: readonly string[]): Given {
  const { words = [], values = [], lists = [], flags = [] } = command;
  const how = `Usage: ${name} ${command.usage}`.trimEnd();
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of ['by', ...values]) options[option] = { type: 'string' };
  for (const option of lists) options[option] = { type: 'string', multiple: true };
  for (const option of flags) options[option] = { type: 'boolean' };
  const parsed = parsedOrRefused(args, options, how);
  if (parsed.positionals.length !== words.length) throw new UsageError(how);
  const found = new Map(Object.entries(parsed.values));
  return {
    operator: operatorBy(found.get('by') as string | undefined),
    words: parsed.positionals,
    option: (option) => found.get(option) as string | undefined,
    options: (option) => (found.get(option) ?? []) as string[],
    flag: (option) => found.get(option) === true,
  };
}

function parsedOrRefused(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>, how: string) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const what = error instanceof Error ? error.message.split(/[.\n]/, 1)[0]! : 'The options are not valid';
    throw new UsageError(`${what}. ${how}`);
  }
}

/** A missing schema gives 1, because EXIT_NOT_YET is for processes that a supervisor restarts. */
function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  return error instanceof ConfigError && error.exitCode === EXIT_REFUSED ? EXIT_REFUSED : 1;
}

/** Falls back to commands that begin with the first word, then to all commands. */
function commandsFor(args: readonly string[]): readonly (readonly [name: string, command: Command])[] {
  const words = args.filter((word) => word !== 'help' && !word.startsWith('-'));
  const all = Object.entries(COMMANDS);
  for (const start of [words.slice(0, 2).join(' '), words[0] ?? '']) {
    const some = all.filter(([name]) => name === start || name.startsWith(`${start} `));
    if (some.length > 0) return some;
  }
  return all;
}

const ABOUT = `npm run --silent admin -- COMMAND prints a table or a sentence in a terminal, and otherwise one JSON object.
Each command also takes --json, to print JSON in a terminal too, and --by NAME, to name you in the audit log. Without --by,
the audit log has the name of your login.`;

function help(args: readonly string[] = []): string {
  const lines = commandsFor(args).map(([name, { usage, does }]) => `  ${`${name} ${usage}`.trimEnd()}\n      ${does}`);
  return `${ABOUT}\n\n${lines.join('\n')}\n`;
}
