// Runs the checks that must pass before a commit, and stops at the first failure.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const GENERATED = [
  'openapi/bundle.json',
  'openapi/types.ts',
  'openapi/public-operations.ts',
  'docs/configuration.md',
  'docs/guarantees.md',
  ...['codes', 'methods', 'operations'].map((name) => `client/src/${name}.ts`),
];

// Jest writes its results as JSON to the file that this variable names.
const results = process.env.RINGFENCE_TEST_RESULTS;
const counted = results ? ['--', '--json', `--outputFile=${results}`] : [];

const steps = [
  ['The contract is bundled and its types are generated', ['npm', 'run', '--silent', 'generate']],
  ['The generated files were up to date', wereUpToDate],
  ['Types', ['tsc', '--noEmit']],
  ['Types of the client', ['tsc', '--noEmit', '--project', 'client']],
  ['Types of the example page', ['tsc', '--noEmit', '--project', 'examples/web']],
  ['Lint', ['eslint', '.']],
  ['Format', ['prettier', '--check', '--log-level', 'warn', '.']],
  ['Licences of dependencies', ['npm', 'run', '--silent', 'licences']],
  ['Contract lint', ['redocly', 'lint', 'openapi/openapi.yaml']],
  ['Contract breaks nothing that was released', ['node', 'tools/contract/diff.ts']],
  ['Tests', ['npm', 'test', '--silent', ...counted]],
];

const before = GENERATED.map(contentOf);
for (const [name, step] of steps) {
  const startedAt = Date.now();
  const reason = typeof step === 'function' ? step() : run(step);
  if (reason !== undefined) {
    console.error(`\ncheck: ${name}: FAILED. ${reason}`);
    process.exit(1);
  }
  console.error(`check: ${name}: ok (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** @returns {string | undefined} the reason for a failure */
function run([command, ...args]) {
  const windows = process.platform === 'win32';
  const { status, signal, error } = spawnSync(command, args, { cwd: project, stdio: 'inherit', shell: windows });
  if (error) return `${command} could not be started: ${error.message}.`;
  if (status !== 0)
    return `"${[command, ...args].join(' ')}" ended with ${signal ?? `exit code ${status}`}; its output is above.`;
  return undefined;
}

/** Compares with the files before the generation. */
function wereUpToDate() {
  const changed = GENERATED.filter((file, index) => contentOf(file) !== before[index]);
  if (changed.length === 0) return undefined;
  return `${changed.join(' and ')} changed when generated again. Commit the changes.`;
}

function contentOf(file) {
  try {
    return readFileSync(join(project, file), 'utf8');
  } catch {
    return undefined;
  }
}
