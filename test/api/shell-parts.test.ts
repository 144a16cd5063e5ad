import { DomainError } from '../../domain/errors.ts';
import { canonicalRequest, idempotencyKeyOf } from '../../api/http/idempotency.ts';
import { conditional, waitMsOf } from '../../api/http/polling.ts';
import { createRouter } from '../../api/http/router.ts';
import { readContract, type Node, type Operation } from '../../api/http/contract.ts';
import { createValidation } from '../../api/http/validation.ts';

describe('Prefer', () => {
  test.each([
    [undefined, 0],
    ['', 0],
    ['wait=5', 5_000],
    ['wait=0', 0],
    ['wait=30', 30_000],
    ['wait=31', 30_000],
    ['wait=999999999', 30_000],
    ['wait="7"', 7_000],
    ['respond-async, wait=10', 10_000],
    ['Wait = 3', 3_000],
    ['wait=3; foo=bar', 3_000],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['wait=9999999999999999999999', 0],
    ['wait=abc, wait=2', 2_000],
    [['respond-async', 'wait=4'], 4_000],
  ])('%j waits %d ms', (prefer, ms) => {
    expect(waitMsOf(prefer)).toBe(ms);
  });
});

describe('If-None-Match', () => {
  const reply = { status: 200 as const, body: { a: 1 }, headers: { 'Retry-After': '1' } };

  test.each(['"v1"', 'W/"v1"', '"v0", "v1"', '*', '"a,b" , W/"v1"'])(
    '%s knows "v1": 304 without the body',
    (header) => {
      expect(conditional(reply, '"v1"', header)).toEqual({
        status: 304,
        headers: { 'Retry-After': '1', ETag: '"v1"' },
      });
    },
  );

  test.each([undefined, '', '"v2"', 'v1', '"v1', '"v11"'])('%s does not know "v1"', (header) => {
    expect(conditional(reply, '"v1"', header)).toEqual({ ...reply, headers: { 'Retry-After': '1', ETag: '"v1"' } });
  });
});

describe('Idempotency-Key', () => {
  test.each([
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['"open', '"open'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s names %s', (header, key) => {
    expect(idempotencyKeyOf(header)).toBe(key);
  });

  test.each(['', '""', 'x'.repeat(256), 'tab\there', 'é', '\u0000'])('%j names nothing', (header) => {
    expect(() => idempotencyKeyOf(header)).toThrow(DomainError);
  });

  test('a request is the same whatever the order of its members, at every depth', () => {
    const one = canonicalRequest('POST', '/a', { x: [{ b: 1, a: 2 }], y: null });
    expect(canonicalRequest('POST', '/a', { y: null, x: [{ a: 2, b: 1 }] })).toBe(one);
  });

  test.each([
    ['POST', '/b', { a: 1 }],
    ['PUT', '/a', { a: 1 }],
    ['POST', '/a', { a: '1' }],
    ['POST', '/a', { a: [1] }],
    ['POST', '/a', undefined],
    ['POST', '/a', {}],
  ])('%s %s %j is another request', (method, path, body) => {
    expect(canonicalRequest(method, path, body)).not.toBe(canonicalRequest('POST', '/a', { a: 1 }));
  });
});

describe('the router', () => {
  const operation = (id: string, method: string, path: string) => ({ id, method, path }) as unknown as Operation;
  const route = createRouter([
    operation('list', 'GET', '/payments'),
    operation('providers', 'GET', '/payments/providers'),
    operation('add', 'POST', '/payments/providers'),
    operation('one', 'GET', '/payments/{id}'),
    operation('cancel', 'POST', '/payments/{id}/cancel'),
    operation('nested', 'GET', '/payments/{id}/parts/{part}'),
  ]);

  test.each([
    ['GET', '/payments', 'list', {}],
    ['HEAD', '/payments', 'list', {}],
    ['GET', '/payments/providers', 'providers', {}],
    ['GET', '/payments/pay_1', 'one', { id: 'pay_1' }],
    ['GET', '/payments/a%2Fb', 'one', { id: 'a/b' }],
    ['POST', '/payments/providers/cancel', 'cancel', { id: 'providers' }],
    ['GET', '/payments/a/parts/b', 'nested', { id: 'a', part: 'b' }],
    ['GET', '/payments/__proto__', 'one', { id: '__proto__' }],
  ])('%s %s leads to %s', (method, path, id, params) => {
    expect(route(method, path)).toMatchObject({ kind: 'operation', operation: { id }, params });
  });

  test.each(['/', '', '*', '/payments/', '/payments//cancel', '/payments/a/b', '/Payments', '//payments'])(
    '%s leads nowhere',
    (path) => {
      expect(route('GET', path)).toEqual({ kind: 'nothing' });
    },
  );

  test('another method is told which ones there are', () => {
    expect(route('DELETE', '/payments/providers')).toEqual({
      kind: 'other-method',
      allow: ['GET', 'POST', 'HEAD', 'OPTIONS'],
    });
  });
});

describe('the checks of requests', () => {
  const compile = (contract: ReturnType<typeof readContract>, compiled: 'at start' | 'at first use') =>
    createValidation(contract, { responses: false, compiled });

  test('can be compiled for every operation', async () => {
    await expect(compile(readContract('sandbox'), 'at start')).resolves.toBeDefined();
  });

  test.each(['at start', 'at first use'] as const)(
    'that cannot be compiled %s do not let it start',
    async (compiled) => {
      const { document, operations } = readContract('production');
      const broken = structuredClone(document) as { components: { schemas: Record<string, Node> } };
      broken.components.schemas.LoginRequest = { type: 'object', properties: { email: { type: 'nothing known' } } };
      await expect(compile({ document: broken, operations }, compiled)).rejects.toThrow('nothing known');
    },
  );
});
