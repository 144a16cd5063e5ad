import { resolve, type Node } from '../contract.ts';

/** The variants of a body, distinguished by one member (OpenAPI's discriminator). */
interface Variants {
  property: string;
  /** Keyed by the member's value. */
  schemas: ReadonlyMap<string, Node>;
  /** For a body that names no known variant. */
  common: Node;
}

export function variantsOf(document: Node, given: Node): Variants | undefined {
  const { discriminator } = resolve(document, given) as {
    discriminator?: { propertyName: string; mapping: Record<string, string> };
  };
  if (discriminator === undefined) return undefined;
  const { propertyName: property, mapping } = discriminator;
  const schemas = new Map(Object.entries(mapping).map(([value, $ref]) => [value, { $ref }]));
  const forms = [...schemas.values()].map((schema) => resolve(document, schema));
  return { property, schemas, common: commonOf(document, forms, property, [...schemas.keys()]) };
}

/** All variants require the same members. If they disagree on a member, the schema checks only the member's type. */
function commonOf(document: Node, forms: readonly Node[], property: string, values: readonly string[]): Node {
  const [first = {}, ...others] = forms;
  const membersOf = (form: Node) => form.properties as Readonly<Record<string, Node>>;
  const members = Object.entries(membersOf(first)).map(([name, schema]) => {
    const same = others.every((form) => JSON.stringify(membersOf(form)[name]) === JSON.stringify(schema));
    return [name, same ? schema : { type: resolve(document, schema).type }] as const;
  });
  return {
    type: 'object',
    required: first.required,
    properties: { ...Object.fromEntries(members), [property]: { type: 'string', enum: values } },
    additionalProperties: false,
  };
}
