/** A small change that makes the money path wrong. `text` must occur exactly once in `file`. */
export interface Fault {
  /** What the faulty service would do. */
  name: string;
  file: string;
  text: string;
  replacement: string;
  /** Test files, without `.test.ts`, of which at least one must fail. */
  tests: readonly string[];
}

/** @throws Error unless `text` occurs exactly once, because the source has changed since the fault was written. */
export function plant({ name, file, text, replacement }: Fault, source: string): string {
  const found = source.split(text).length - 1;
  if (found !== 1) throw new Error(`"${name}": the text occurs ${found} times in ${file}. Update the fault.`);
  return source.replace(text, () => replacement);
}
