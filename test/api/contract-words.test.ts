import { readContract, type Node } from '../../api/http/contract.ts';

/* Generated clients use the contract's names and descriptions as names and comments. */

const { document, operations } = readContract();
const schemas = Object.entries((document.components as Node).schemas as Record<string, Node>);
const letters = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();

test("every schema's title is its name in words, so that all generators give a type the same name", () => {
  for (const [name, { title }] of schemas) expect([name, letters(String(title))]).toEqual([name, letters(name)]);
});

test('no two schemas have the same title', () => {
  const titles = schemas.map(([, { title }]) => String(title).toLowerCase());
  expect(titles.filter((title, place) => titles.indexOf(title) !== place)).toEqual([]);
});

test('every operation has a unique summary of two to five words', () => {
  const summaries = operations.map(({ node }) => String(node.summary));
  for (const summary of summaries) expect(summary).toMatch(/^[A-Z][a-z]+( [^ ]+){1,4}[^.]$/);
  expect(new Set(summaries).size).toBe(summaries.length);
});
