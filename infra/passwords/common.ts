import { readFileSync } from 'node:fs';

let list: ReadonlySet<string> | undefined;

/** Whether `common-passwords.txt` contains a password, which must be in lower case and NFKC. */
export function isCommonPassword(identity: string): boolean {
  list ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
  return list.has(identity);
}
