import type { TestAnswer } from './api.ts';

/** What a response with a problem document matches. */
export const problem = (status: number, code: string, more: object = {}) => ({
  status,
  body: { status, code, type: `/problems/${code}`, ...more },
});

/** Each faulty field once, because a field can have several errors. */
export const pointersOf = ({ body }: TestAnswer): string[] =>
  [...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer))].toSorted();
