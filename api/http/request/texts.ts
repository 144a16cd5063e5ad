import type { RequestHandler } from 'express';
import { foldText } from '../../../domain/text.ts';
import { resolve, type Node, type Operation } from '../contract.ts';

type Fold = (value: unknown) => unknown;

/** The contract's format of texts that people read, such as labels and names. */
const TEXT = 'printable-text';
/** A decomposed character has at most so many code units. The time to compose a text grows with its square. */
const UNITS_OF_CHARACTER = 4;

/** Gives the texts of a body their one spelling, before anything compares, checks or stores them. */
export function foldTexts({ node }: Operation, document: Node): RequestHandler[] {
  const content = resolve(document, node.requestBody ?? {}).content as Readonly<Record<string, Node>> | undefined;
  const fold = foldOf(document, content?.['application/json']?.schema ?? {});
  if (fold === undefined) return [];
  return [
    (_request, { locals: { body } }, next) => {
      fold(body?.value);
      next();
    },
  ];
}

/** Changes lists and objects in place. Leaves what the contract refuses for its length. Undefined if there is no text. */
function foldOf(document: Node, given: unknown): Fold | undefined {
  const { format, maxLength, items, maxItems, properties = {} } = resolve(document, given);
  if (format === TEXT) {
    const longest = Number(maxLength) * UNITS_OF_CHARACTER;
    return (value) => (typeof value === 'string' && value.length <= longest ? foldText(value) : value);
  }
  if (items !== undefined) return listFold(foldOf(document, items), Number(maxItems));
  const members = Object.entries(properties as Node).flatMap(([name, schema]) => {
    const fold = foldOf(document, schema);
    return fold === undefined ? [] : [{ name, fold }];
  });
  return members.length === 0 ? undefined : (value) => foldMembers(value, members);
}

function listFold(fold: Fold | undefined, longest: number): Fold | undefined {
  if (fold === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value) || value.length > longest) return value;
    const list = value as unknown[];
    for (const [index, item] of list.entries()) list[index] = fold(item);
    return list;
  };
}

function foldMembers(value: unknown, members: readonly { name: string; fold: Fold }[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  for (const { name, fold } of members) if (Object.hasOwn(object, name)) object[name] = fold(object[name]);
  return object;
}
