export const say = (line: string) => process.stderr.write(`${line}\n`);

export function holds(what: string, held: boolean): void {
  if (!held) throw new Error(`${what}: no`);
  say(`  ${what}`);
}
