import type { InputFault } from '../../../domain/errors.ts';
import { pointerTo } from '../request/invalid.ts';
import { resolve, type Node } from '../contract.ts';

/** For example `{ path: '/body/amount', errorCode: 'minimum.openapi.validation' }`. */
export interface ValidatorFault {
  path: string;
  errorCode?: string;
}

export const MOST_FAULTS = 100;
const SUMMARIES: ReadonlySet<string> = new Set(['if', 'not']);
const PARTS: Readonly<Record<string, string>> = { query: '/query', params: '/path', headers: '/header', body: '' };

/** What the contract says about a request. */
export interface Described {
  document: Node;
  parameters: readonly Node[];
  body: Node;
}

export function inWords(faults: readonly ValidatorFault[], described: Described, body: unknown): InputFault[] {
  const found = new Map<string, InputFault>();
  for (const fault of faults.slice(0, MOST_FAULTS * 4)) {
    const keyword = (fault.errorCode ?? '').split('.')[0] ?? '';
    const [part, ...steps] = stepsOf(fault.path, keyword, body);
    const pointer = steps.reduce(pointerTo, PARTS[part] ?? '');
    // A summary adds nothing to the specific faults at the same pointer or below.
    if (SUMMARIES.has(keyword) && [...found.values()].some((other) => other.pointer.startsWith(pointer))) continue;
    const detail = sentence(keyword, schemaAt(described, part, steps));
    found.set(`${pointer} ${detail}`, { pointer, detail });
  }
  return [...found.values()].slice(0, MOST_FAULTS);
}

/**
 * The validator does not escape the name of an unknown field. Everything after the last member that exists in the body
 * is one name.
 */
function stepsOf(path: string, keyword: string, body: unknown): [part: string, ...steps: string[]] {
  const [part = '', ...segments] = path.split('/').slice(1);
  const steps = segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (part !== 'body' || keyword !== 'additionalProperties') return [part, ...steps];
  let at = body;
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) {
      return [part, ...steps.slice(0, index), segments.slice(index).join('/')];
    }
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return [part, ...steps];
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

/** What the schema says of the keyword that the value violates. */
export function sentence(keyword: string, schema: Node): string {
  const pence = schema['x-unit'] === 'pence';
  const own = typeof schema['x-fault'] === 'string' ? schema['x-fault'] : undefined;
  const limit = String(schema[keyword]);
  const some = (noun: string) => `${limit} ${noun}${limit === '1' ? '' : 's'}`;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a field of this request';
    case 'type':
    case 'x-eov-type':
      return pence ? 'must be a whole number of pence' : (own ?? `must be ${typesOf(schema)}`);
    case 'minimum':
      return `must be at least ${limit}${pence ? ' pence' : ''}`;
    case 'maximum':
      return `must be at most ${Number(limit).toLocaleString('en-GB')}${pence ? ' pence' : ''}`;
    case 'minLength':
      return own ?? `must have at least ${some('character')}`;
    case 'maxLength':
      return own ?? `must have at most ${some('character')}`;
    case 'minItems':
      return `must have at least ${some('item')}`;
    case 'maxItems':
      return `must have at most ${some('item')}`;
    case 'maxProperties':
      return `must have at most ${some('field')}`;
    case 'minProperties':
      return `must have at least ${some('field')}`;
    case 'uniqueItems':
      return 'must not contain the same item twice';
    case 'enum':
      return `must be one of ${(schema.enum as unknown[]).map(String).join(', ')}`;
    case 'pattern':
    case 'format':
      if (pence) return 'must be a whole number of pence';
      return own ?? 'does not have the required format';
    default:
      return own ?? 'does not match any of the allowed forms';
  }
}

function typesOf({ type, nullable }: Node): string {
  const types = [type, nullable === true ? 'null' : []].flat() as string[];
  return types.map((name) => NAMED_TYPES[name] ?? name).join(' or ');
}

function schemaAt({ document, parameters, body }: Described, part: string, steps: readonly string[]): Node {
  if (part === 'body') return descend(document, body, steps);
  const wanted = part === 'params' ? 'path' : part === 'headers' ? 'header' : part;
  const parameter = parameters.find(
    ({ in: location, name }) => location === wanted && String(name).toLowerCase() === steps[0]?.toLowerCase(),
  );
  return parameter === undefined ? {} : descend(document, parameter.schema as Node, steps.slice(1));
}

function descend(document: Node, from: Node, steps: readonly string[]): Node {
  const schema = resolve(document, from);
  const [step, ...further] = steps;
  if (step === undefined) return schema;
  const { properties, items } = schema as { properties?: Readonly<Record<string, Node>>; items?: Node };
  const next = properties?.[step] ?? items;
  return next === undefined ? {} : descend(document, next, further);
}
