import { lintPlanted } from '../helpers/planted.ts';

const lint = lintPlanted({ ruleFilter: ({ ruleId }) => ruleId === 'comments/short-sentences' });

async function complaints(filePath: string, code: string): Promise<string[]> {
  return (await lint(filePath, code)).map(({ message }) => message);
}

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

const folders = [
  'activities',
  'api/http',
  'client/src',
  'domain/legacy',
  'examples/web/src',
  'infra',
  'infra/db/queries',
];

test.each([...folders, 'programs/local', 'test/helpers', 'workflows'])(
  'a comment of %s has no sentence of more than 25 words',
  async (folder) => {
    const code = `/** Short. Word ${words(25)}. */\nexport const planted = 1;`;
    expect(await complaints(`${folder}/planted.ts`, code)).toEqual([expect.stringMatching(/^26 words/)]);
  },
);

test('generated modules of the client are exempt', async () => {
  expect(await complaints('client/src/methods.ts', `// ${words(26)}`)).toEqual([]);
});

test.each([
  ['a sentence over several lines', `/**\n * ${words(13)}\n * ${words(13)}\n */`],
  ['line comments one below the other', `// ${words(13)}\n// ${words(13)}`],
  ['a comment behind code', `export const x = 1; // ${words(26)}`],
  ['an abbreviation within a sentence', `// ${words(13)}, e.g. Word ${words(12)}`],
  ['a semicolon within a sentence', `// ${words(13)}; ${words(13)}`],
  ['a tag', `/**\n * Short.\n * @returns ${words(26)}\n */`],
  ['an item of a list', `/**\n * - short\n * - ${words(26)}\n */`],
])('finds a long sentence in %s', async (_where, comment) => {
  expect(await complaints('domain/planted.ts', `${comment}\nexport const planted = 1;`)).toHaveLength(1);
});

test.each([
  ['25 words', `// ${words(25)}`],
  ['two sentences', `// ${words(20)}. \`code\` ${words(20)}. Word ${words(20)}`],
  ['a sentence in brackets', `// ${words(20)}. (Word ${words(19)}.)`],
  ['paragraphs', `/**\n * ${words(20)}\n *\n * ${words(20)}\n */`],
  ['a list', `/**\n * ${words(20)}\n * - ${words(20)}\n * 1. ${words(20)}\n */`],
  ['tags', `/** ${words(20)} @throws ${words(20)}\n * @returns ${words(20)} */`],
  [
    'code, a link and an address as one word each',
    `// ${words(22)} \`${words(9)}\` {@link a | ${words(9)}} https://a.example/b?c`,
  ],
  ['a list of codes as one word', `// @throws DomainError ${Array.from({ length: 30 }, () => '`code`').join(', ')}`],
  ['fenced code', `/**\n * \`\`\`\n * ${words(30)}\n * \`\`\`\n */`],
  ['a directive', `// eslint-disable-next-line no-console -- ${words(26)}`],
  ['comments with code between them', `// ${words(20)}\nexport const x = 1;\n// ${words(20)}`],
])('lets %s pass', async (_what, comment) => {
  expect(await complaints('domain/planted.ts', `${comment}\nexport const planted = 1;`)).toEqual([]);
});
