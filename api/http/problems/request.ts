import type { ProblemKind } from '../problem.ts';

/** Refusals that any request can get, and faults of the house. */
export const REQUEST_PROBLEMS = {
  'invalid-request': {
    status: 400,
    title: 'The request does not fit the contract',
    explanation:
      'Something in the path, the query, a header or the body is missing, unknown, or not of the form that the contract asks for.',
    whatToDo:
      'Look at errors: each entry points at one fault and says what must be there. All faults are named at once.',
  },
  'malformed-json': {
    status: 400,
    title: 'The body cannot be read',
    explanation: 'The body is not JSON as in RFC 8259, or not UTF-8.',
    whatToDo: 'Send the body as a JSON document in UTF-8, made by a library rather than by hand.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    explanation: 'The body is larger than is taken here; limit gives the most in bytes.',
    whatToDo: 'Send less in one request.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    explanation: 'All headers together, with the address, may have 16 kB.',
    whatToDo: 'Send fewer or shorter headers.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body is of the wrong type',
    explanation: 'The Content-Type is missing or is one that this operation does not take, or the body is compressed.',
    whatToDo: 'Send JSON with Content-Type: application/json, uncompressed, in UTF-8.',
  },
  'not-acceptable': {
    status: 406,
    title: 'No form of the answer is acceptable',
    explanation: 'The Accept header names only types that this operation does not answer in.',
    whatToDo: 'Leave the Accept header out, or name one of the types that the contract declares.',
  },
  'not-found': {
    status: 404,
    title: 'There is no such thing',
    explanation: 'Nothing is at this address, or it belongs to somebody else; the two are not told apart on purpose.',
    whatToDo: 'Check the path and the identifier, and that the credential is the one of the owner.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not for this address',
    explanation: 'There is something at this address, but it does not take this method.',
    whatToDo: 'Use one of the methods that the Allow header names.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive',
    explanation: 'The request did not arrive as a whole in time.',
    whatToDo: 'Send it again, with the same Idempotency-Key where it had one.',
  },
  'idempotency-key-in-use': {
    status: 409,
    title: 'The same key is being worked on',
    explanation: 'A request with this Idempotency-Key is running at this moment.',
    whatToDo: 'Send the same request again in a moment: it answers with what the first one did.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The key named another request before',
    explanation: 'Within the last 24 hours this Idempotency-Key came with another body, or for another address.',
    whatToDo: 'Use a fresh key for each new request, and the same key only to repeat the very same one.',
  },
  'dependency-unavailable': {
    status: 503,
    title: 'A part of the service is down',
    explanation: 'Something that the operation needs cannot be reached now; nothing was half-done.',
    whatToDo: 'Send the same request again after Retry-After seconds, with the same Idempotency-Key where it had one.',
  },
  'internal-error': {
    status: 500,
    title: 'A fault of the service',
    explanation: 'Something failed that should not have. It was logged with the id of the request.',
    whatToDo: 'Send it again with the same Idempotency-Key; if it stays so, tell the operator the X-Request-Id.',
  },
} as const satisfies Record<string, ProblemKind>;
