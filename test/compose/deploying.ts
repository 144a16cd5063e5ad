import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../DEPLOYING.md', import.meta.url);

/** Returns the lines of the first code block under a heading of DEPLOYING.md. @throws if there is none. */
export function commandsUnder(heading: string): string[] {
  const [, section] = readFileSync(DOCUMENT, 'utf8').split(`\n## ${heading}\n`);
  const [, indent, block] = /^( *)```sh\n([\s\S]*?)^ *```/m.exec(section?.split('\n## ')[0] ?? '') ?? [];
  if (block === undefined) throw new Error(`DEPLOYING.md has no commands under "${heading}".`);
  return block
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(indent!.length));
}

/**
 * Splits lines at the first line that starts with `beginning`, and leaves this line out. @throws if there is no such
 * line.
 */
export function parted(lines: readonly string[], beginning: string): [string[], string[]] {
  const at = lines.findIndex((line) => line.startsWith(beginning));
  if (at === -1) throw new Error(`DEPLOYING.md has no line that begins with "${beginning}".`);
  return [lines.slice(0, at), lines.slice(at + 1)];
}

/** Returns the given command. @throws if DEPLOYING.md does not contain it. */
export function documented(command: string): string {
  if (!readFileSync(DOCUMENT, 'utf8').includes(`\`${command}\``))
    throw new Error(`DEPLOYING.md does not contain "${command}".`);
  return command;
}
