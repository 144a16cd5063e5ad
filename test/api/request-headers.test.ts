import { DomainError } from '../../domain/errors.ts';
import { canonicalRequest, idempotencyKeyOf } from '../../api/http/request/idempotency-key.ts';
import { revisionsOf, revisionTag } from '../../api/http/request/preconditions.ts';
import { waitMsOf } from '../../api/http/request/prefer.ts';

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

test.each([
  [undefined, undefined],
  ['*', undefined],
  [' * ', undefined],
  ['"3"', [3]],
  ['"3", "12"', [3, 12]],
  ['W/"3"', []],
  ['W/"3", "4"', [4]],
  ['"0"', []],
  ['"03"', []],
  ['"3x"', []],
  ['""', []],
  ['3', []],
  ['nonsense', []],
  ['"99999999999999999999"', []],
])('If-Match %p allows revisions %j', (header, expected) => {
  expect(revisionsOf(header)).toEqual(expected);
});

test('a revision’s ETag allows this revision', () => {
  expect(revisionsOf(revisionTag(42))).toEqual([42]);
});
