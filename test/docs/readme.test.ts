import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { COMMANDS } from '../../programs/admin/commands.ts';
import { SANDBOX_PAYEES } from '../../domain/sandbox-payees.ts';
import { SEARCH_ATTRIBUTES } from '../../infra/temporal/search-attributes.ts';
import { rows } from '../helpers/documents.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const readme = read('README.md');
const contributing = read('CONTRIBUTING.md');
const architecture = read('docs/architecture.md');
const operate = Object.fromEntries(
  globSync('docs/operate/*.md', { cwd: ROOT }).map((file) => [file, read(file)] as const),
);
const daily = operate['docs/operate/daily.md']!;
const documents = {
  'README.md': readme,
  'CONTRIBUTING.md': contributing,
  'SECURITY.md': read('SECURITY.md'),
  'docs/architecture.md': architecture,
  'docs/decisions.md': read('docs/decisions.md'),
  'docs/configuration.md': read('docs/configuration.md'),
  'docs/operate/': Object.values(operate).join('\n'),
  'examples/README.md': read('examples/README.md'),
};
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const inCode = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);

describe('names in the documents', () => {
  test('every script is in CONTRIBUTING.md, and every named script exists', () => {
    const own = Object.keys(scripts).filter(
      (name) => !(name.startsWith('pre') && scripts[name.slice(3)] !== undefined),
    );
    const named = (text: string) =>
      new Set([...text.matchAll(/npm (?:run (?:--silent )?)?([a-z][a-z:]*)/g)].map(([, name]) => name!));
    const [, section = ''] = contributing.split('<!-- scripts -->');
    const table = named(section.split('##', 1)[0]!);
    expect([...table].sort()).toEqual(own.sort());
    for (const text of Object.values(documents)) {
      const unknown = [...named(text)].filter(
        (name) => scripts[name] === undefined && !['ci', 'or', 'pack', 'publish'].includes(name),
      );
      expect(unknown).toEqual([]);
    }
  });

  test('every operators’ command is in docs/operate/daily.md, and every named command exists', () => {
    // An operator command has one or two words.
    const words = String.raw`([a-z][a-z-]*(?: [a-z][a-z-]*)?)`;
    const nameIn = (text: string) => [text, text.split(' ', 1)[0]!].find((name) => Object.hasOwn(COMMANDS, name));
    const start = new RegExp(`^${words}$`);
    const list = inCode(daily).map((code) => nameIn(start.exec(code)?.[1] ?? ''));
    for (const name of Object.keys(COMMANDS)) expect(list).toContain(name);
    const called = new RegExp(`(?:admin -- |--rm (?:--no-deps )?admin |(?:^|\`)admin )${words}`, 'gm');
    for (const [, text] of Object.values(documents).join('\n').matchAll(called))
      expect({ text, command: nameIn(text!) }).toEqual({ text, command: expect.any(String) as string });
  });

  test.each(Object.entries(documents))('every file and folder that %s names exists', (_document, text) => {
    const named = inCode(text).filter(
      (code) => /^(?:\.ci|[a-z][\w-]*)\/[\w./-]*$/.test(code) || /^[A-Z]+\.md$/.test(code),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  const linking = { ...operate, 'docs/configuration.md': documents['docs/configuration.md'] };

  test.each(Object.entries(linking))('every link of %s leads to a heading', (page, text) => {
    const anchorsIn = (file: string) =>
      [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(' ', '-')
          .replace(/[^\w-]/g, ''),
      );
    for (const [link, file, anchor] of text.matchAll(/\]\(([\w./-]*\.md)?(?:#([\w-]+))?\)/g)) {
      const target = file === undefined ? page : join(dirname(page), file);
      expect([link, existsSync(join(ROOT, target))]).toEqual([link, true]);
      if (anchor !== undefined) expect([link, anchorsIn(target)]).toEqual([link, expect.arrayContaining([anchor])]);
    }
  });

  test.each(Object.entries({ 'docs/architecture.md': architecture, 'CONTRIBUTING.md': contributing }))(
    'every code word beside a file name in %s is in that file',
    (_document, text) => {
      const pairs = [...text.matchAll(/`(\w+)`,? (?:in|of)\s+`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)];
      expect(pairs.length).toBeGreaterThan(1);
      for (const [, word, file] of pairs) expect(`${file}: ${read(file!)}`).toContain(word);
    },
  );

  test('the documents list the service’s sandbox payees and search attributes', () => {
    const payees = rows(read('docs/guide/70-sandbox.md'), undefined, 'Payee').map(([payee]) => inCode(payee!)[0]!);
    expect(payees.sort()).toEqual(SANDBOX_PAYEES.map(({ providerId }) => providerId).sort());
    const attributes = new Set(rows(daily, undefined, 'Query').map(([query]) => inCode(query!)[0]!.split(' ', 1)[0]));
    expect([...attributes].sort()).toEqual(Object.keys(SEARCH_ATTRIBUTES).sort());
  });
});

test('npm run test:slow runs the files named *.slow.test.ts, and npm test runs all others', () => {
  const listed = (...projects: string[]) => {
    const args = ['node_modules/jest/bin/jest.js', '--listTests', '--selectProjects', ...projects];
    const output = execFileSync(process.execPath, args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.split('\n').filter((line) => line.endsWith('.test.ts'));
  };
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).map((file) => join(ROOT, file));
  const slow = files.filter((file) => file.endsWith('.slow.test.ts'));
  expect(slow.length).toBeGreaterThan(0);
  expect(listed('slow').sort()).toEqual(slow.sort());
  expect(listed('domain', 'service').sort()).toEqual(files.filter((file) => !slow.includes(file)).sort());
});
