import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { SECTIONS, type Proofs } from './guaranteed.ts';

/*
 * Part of `npm run generate`: writes docs/guarantees.md from the titles of tests. With `--all`, prints the titles of all
 * tests instead. Compare two such lists after a change of tests.
 */

const ROOT = resolve(import.meta.dirname, '..');
const PAGE = resolve(ROOT, 'docs/guarantees.md');

const INTRODUCTION = `# What is guaranteed

<!-- Made from the titles of tests by \`npm run generate\`. The list is in tools/guaranteed.ts. -->

Each line is the title of a test. Bold numbers are sections of the standard. \`npm test -- FILE\` runs a file, and
\`npm run test:slow -- FILE\` a \`*.slow.test.ts\`. \`node tools/guarantees.ts --all\` lists all tests, and \`SECURITY.md\`
says what is not guaranteed.`;

/** Returns the titles of a test file in the order of the file, each after the titles of the groups around it. */
export function titlesIn(text: string): string[][] {
  const found: string[][] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    if (!ts.isCallExpression(node) || node.arguments.length < 2 || !namesTests(node.expression))
      return ts.forEachChild(node, (child) => visit(child, groups));
    const [title, ...rest] = node.arguments;
    const path = [...groups, ts.isStringLiteralLike(title!) ? title.text : title!.getText()];
    found.push(path);
    for (const argument of rest) visit(argument, path);
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, true), []);
  return found;
}

/** Whether it is `test`, `it` or `describe`, also with `.each` and the like. */
function namesTests(called: ts.Node): boolean {
  if (ts.isIdentifier(called)) return ['test', 'it', 'describe'].includes(called.text);
  if (ts.isTaggedTemplateExpression(called)) return namesTests(called.tag);
  return (ts.isCallExpression(called) || ts.isPropertyAccessExpression(called)) && namesTests(called.expression);
}

const testFiles = () => globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
const titlesOf = (file: string) =>
  existsSync(resolve(ROOT, file)) ? titlesIn(readFileSync(resolve(ROOT, file), 'utf8')) : [];

/** Throws a sentence for each title that is not in its file, or is there several times. */
export async function guaranteesPage(sections: Record<string, Proofs> = SECTIONS): Promise<string> {
  const wrong: string[] = [];
  const page = Object.entries(sections).flatMap(([name, proofs]) => [
    `## ${name}`,
    ...Object.entries(proofs).flatMap(([file, titles]) => [`\`${file}\``, linesOf(file, titles, wrong).join('\n')]),
  ]);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return format([INTRODUCTION, ...page].join('\n\n'), { ...(await resolveConfig(PAGE)), filepath: PAGE });
}

function linesOf(file: string, titles: Proofs[string], wrong: string[]): string[] {
  const paths = titlesOf(file);
  return (Array.isArray(titles) ? titles.map((title: string) => [title, '']) : Object.entries(titles)).map(
    ([title, rules]) => {
      const [path, another] = paths.filter((each) => each.at(-1) === title);
      if (path === undefined || another !== undefined) wrong.push(refusal(file, title!, path !== undefined));
      return `- ${rules ? `**${rules}** ` : ''}${escaped(sentenceOf(path ?? []))}`;
    },
  );
}

function refusal(file: string, title: string, isRepeated: boolean): string {
  if (isRepeated)
    return `${file} has several tests "${title}". Give the one in tools/guaranteed.ts a title of its own.`;
  const others = testFiles().filter((other) => titlesOf(other).some((path) => path.at(-1) === title));
  const place = others.length > 0 ? ` It is in ${others.join(' and ')}.` : '';
  return `${file} has no test "${title}".${place} Name the test that now proves this in tools/guaranteed.ts.`;
}

/** A group of one word, such as an operation, is left out. */
const sentenceOf = (path: readonly string[]) =>
  path.filter((part, index) => part.includes(' ') || index === path.length - 1).join(': ');

/** Values of `test.each` become "…". */
const escaped = (text: string) => text.replace(/%[#sdijopf]|\$\w+/g, '…').replace(/[_*<[\]]/g, String.raw`\$&`);

function everyTitle(): string {
  return testFiles()
    .flatMap((file) => [file, ...titlesOf(file).map((path) => `${'  '.repeat(path.length)}${path.at(-1)}`)])
    .join('\n');
}

if (import.meta.main) {
  try {
    if (process.argv.includes('--all')) process.stdout.write(`${everyTitle()}\n`);
    else writeFileSync(PAGE, await guaranteesPage());
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
