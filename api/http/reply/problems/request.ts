import type { ProblemKind } from './kind.ts';

export const REQUEST_PROBLEMS = {
  'invalid-request': {
    status: 400,
    title: 'The request does not match the contract',
    explanation:
      'Something in the path, the query, a header or the body is missing, unknown, or not in the form that the contract requires.',
    whatToDo:
      'See the field "errors". It lists the errors in the request (at most 100 against the contract), each with its position and what is required.',
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON',
    explanation:
      'The body is not valid JSON (RFC 8259), or is not in UTF-8. The fields "line" and "column" give the position of the first error, both from 1. A very long body has no position.',
    whatToDo: 'Send the body as a JSON document in UTF-8. Use a JSON library to write it.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation:
      'The body is larger than this operation accepts. The field "limit" gives the largest allowed size in bytes.',
    whatToDo: 'Send less data in one request.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    explanation: 'The headers and the URL together can be at most 16 KiB long.',
    whatToDo: 'Send fewer or shorter headers.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type of the body is not supported',
    explanation:
      'The Content-Type header is missing, this operation does not accept its value, or the body is compressed.',
    whatToDo:
      'Send the body uncompressed and in UTF-8, with a Content-Type that the contract lists for this operation. The usual Content-Type is application/json.',
  },
  'not-acceptable': {
    status: 406,
    title: 'The requested media type is not available',
    explanation: 'The Accept header names only media types that this operation cannot return.',
    whatToDo: 'Leave out the Accept header, or name a media type that the contract lists for this operation.',
  },
  'not-found': {
    status: 404,
    title: 'Not found',
    explanation:
      'Nothing exists at this URL, or it belongs to somebody else. For security, the response is the same in both cases.',
    whatToDo: 'Check the path and the id. Also check that your access token or API key has access to the owner’s data.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    explanation: 'This URL exists, but it does not accept this HTTP method.',
    whatToDo: 'Use a method that the Allow header lists.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The whole request did not arrive in time.',
    whatToDo: 'Send the request again. If it had an Idempotency-Key, send the same key.',
  },
  'idempotency-key-in-use': {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    explanation: 'The service is still working on an earlier request with this Idempotency-Key.',
    whatToDo: 'Wait a moment, then send the same request again. You get the response to the earlier request.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'This Idempotency-Key was already used for a different request',
    explanation: 'Within the last 24 hours, this Idempotency-Key was used with a different body or URL.',
    whatToDo:
      'Use a new Idempotency-Key for each new request. Use the same key again only to repeat exactly the same request.',
  },
  restoring: {
    status: 503,
    title: 'The service accepts no changes now',
    explanation:
      'A backup of the database was restored. Until the operator has checked what happened after the backup, the service answers only requests that read.',
    whatToDo:
      'Send the same request again later. If it had an Idempotency-Key, send the same key. After a restore, some records can be missing: read before you repeat older changes.',
  },
  'dependency-unavailable': {
    status: 503,
    title: 'A dependency of the service is not available',
    explanation:
      'Something that this operation needs, such as the database, is not reachable or is too busy. Every change was made either completely or not at all.',
    whatToDo:
      'Wait for the number of seconds in the Retry-After header, then send the same request again. If it had an Idempotency-Key, send the same key.',
  },
  'internal-error': {
    status: 500,
    title: 'An internal error occurred',
    explanation: 'The service failed unexpectedly. It logged the error with the id of the request.',
    whatToDo:
      'Send the request again. If it had an Idempotency-Key, send the same key. If the error occurs again, tell the operator the X-Request-Id.',
  },
} as const satisfies Record<string, ProblemKind>;
