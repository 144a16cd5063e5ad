/** Reports progress. */
export const say = (line: string) => process.stderr.write(`${line}\n`);

/** Reports that it holds. @throws if it does not. */
export function holds(what: string, held: boolean): void {
  if (!held) throw new Error(`${what}: no`);
  say(`  ${what}`);
}
