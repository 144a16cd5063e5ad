import { readContract, resolve, type Node, type Operation } from '../../api/http/contract.ts';
import { contractCheck } from '../helpers/contract-check.ts';

const { document, operations } = readContract('sandbox');
const { checkAnswer, faultsOf } = contractCheck(readContract('sandbox'));

interface Example {
  operation: Operation;
  type: string;
  value: unknown;
}

const examplesIn = (operation: Operation, { content = {} }: Node): Example[] =>
  Object.entries(content as Record<string, Node>)
    .filter(([type]) => /^application\/(?:[\w-]+\+)?json$|^application\/x-www-form-urlencoded$/.test(type))
    .map(([type, { example }]) => ({ operation, type, value: example }));

const answers = operations.flatMap((operation) =>
  Object.entries(operation.responses).flatMap(([status, node]) =>
    examplesIn(operation, resolve(document, node)).map((example) => ({ ...example, status: Number(status) })),
  ),
);
const bodies = operations.flatMap((operation) =>
  operation.node.requestBody === undefined ? [] : examplesIn(operation, resolve(document, operation.node.requestBody)),
);
const named = ({ operation, type }: Example, of: string | number) => `${operation.id} ${of} ${type}`;

test('every response in JSON has an example', () => {
  const without = answers.filter(({ value }) => value === undefined);
  expect(answers.length).toBeGreaterThan(500);
  expect(without.map((example) => named(example, example.status))).toEqual([]);
});

test('every example of a response matches the contract', async () => {
  const wrong: string[] = [];
  for (const { operation, status, type, value } of answers) {
    const body = structuredClone(value);
    await checkAnswer(operation, { status, type, body }).catch((error: unknown) => {
      wrong.push(`${operation.id} ${status} ${type}: ${String(error)}`);
    });
  }
  expect(wrong).toEqual([]);
});

test('an example without a required field would fail', async () => {
  const { operation, type, value } = answers.find(
    (answer) => answer.operation.id === 'login' && answer.status === 200,
  )!;
  const { access_token: _token, ...rest } = value as Node;
  await expect(checkAnswer(operation, { status: 200, type, body: rest })).rejects.toThrow(/access_token/);
});

test('every example of a refusal has its status and a code', () => {
  const problems = answers.filter(({ type }) => type === 'application/problem+json');
  const wrong = problems.filter(({ status, value }) => {
    const problem = value as Node;
    return problem.status !== status || problem.type !== `/problems/${String(problem.code)}`;
  });
  expect(wrong.map((example) => named(example, example.status))).toEqual([]);
});

test('every body has an example, which matches the contract', async () => {
  const wrong: string[] = [];
  for (const example of bodies) {
    for (const { pointer, detail } of await faultsOf(example.operation, example))
      // Faults of parameters are not the body's.
      if (!/^\/(?:query|path|header)\//.test(pointer)) wrong.push(`${named(example, 'body')}: ${pointer} ${detail}`);
  }
  expect(wrong).toEqual([]);
});
