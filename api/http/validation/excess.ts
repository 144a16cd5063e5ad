import type { InputFault } from '../../../domain/errors.ts';
import { resolve, type Node, type Operation } from '../contract.ts';
import { invalid, pointerTo } from '../request/invalid.ts';
import { MOST_FAULTS, sentence } from './faults.ts';

type Check = (value: unknown, pointer: string, faults: InputFault[]) => void;

/** Checking a shorter text takes no time worth saving, and the validator reports it beside all other faults. */
const SHORT = 10_000;
/** A decomposed character has at most so many code units. */
const UNITS_OF_CHARACTER = 4;
/** A body itself may have a few misnamed members, so that its caller learns of them beside all other faults. */
const MISNAMED = 8;
/** Of an object that may have members that the contract does not know, as OAuth's requests do. */
const MOST_OPEN = 100;

/**
 * Refuses lists and texts beyond their limits, and objects with more members than the contract knows. Nothing looks at
 * their items before: each can have several faults, and the validator collects all faults.
 */
export function refuseExcess({ node }: Operation, document: Node): (type: string, value: unknown) => void {
  const content = resolve(document, node.requestBody ?? {}).content as Readonly<Record<string, Node>> | undefined;
  const checks = new Map(
    Object.entries(content ?? {}).map(([type, { schema }]) => [type, checkOf(document, [schema as Node])]),
  );
  return (type, value) => {
    const faults: InputFault[] = [];
    checks.get(type)?.(value, '', faults);
    if (faults.length > 0) throw invalid(faults.slice(0, MOST_FAULTS));
  };
}

/** The value may have any of the schemas. Undefined if none of them has a limit. */
function checkOf(document: Node, schemas: readonly Node[]): Check | undefined {
  const forms = schemas.flatMap((schema) => formsOf(document, schema));
  const checks = [listCheck(document, forms), objectCheck(document, forms), textCheck(forms)];
  const needed = checks.filter((check) => check !== undefined);
  if (needed.length === 0) return undefined;
  return (value, pointer, faults) => {
    for (const check of needed) check(value, pointer, faults);
  };
}

function formsOf(document: Node, given: Node): Node[] {
  const schema = resolve(document, given);
  const inside = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as Node[]);
  return [schema, ...inside.flatMap((form) => formsOf(document, form))];
}

function listCheck(document: Node, forms: readonly Node[]): Check | undefined {
  const lists = forms.filter(({ items }) => items !== undefined);
  const maxItems = mostOf(lists, 'maxItems');
  if (maxItems === undefined) return undefined;
  const check = checkOf(
    document,
    lists.map(({ items }) => items as Node),
  );
  return (value, pointer, faults) => {
    if (!Array.isArray(value)) return;
    if (value.length > maxItems) faults.push({ pointer, detail: sentence('maxItems', { maxItems }) });
    else if (check) for (const [index, item] of value.entries()) check(item, `${pointer}/${index}`, faults);
  };
}

function objectCheck(document: Node, forms: readonly Node[]): Check | undefined {
  const objects = forms.filter(({ properties }) => properties !== undefined);
  if (objects.length === 0) return undefined;
  const isClosed = objects.every(({ additionalProperties }) => additionalProperties === false);
  const all = objects.flatMap(({ properties }) => Object.entries(properties as Readonly<Record<string, Node>>));
  const members = [...Map.groupBy(all, ([name]) => name)].map(
    ([name, found]) =>
      [
        name,
        checkOf(
          document,
          found.map(([, schema]) => schema),
        ),
      ] as const,
  );
  const known = new Set(members.map(([name]) => name));
  return (value, pointer, faults) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const object = value as Readonly<Record<string, unknown>>;
    const most = isClosed ? known.size + (pointer === '' ? MISNAMED : 0) : MOST_OPEN;
    if (Object.keys(object).length > most) {
      const tooMany = { pointer, detail: sentence('maxProperties', { maxProperties: most }) };
      faults.push(...(isClosed ? unknownMembers(object, known, pointer) : [tooMany]));
      return;
    }
    for (const [name, check] of members)
      if (Object.hasOwn(object, name)) check?.(object[name], `${pointer}/${name}`, faults);
  };
}

function unknownMembers(object: Node, known: ReadonlySet<string>, pointer: string): InputFault[] {
  const unknown = Object.keys(object).filter((name) => !known.has(name));
  const detail = sentence('additionalProperties', {});
  return unknown.slice(0, MOST_FAULTS).map((name) => ({ pointer: pointerTo(pointer, name), detail }));
}

function textCheck(forms: readonly Node[]): Check | undefined {
  const texts = forms.filter(({ type }) => [type].flat().includes('string'));
  const longest = texts.find((form) => form.maxLength === mostOf(texts, 'maxLength'));
  if (longest?.maxLength === undefined) return undefined;
  const most = Math.max(SHORT, Number(longest.maxLength) * UNITS_OF_CHARACTER);
  return (value, pointer, faults) => {
    if (typeof value === 'string' && value.length > most)
      faults.push({ pointer, detail: sentence('maxLength', longest) });
  };
}

/** Undefined if one of the schemas has no limit. */
function mostOf(schemas: readonly Node[], keyword: 'maxItems' | 'maxLength'): number | undefined {
  const limits = schemas.map((schema) => Number(schema[keyword]));
  return limits.length > 0 && limits.every(Number.isFinite) ? Math.max(...limits) : undefined;
}
