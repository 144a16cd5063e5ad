import { readContract, resolve, type Node, type Operation } from '../../api/http/contract.ts';
import { covers, LOGIN_SCOPES, SCOPES, type Scope } from '../../domain/auth.ts';
import { startApi, type TestRequest } from '../helpers/api.ts';

/* reach.test.ts tests who can act for whom. */

const limits = ['CREDENTIALS', 'TOKENS', 'KEY', 'PERSON'].map((name) => [`LIMIT_${name}_PER_MINUTE`, '1000000']);
const api = startApi({ env: Object.fromEntries(limits) });
const { document, operations } = readContract('sandbox');

const pathOf = ({ path }: Operation) => path.replace(/\{[^}]+\}/g, 'x');
const shown = ({ credential }: Operation, key: string): TestRequest =>
  credential === 'vault' ? { vaultKey: key } : { token: key };
const ask = (operation: Operation, request: TestRequest, method: string = operation.method) =>
  api.request(method, pathOf(operation), request);
const named = (list: readonly Operation[]) => list.map((operation) => [operation.id, operation] as const);

const keys: Record<string, Promise<string>> = {};
const keyWith = (scopes: readonly Scope[]) => (keys[scopes.join()] ??= api.apiKey(scopes));

const closed = operations.filter(({ scopes }) => scopes !== 'public');
const scoped = closed.filter(({ scopes }) => scopes !== 'any');

const lists = operations.filter(({ queryNames }) => queryNames.has('limit'));
// For the other operations, a 406 needs a resource: see debt.test.ts and credential.test.ts.
const choosy = operations.filter(
  ({ responses, bodyTypes, scopes }) => '406' in responses && (bodyTypes.length > 0 || scopes === 'public'),
);

test('most operations need a credential, and most of these a scope; several are lists, or have several types', () => {
  expect(closed.length).toBeGreaterThan(45);
  expect(scoped.length).toBeGreaterThan(40);
  expect(choosy.length).toBeGreaterThan(3);
  expect(lists.length).toBeGreaterThan(5);
});

describe('401', () => {
  test.each(named(closed))('%s: without a credential, before the body is looked at', async (_id, operation) => {
    const certificate = operation.credential === 'vault' ? 'vault' : 'none';
    const answer = await ask(operation, { body: '{"broken', certificate });
    expect(answer).toMatchObject({ status: 401, body: { code: 'credentials-missing' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="ringfence"');
  });
});

describe('403', () => {
  test.each(named(scoped))('%s: for a key with every scope except those that it accepts', async (_id, operation) => {
    const wanted = operation.scopes as readonly string[];
    const others = SCOPES.filter((scope) => !wanted.some((one) => covers([scope], one as Scope)));
    const answer = await ask(operation, shown(operation, await keyWith(others)));
    expect(answer).toMatchObject({ status: 403, body: { code: 'insufficient-scope', scope: wanted[0] } });
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer realm="ringfence", error="insufficient_scope", scope="${wanted[0]}"`,
    );
  });

  test.each(named(scoped))('%s: not for a key with one accepted scope', async (_id, operation) => {
    for (const scope of operation.scopes as (typeof SCOPES)[number][]) {
      const answer = await ask(operation, { ...shown(operation, await keyWith([scope])) });
      // A 204 has no body.
      expect(answer.body || {}).not.toMatchObject({ code: 'insufficient-scope' });
    }
  });

  const keysOnly = scoped.filter(
    ({ scopes, credential }) =>
      credential === 'bearer' && !(scopes as readonly Scope[]).some((scope) => covers(LOGIN_SCOPES, scope)),
  );
  test.each(named(keysOnly))('%s: for a person, who cannot have its scopes', async (_id, operation) => {
    const { token } = await api.registerUser();
    expect((await ask(operation, { token })).body).toMatchObject({ status: 403, code: 'insufficient-scope' });
  });
});

describe('406', () => {
  test.each(named(choosy))('%s: lists the available types', async (_id, operation) => {
    const key = operation.scopes === 'public' ? {} : shown(operation, await keyWith(SCOPES));
    const { content } = resolve(document, operation.node.requestBody ?? {}) as { content?: Record<string, Node> };
    const body = content?.['application/json']?.example;
    const parameters = operation.node.parameters as { name: string; example?: string }[];
    const path = operation.path.replace(
      /\{([^}]+)\}/g,
      (_all, name) => parameters.find((one) => one.name === name)!.example!,
    );
    for (const accept of ['a/b', 'application/json;q=0, text/plain']) {
      const answer = await api.request(operation.method, path, { ...key, body, headers: { accept } });
      expect(answer).toMatchObject({ status: 406, body: { code: 'not-acceptable' } });
      expect(answer.body.detail).toContain('application/json or ');
    }
  });
});

describe('400', () => {
  test.each(named(lists))('%s: a limit outside 1 to 100, and an unknown parameter', async (_id, operation) => {
    const token = await keyWith(SCOPES);
    for (const query of ['limit=0', 'limit=101', 'limit=1.5', 'cursor=no%20cursor', 'colour=red']) {
      const { status, body } = await api.get(`${pathOf(operation)}?${query}`, { token });
      const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect([status, pointers]).toEqual([400, expect.arrayContaining([`/query/${query.split('=')[0]}`])]);
    }
  });
});
