import { readFileSync } from 'node:fs';

const DOCUMENT = new URL('../../DEPLOYING.md', import.meta.url);

/** Returns the lines of the first code block under a heading of DEPLOYING.md. */
export function commandsUnder(heading: string): string[] {
  const [, section] = readFileSync(DOCUMENT, 'utf8').split(`\n## ${heading}\n`);
  const [, indent, block] = /^( *)```sh\n([\s\S]*?)^ *```/m.exec(section?.split('\n## ')[0] ?? '') ?? [];
  if (block === undefined) throw new Error(`DEPLOYING.md has no commands under "${heading}".`);
  return block
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(indent!.length));
}

/** Leaves out the line that starts with `beginning`. */
export function parted(lines: readonly string[], beginning: string): [string[], string[]] {
  const at = lines.findIndex((line) => line.startsWith(beginning));
  if (at === -1) throw new Error(`DEPLOYING.md has no line that begins with "${beginning}".`);
  return [lines.slice(0, at), lines.slice(at + 1)];
}

/** @throws if DEPLOYING.md does not contain the command */
export function documented(command: string): string {
  if (!readFileSync(DOCUMENT, 'utf8').includes(`\`${command}\``))
    throw new Error(`DEPLOYING.md does not contain "${command}".`);
  return command;
}
