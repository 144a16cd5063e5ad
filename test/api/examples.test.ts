import { readContract, resolve, type Node, type Operation } from '../../api/http/contract.ts';

/* `npm run lint` checks that each example matches its schema (`no-invalid-media-type-examples` of Redocly). */

const { document, operations } = readContract('sandbox');

const examplesIn = (operation: Operation, of: string, { content = {} }: Node) =>
  Object.entries(content as Record<string, Node>)
    .filter(([type]) => /^application\/(?:[\w-]+\+)?json$/.test(type))
    .map(([type, { example, examples }]) => ({
      name: `${operation.id} ${of} ${type}`,
      of,
      type,
      value: example ?? examples,
    }));

const answers = operations.flatMap((operation) =>
  Object.entries(operation.responses).flatMap(([status, node]) =>
    examplesIn(operation, status, resolve(document, node)),
  ),
);
const bodies = operations.flatMap((operation) =>
  operation.node.requestBody === undefined
    ? []
    : examplesIn(operation, 'body', resolve(document, operation.node.requestBody)),
);

test('every response and every body in JSON has an example', () => {
  expect(answers.length).toBeGreaterThan(500);
  expect(bodies.length).toBeGreaterThan(30);
  const without = [...answers, ...bodies].filter(({ value }) => value === undefined);
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('every example of a refusal has its status and a code', () => {
  const problems = answers.filter(({ type }) => type === 'application/problem+json');
  const wrong = problems.filter(({ of, value }) => {
    const problem = value as Node;
    return problem.status !== Number(of) || problem.type !== `/problems/${String(problem.code)}`;
  });
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
