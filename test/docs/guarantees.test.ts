import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { guaranteesPage, titlesIn } from '../../tools/guarantees.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const OWN = 'test/docs/guarantees.test.ts';

describe('docs/guarantees.md', () => {
  test('equals the output of `npm run generate`', async () => {
    expect(readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8')).toBe(await guaranteesPage());
  });

  test('says a guarantee in the words of the test and its groups, with the sections of a standard', async () => {
    const page = await guaranteesPage({ Money: { [OWN]: { 'says a test of %s': '4.5' } } });
    expect(page).toContain(`## Money\n\n\`${OWN}\`\n\n- **4.5** a group of tests: says a test of …\n`);
  });

  test.each([
    ['a title that is gone', OWN, 'was renamed', `${OWN} has no test "was renamed". Name the test`],
    ['a title of two tests', OWN, 'stands twice', `${OWN} has several tests "stands twice". Give the one`],
    ['a title that moved', 'test/gone.test.ts', 'says a test of %s', ` It is in ${OWN}. Name the test`],
  ])('is not made with %s', async (_what, file, title, refusal) => {
    await expect(guaranteesPage({ Money: { [file]: [title] } })).rejects.toThrow(refusal);
  });
});

test('the title of a test is found with its groups, however the test is written', () => {
  const text = `
    describe('outer', () => {
      describe.each([1, 2])('inner %i', () => { test.each\`x\`('tagged', () => {}); });
      if (/x/.test('no', 'test')) test.failing("it's", () => {});
    });
    test(SOME ? 'one' : 'other', () => {});`;
  expect(titlesIn(text)).toEqual([
    ['outer'],
    ['outer', 'inner %i'],
    ['outer', 'inner %i', 'tagged'],
    ['outer', "it's"],
    ["SOME ? 'one' : 'other'"],
  ]);
});

test('node tools/guarantees.ts --all prints every title by file', () => {
  const output = execFileSync(process.execPath, ['tools/guarantees.ts', '--all'], { cwd: ROOT, encoding: 'utf8' });
  expect(output).toContain(`\n${OWN}\n  docs/guarantees.md\n    equals the output of \`npm run generate\`\n`);
});

describe('a group of tests', () => {
  test.each(['this file'])('says a test of %s', (name) => expect(name).toBe('this file'));

  test('stands twice', () => expect(OWN).toContain('guarantees'));
});

test('stands twice', () => expect(OWN).toContain('docs'));
