import type { RequestHandler } from 'express';
import type { InputFault } from '../../../domain/errors.ts';
import type { Operation } from '../contract.ts';
import { invalid, pointerTo } from './invalid.ts';

/** The validator gets only the declared parameters. */
export function readQuery({ queryNames }: Operation): RequestHandler {
  return (request, response, next) => {
    const mark = request.url.indexOf('?');
    const query = parseQuery(mark === -1 ? '' : request.url.slice(mark + 1));
    const known = Object.entries(query).filter(([name]) => queryNames.has(name));
    response.locals.query = query;
    Object.defineProperty(request, 'query', { value: Object.fromEntries(known), writable: true, configurable: true });
    next();
  };
}

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d{0,99})$/;

/** If a name is repeated, its values become a list. */
export function parseQuery(search: string): Record<string, unknown> {
  const query = Object.create(null) as Record<string, unknown>;
  if (search === '') return query;
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const [name, value] = decodedPair(pair);
    const before = query[name];
    if (before === undefined) query[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else query[name] = [before, value];
  }
  return query;
}

function decodedPair(pair: string): [name: string, value: string] {
  const equals = pair.indexOf('=');
  const [name, value] = equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  try {
    return [decoded(name), decoded(value)];
  } catch {
    throw invalid([{ pointer: '/query', detail: 'must be percent-encoded UTF-8' }]);
  }
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** Removes the faulty parameters. The validator would accept JavaScript's other notations, such as 0x10 or 1e1. */
export function takeOddNumbers(query: Record<string, unknown>, integers: readonly string[]): InputFault[] {
  const odd = integers.filter((name) => typeof query[name] === 'string' && !WHOLE_NUMBER.test(query[name]));
  for (const name of odd) Reflect.deleteProperty(query, name);
  return odd.map((name) => ({ pointer: pointerTo('/query', name), detail: 'must be a whole number' }));
}

export function unknownQuery(
  { queryNames, laxQuery }: Pick<Operation, 'queryNames' | 'laxQuery'>,
  query: Readonly<Record<string, unknown>>,
): InputFault[] {
  if (laxQuery) return [];
  const unknown = Object.keys(query).filter((name) => !queryNames.has(name));
  return unknown
    .slice(0, 100)
    .map((name) => ({ pointer: pointerTo('/query', name), detail: 'is not a parameter of this request' }));
}
