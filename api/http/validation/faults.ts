import type { InputFault } from '../../../domain/errors.ts';
import { pointerTo } from '../request/invalid.ts';
import { resolve, type Node } from '../contract.ts';

/** For example `{ path: '/body/amount', message: 'must be >= 1', errorCode: 'minimum.openapi.validation' }`. */
export interface ValidatorFault {
  path: string;
  message: string;
  errorCode?: string;
}

const MOST_FAULTS = 100;
const SUMMARIES: ReadonlySet<string> = new Set(['if', 'not']);
const PLACES: Readonly<Record<string, string>> = { query: '/query', params: '/path', headers: '/header', body: '' };

/** What the contract says about a request. */
export interface Described {
  document: Node;
  parameters: readonly Node[];
  body: Node;
}

export function inWords(faults: readonly ValidatorFault[], described: Described, body: unknown): InputFault[] {
  const told = new Map<string, InputFault>();
  for (const fault of faults.slice(0, MOST_FAULTS * 4)) {
    const keyword = (fault.errorCode ?? '').split('.')[0] ?? '';
    const [place, ...rest] = stepsOf(fault.path, keyword, body);
    const pointer = rest.reduce(pointerTo, PLACES[place] ?? '');
    // A summary adds nothing to the specific faults at the same place or below.
    if (SUMMARIES.has(keyword) && [...told.values()].some((other) => other.pointer.startsWith(pointer))) continue;
    const detail = sentence(keyword, fault.message, schemaAt(described, place, rest));
    told.set(`${pointer} ${detail}`, { pointer, detail });
  }
  return [...told.values()].slice(0, MOST_FAULTS);
}

/**
 * The validator does not escape the name of an unknown field. Everything after the last member that exists in the body
 * is one name.
 */
function stepsOf(path: string, keyword: string, body: unknown): [place: string, ...steps: string[]] {
  const [place = '', ...segments] = path.split('/').slice(1);
  const steps = segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (place !== 'body' || keyword !== 'additionalProperties') return [place, ...steps];
  let at = body;
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) {
      return [place, ...steps.slice(0, index), segments.slice(index).join('/')];
    }
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return [place, ...steps];
}

const NAMED_TYPES: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function sentence(keyword: string, message: string, schema: Node): string {
  const pence = schema['x-unit'] === 'pence';
  const own = typeof schema['x-fault'] === 'string' ? schema['x-fault'] : undefined;
  const limit = /-?[\d.]+(?:e[+-]?\d+)?/.exec(message)?.[0] ?? '';
  const some = (noun: string) => `${limit} ${noun}${limit === '1' ? '' : 's'}`;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this request';
    case 'type':
    case 'x-eov-type':
      return pence ? 'must be a whole number of pence' : (own ?? `must be ${typesIn(message)}`);
    case 'minimum':
      return `must be at least ${limit}${pence ? ' pence' : ''}`;
    case 'maximum':
      return `must be at most ${grouped(limit)}${pence ? ' pence' : ''}`;
    case 'minLength':
      return own ?? `must have at least ${some('character')}`;
    case 'maxLength':
      return own ?? `must have at most ${some('character')}`;
    case 'minItems':
      return `must have at least ${some('item')}`;
    case 'maxItems':
      return `must have at most ${some('item')}`;
    case 'minProperties':
      return `must have at least ${some('field')}`;
    case 'uniqueItems':
      return 'must not contain the same item twice';
    case 'enum':
      return `must be one of ${listed(schema.enum, message)}`;
    case 'pattern':
    case 'format':
      if (pence) return 'must be a whole number of pence';
      return own ?? 'does not have the required format';
    default:
      return own ?? 'does not match any of the allowed forms';
  }
}

function typesIn(message: string): string {
  const types = message.replace(/^must be /, '').split(',');
  return types.map((type) => NAMED_TYPES[type] ?? type).join(' or ');
}

function grouped(digits: string): string {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value.toLocaleString('en-GB') : digits;
}

function listed(values: unknown, message: string): string {
  return Array.isArray(values) ? values.map(String).join(', ') : message.replace(/^.*: /, '');
}

function schemaAt({ document, parameters, body }: Described, place: string, steps: readonly string[]): Node {
  if (place === 'body') return descend(document, body, steps);
  const wanted = place === 'params' ? 'path' : place === 'headers' ? 'header' : place;
  const parameter = parameters.find(
    ({ in: where, name }) => where === wanted && String(name).toLowerCase() === steps[0]?.toLowerCase(),
  );
  return parameter === undefined ? {} : descend(document, parameter.schema as Node, steps.slice(1));
}

function descend(document: Node, from: Node, steps: readonly string[]): Node {
  const schema = resolve(document, from);
  const [step, ...rest] = steps;
  if (step === undefined) return schema;
  const { properties, items } = schema as { properties?: Readonly<Record<string, Node>>; items?: Node };
  const next = properties?.[step] ?? items;
  return next === undefined ? {} : descend(document, next, rest);
}
