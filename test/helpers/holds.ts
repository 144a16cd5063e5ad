export const say = (line: string) => process.stderr.write(`${line}\n`);

/** Prints the name of a check. @throws if `held` is false. */
export function holds(what: string, held: boolean): void {
  if (!held) throw new Error(`${what}: no`);
  say(`  ${what}`);
}
