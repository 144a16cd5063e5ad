/** Says what is going on. */
export const say = (line: string) => process.stderr.write(`${line}\n`);

/** Says that it holds. @throws when it does not. */
export function holds(what: string, held: boolean): void {
  if (!held) throw new Error(`${what}: no`);
  say(`  ${what}`);
}
