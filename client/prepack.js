import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './contract-types.js';

const here = dirname(fileURLToPath(import.meta.url));
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(join(here, 'dist'), { recursive: true, force: true });
// `npm pack --json` writes its result to standard output, so the compiler must not.
const { status } = spawnSync(process.execPath, [tsc, '--project', join(here, 'tsconfig.json')], {
  stdio: ['ignore', 2, 2],
});
if (status !== 0) process.exit(status ?? 1);
copyFileSync(join(here, '..', 'LICENSE'), join(here, 'LICENSE'));
