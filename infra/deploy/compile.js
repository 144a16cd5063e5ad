// Fills NODE_COMPILE_CACHE with the modules of the image's programs, which cannot write it themselves (infra/process/compile-cache.ts).
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';

const app = resolve(import.meta.dirname, '..', '..');
const programs = [
  'api/main.ts',
  'infra/worker.ts',
  'infra/ocr/document.ts',
  'infra/admin/run.ts',
  'infra/admin/migrate.ts',
];

for (const program of programs) await import(join(app, program));
flushCompileCache();
process.exit();
