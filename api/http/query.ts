import { invalid } from './invalid.ts';

/**
 * The parameters of a query, or the fields of a form, which is written the same; one that comes twice is a list. Names and
 * values are percent-decoded strictly.
 * @throws DomainError `invalid-request` when they cannot be decoded.
 */
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
  const name = equals === -1 ? pair : pair.slice(0, equals);
  const value = equals === -1 ? '' : pair.slice(equals + 1);
  try {
    return [decoded(name), decoded(value)];
  } catch {
    throw invalid([{ pointer: '/query', detail: 'must be percent-encoded UTF-8' }]);
  }
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
