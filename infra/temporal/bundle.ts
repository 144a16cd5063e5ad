import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The package's own plugin imports this path too, but traces too much. */
const TRACED_MODULE = '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors';
const SOURCES = ['workflows', 'domain', 'infra/temporal', 'package-lock.json'];

/** Caches the bundle in `.cache/`, because bundling is slow. Histories replay with a `traced` bundle too. */
export async function bundleWorkflows({ traced = false } = {}): Promise<{ code: string }> {
  const file = join(ROOT, '.cache', 'workflows', `${await fingerprint()}${traced ? '-traced' : ''}.js`);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { code: kept };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(ROOT, 'workflows', 'index.ts'),
    ...(traced && { workflowInterceptorModules: [createRequire(import.meta.url).resolve(TRACED_MODULE)] }),
    logger: new DefaultLogger('WARN'),
  });
  await keep(file, code).catch(() => undefined);
  return { code };
}

/** Renames a complete file into place, so that concurrent workers read no partial bundle. */
async function keep(file: string, code: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true });
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, code);
  await rename(fresh, file);
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) {
    for (const file of await filesOf(join(ROOT, source)))
      hash
        .update(file.slice(ROOT.length))
        .update('\0')
        .update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 32);
}

async function filesOf(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
