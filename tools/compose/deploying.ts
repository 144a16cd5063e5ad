import { readFileSync } from 'node:fs';

const read = (page: string) => readFileSync(new URL(`../../docs/operate/${page}`, import.meta.url), 'utf8');

/** Returns the lines of the first code block under a heading of a page in docs/operate/. */
export function commandsUnder(page: string, heading: string): string[] {
  const [, section] = read(page).split(`\n## ${heading}\n`);
  const [, indent, block] = /^( *)```sh\n([\s\S]*?)^ *```/m.exec(section?.split('\n## ')[0] ?? '') ?? [];
  if (block === undefined) throw new Error(`${page} has no commands under "${heading}".`);
  return block
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(indent!.length));
}

/** Leaves out the line that starts with `beginning`. */
export function parted(lines: readonly string[], beginning: string): [string[], string[]] {
  const at = lines.findIndex((line) => line.startsWith(beginning));
  if (at === -1) throw new Error(`No documented command begins with "${beginning}".`);
  return [lines.slice(0, at), lines.slice(at + 1)];
}

/** @throws if docs/operate/deploying.md does not contain the command */
export function documented(command: string): string {
  if (!read('deploying.md').includes(`\`${command}\``)) throw new Error(`deploying.md does not contain "${command}".`);
  return command;
}
