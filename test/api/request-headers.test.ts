import { DomainError } from '../../domain/errors.ts';
import { canonicalRequest, idempotencyKeyOf } from '../../api/http/request/idempotency-key.ts';
import { revisionsOf, revisionTag } from '../../api/http/request/preconditions.ts';
import { waitMsOf } from '../../api/http/request/prefer.ts';

test.each<[number, (string | string[] | undefined)[]]>([
  [0, [undefined, '', 'wait=0', 'wait=-1', 'wait=1.5', 'wait=9999999999999999999999']],
  [2_000, ['wait=abc, wait=2']],
  [3_000, ['Wait = 3', 'wait=3; foo=bar']],
  [4_000, [['respond-async', 'wait=4']]],
  [5_000, ['wait=5']],
  [7_000, ['wait="7"']],
  [10_000, ['respond-async, wait=10']],
  [30_000, ['wait=30', 'wait=31', 'wait=999999999']],
])('the request waits %d ms with Prefer: %j', (ms, headers) => {
  expect(headers.map(waitMsOf)).toEqual(headers.map(() => ms));
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

  test('a request is the same for any order of its members, at every depth', () => {
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
  ])('%s %s %j is a different request', (method, path, body) => {
    expect(canonicalRequest(method, path, body)).not.toBe(canonicalRequest('POST', '/a', { a: 1 }));
  });
});

test.each<[number[] | undefined, (string | undefined)[]]>([
  [undefined, [undefined, '*', ' * ']],
  [[3], ['"3"']],
  [[3, 12], ['"3", "12"']],
  [[4], ['W/"3", "4"']],
  [[], ['W/"3"', '"0"', '"03"', '"3x"', '""', '3', 'nonsense', '"99999999999999999999"']],
])('the revisions %j are allowed by If-Match: %j', (revisions, headers) => {
  expect(headers.map(revisionsOf)).toEqual(headers.map(() => revisions));
});

test('a revision’s ETag allows this revision', () => {
  expect(revisionsOf(revisionTag(42))).toEqual([42]);
});
