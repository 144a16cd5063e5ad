import fc from 'fast-check';
import { acceptedType } from '../../api/http/accept.ts';
import { revisionsOf, revisionTag } from '../../api/http/preconditions.ts';
import { DomainError } from '../../domain/errors.ts';

const JSON_TYPE = 'application/json';
const SVG = 'image/svg+xml';
const TYPES = [JSON_TYPE, SVG] as const;

describe('Accept', () => {
  test.each([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['  ', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['image/*', SVG],
    ['image/svg+xml', SVG],
    ['IMAGE/SVG+XML', SVG],
    ['image/svg+xml, application/json', SVG],
    ['application/json, image/svg+xml', JSON_TYPE],
    ['application/json;q=0.5, image/svg+xml;q=0.6', SVG],
    ['image/*;q=0.4, */*;q=0.5', JSON_TYPE],
    ['application/json;q=0, */*', SVG],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['image/svg+xml;charset=utf-8', SVG],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', JSON_TYPE],
    ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', SVG],
    ['nonsense, */*', JSON_TYPE],
  ])('%p gets %s', (accept, expected) => {
    expect(acceptedType(accept, TYPES)).toBe(expected);
  });

  test.each(['text/html', 'image/png', 'application/json;q=0', 'image/svg+xml;q=0, text/*', 'nonsense', ';', 'json'])(
    '%p is refused with what there is',
    (accept) => {
      expect(() => acceptedType(accept, TYPES)).toThrow(
        expect.objectContaining({
          code: 'not-acceptable',
          message: expect.stringContaining('application/json or image/svg+xml') as unknown,
        }),
      );
    },
  );

  test('never fails in another way, whatever is sent', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab*/;=,"q0.1 +-]{0,60}$/), (accept) => {
        try {
          expect(TYPES).toContain(acceptedType(accept, TYPES));
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
      { numRuns: 2_000 },
    );
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

test('the tag of a revision allows it', () => {
  expect(revisionsOf(revisionTag(42))).toEqual([42]);
});
