import { copyFileSync, readFileSync } from 'node:fs';
import { adviceOn, breakingChanges } from './breaking.ts';

/*
 * Compares the contract with the one that was released last: `npm run contract:diff`. Exit code 1 where somebody who goes by that one
 * could stumble. With `--release` the contract as it is becomes the released one.
 */

const RELEASED = new URL('../../openapi/released.json', import.meta.url);
const NOW = new URL('../../openapi/bundle.json', import.meta.url);
const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;

const changes = breakingChanges(read(RELEASED), read(NOW), new Date().toISOString().slice(0, 10));
if (process.argv.includes('--release')) {
  copyFileSync(NOW, RELEASED);
  process.stdout.write(`openapi/released.json is the contract as it is; ${changes.length} breaking changes with it.\n`);
} else if (changes.length === 0) {
  process.stdout.write('The contract breaks nothing of the last released one.\n');
} else {
  const list = changes.map((change) => `  ${change}\n    To do: ${adviceOn(change)}.\n`).join('');
  process.stderr.write(`The contract breaks promises of the last released one:\n${list}`);
  process.exitCode = 1;
}
