import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import ts from 'typescript';
import { missingPrograms } from '../helpers/required-programs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Each needs Chromium, Poppler, nginx, a package from PyPI, another program, or a whole stack. */
const NEEDS_MORE = ['browser', 'faketime', 'faults', 'front', 'openbao', 'pdf-tools', 'python', 'time-skipping'].map(
  (name) => `test/helpers/${name}.ts`,
);
// This helper only looks for the programs.
const LOOKS_ONLY = 'test/helpers/required-programs.ts';

/** The helpers that a test file imports, also through other helpers. */
function helpersOf(file: string, found = new Set<string>()): Set<string> {
  for (const { fileName } of ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8')).importedFiles) {
    const helper = normalize(join(dirname(file), fileName));
    if (!fileName.startsWith('.') || !helper.startsWith('test/helpers/') || found.has(helper)) continue;
    found.add(helper);
    if (helper !== LOOKS_ONLY && helper.endsWith('.ts')) helpersOf(helper, found);
  }
  return found;
}

// Shell scripts need programs such as OpenSSL.
const runsScript = (file: string) => /spawnSync\('sh'/.test(readFileSync(join(ROOT, file), 'utf8'));
const needsMore = (file: string) => runsScript(file) || NEEDS_MORE.some((helper) => helpersOf(file).has(helper));

test('a test that needs more than npm start does is in a file named *.slow.test.ts', () => {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT });
  const isSlow = (file: string) => file.endsWith('.slow.test.ts');
  expect(files.filter((file) => isSlow(file) && needsMore(file)).length).toBeGreaterThan(20);
  expect(files.filter((file) => !isSlow(file) && needsMore(file))).toEqual([]);
});

test('npm run test:slow says in one sentence what the machine lacks, and how to get it', () => {
  const sentence = missingPrograms('/no/such/folder', false)!;
  expect(sentence).toMatch(
    /^npm run test:slow needs Chromium, Poppler, [^\n]+ and root: [^\n]+apt-get install chromium poppler-utils /,
  );
  expect(sentence).toContain('run the same command as root');
  expect(sentence).not.toMatch(/\.\s/);
});
