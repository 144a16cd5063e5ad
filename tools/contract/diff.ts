import { copyFileSync, readFileSync } from 'node:fs';
import { adviceOn, breakingChanges } from './breaking.ts';

/* `npm run contract:diff` exits with 1 if a change breaks callers. `--release` replaces the released contract. */

const RELEASED = new URL('../../openapi/released.json', import.meta.url);
const NOW = new URL('../../openapi/bundle.json', import.meta.url);
const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;

const changes = breakingChanges(read(RELEASED), read(NOW), new Date().toISOString().slice(0, 10));
if (process.argv.includes('--release')) {
  copyFileSync(NOW, RELEASED);
  process.stdout.write(`openapi/released.json is now the current contract, with ${changes.length} breaking changes.\n`);
} else if (changes.length === 0) {
  process.stdout.write('The contract has no breaking changes from the last released contract.\n');
} else {
  const list = changes.map((change) => `  ${change}\n    To do: ${adviceOn(change)}.\n`).join('');
  process.stderr.write(`The contract has breaking changes from the last released contract:\n${list}`);
  process.exitCode = 1;
}
