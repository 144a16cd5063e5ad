// Fills Node's compile cache while the image is built, because a container cannot write the cache.
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

const app = resolve(import.meta.dirname, '..', '..');
const programs = [
  'programs/api.ts',
  'programs/worker.ts',
  'programs/readers.ts',
  'programs/admin/run.ts',
  'programs/admin/migrate.ts',
];

for (const program of programs) await import(join(app, program));
flushCompileCache();
process.exit();
