import { readFileSync } from 'node:fs';

let list: ReadonlySet<string> | undefined;

/**
 * Whether a password (in lower case, NFKC) is one of the common ones that attackers try first: `common-passwords.txt`.
 */
export function isCommonPassword(identity: string): boolean {
  list ??= new Set(
    readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  );
  return list.has(identity);
}
