import { readFileSync } from 'node:fs';

let list: ReadonlySet<string> | undefined;

/** `identity` must be in lower case and NFKC. */
export function isCommonPassword(identity: string): boolean {
  list ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
  return list.has(identity);
}
