import { resolve, type Contract, type Node, type Operation } from '../../api/http/contract.ts';

/** A body that costs as much as a body can, by what it is. */
export interface WorstBody {
  what: string;
  type: string;
  text: string;
}

const FORM = 'application/x-www-form-urlencoded';
/** What the service takes: values in a body, and bytes. */
const MOST_VALUES = 2_000;
const MOST_BYTES = 1_048_576;
const FILLS = ['A', ' ', '1', 'a.', 'é', '"\\', '-'];

/** The operations that take a body which is not a form with files. */
export function operationsWithBodies({ operations }: Contract): Operation[] {
  return operations.filter(({ bodyTypes }) => bodyTypes.some((type) => type === FORM || type === 'application/json'));
}

/**
 * The worst bodies of an operation, made from its part of the contract: lists beyond `maxItems`, unknown members, wrong types, the
 * longest texts, and what is refused before it is looked at.
 */
export function worstBodies({ document }: Contract, operation: Operation): WorstBody[] {
  const { content } = resolve(document, operation.node.requestBody) as { content: Record<string, Node> };
  return Object.entries(content).flatMap(([type, media]) => {
    if (type === FORM) return worstForms(propertiesOf(document, media.schema));
    return type === 'application/json' ? worstJson(document, media) : [];
  });
}

function worstJson(document: Node, media: Node): WorstBody[] {
  const good = exampleOf(media);
  const at = placesIn(document, media.schema, good);
  const json = (what: string, body: unknown) => ({ what, type: 'application/json', text: JSON.stringify(body) });
  const text = (what: string, body: string) => ({ what, type: 'application/json', text: body });
  const room = MOST_VALUES - countOf(good) - 1;
  return [
    json('unknown members', { ...good, ...manyMembers(room) }),
    json('nothing but objects', Object.fromEntries(Array.from({ length: room }, (_, place) => [`o${place}`, {}]))),
    ...at.flatMap(({ path, item }) =>
      [{}, [], 0, null, 'x', item, { ...(item as object), ...manyMembers(20) }].flatMap((member, kind) => {
        const count = Math.floor(room / countOf(member));
        const many = Array.from({ length: count }, () => member);
        return json(`${count} times ${KINDS[kind]!} at ${path.join('/')}`, replaced(good, path, many));
      }),
    ),
    ...at.flatMap(({ path }) => json(`a long text at ${path.join('/')}`, replaced(good, path, 'A'.repeat(900_000)))),
    ...FILLS.flatMap((fill) => textsOf(good, fill).map((body) => json(`texts of ${JSON.stringify(fill)}`, body))),
    text('many numbers', `[${'0,'.repeat(MOST_BYTES / 2 - 2)}0]`),
    text('many members', `{${Array.from({ length: 80_000 }, (_, place) => `"m${place}":0`).join(',')}}`),
    text('one long number', '1'.repeat(MOST_BYTES - 1)),
    text('lists in lists', '['.repeat(MOST_BYTES - 1)),
  ];
}

const KINDS = ['{}', '[]', '0', 'null', 'a text', 'a good item', 'an item with unknown members'];

function worstForms(properties: Readonly<Record<string, Node>>): WorstBody[] {
  const names = Object.keys(properties);
  const form = (what: string, text: string) => ({ what, type: FORM, text });
  return [
    form('many fields', Array.from({ length: 100_000 }, (_, place) => `f${place}=1`).join('&')),
    form('one field many times', 'a=1&'.repeat(MOST_BYTES / 4 - 1)),
    form('many escapes', `${names[0] ?? 'a'}=${'%41'.repeat(MOST_BYTES / 3 - 100)}`),
    ...FILLS.map((fill) => form(`texts of ${JSON.stringify(fill)}`, longFields(names, fill))),
  ];
}

function longFields(names: readonly string[], fill: string): string {
  const each = Math.floor(MOST_BYTES / 4 / Math.max(1, names.length) / fill.length);
  return names.map((name) => `${name}=${encodeURIComponent(fill.repeat(each))}`).join('&');
}

/** Each text of a body by itself as long as it can be. */
function textsOf(good: Node, fill: string): Node[] {
  const long = fill.repeat(Math.floor(MOST_BYTES / 2 / Buffer.byteLength(JSON.stringify(fill))));
  return Object.entries(good).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ ...good, [name]: long }] : [],
  );
}

function manyMembers(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, place) => [`unknown_${place}`, place]));
}

/** Objects, arrays and scalars, each counted once. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, member) => sum + countOf(member), 0);
}

function exampleOf({ example, examples }: Node): Node {
  const [first] = Object.values((examples ?? {}) as Record<string, Node>);
  return (example ?? first?.value ?? {}) as Node;
}

interface Place {
  path: string[];
  /** A good item, as far as the example has one. */
  item: unknown;
}

/** Where a body may hold a list; every field where it holds none, since a list may come there all the same. */
function placesIn(document: Node, schema: unknown, good: Node): Place[] {
  const properties = propertiesOf(document, schema);
  const lists = Object.entries(properties).flatMap(([name, given]): Place[] => {
    const { type, properties: inner } = resolve(document, given);
    if (type === 'array') return [{ path: [name], item: (good[name] as unknown[] | undefined)?.[0] ?? {} }];
    return inner === undefined ? [] : [{ path: [name], item: good[name] ?? {} }];
  });
  const [first] = Object.keys(properties);
  return lists.length > 0 ? lists : first === undefined ? [] : [{ path: [first], item: good[first] ?? {} }];
}

function propertiesOf(document: Node, given: unknown): Readonly<Record<string, Node>> {
  const schema = resolve(document, given);
  const own = (schema.properties ?? {}) as Readonly<Record<string, Node>>;
  const forms = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as Node[]);
  return Object.assign({}, ...forms.map((form) => propertiesOf(document, form)), own) as Record<string, Node>;
}

function replaced(body: Node, [name, ...rest]: readonly string[], value: unknown): Node {
  if (name === undefined) return body;
  return { ...body, [name]: rest.length === 0 ? value : replaced((body[name] ?? {}) as Node, rest, value) };
}
