import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['activities', 'api', 'client/src', 'domain', 'infra', 'programs', 'tools', 'workflows'];

// Type imports count too; the linter's `import-x/no-cycle` ignores them.
function importsOf(file: string, text: string): string[] {
  return ts
    .preProcessFile(text)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join(dirname(file), name)));
}

/** Returns undefined if there is none. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

const importsIn = (texts: Readonly<Record<string, string>>) =>
  new Map(Object.entries(texts).map(([file, text]) => [file, importsOf(file, text)]));

test('finds a planted cycle of imports', () => {
  const planted = importsIn({
    'a.ts': "import './b.ts';",
    'b.ts': "export type { C } from './c.ts';",
    'c.ts': "import { type A } from './a.ts'; export type C = A;",
  });
  expect(circleIn(planted)).toEqual(['a.ts', 'b.ts', 'c.ts', 'a.ts']);
});

test('no file imports itself through others', () => {
  const files = globSync(`{${FOLDERS.join()}}/**/*.ts`, { cwd: ROOT });
  expect(files.length).toBeGreaterThan(300);
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
  expect(circleIn(importsIn(texts))).toBeUndefined();
});
