import { resolve, type Contract, type Node, type Operation } from '../../api/http/contract.ts';

/** A request that is as expensive as possible for the service to check, mostly by its body. */
export interface WorstBody {
  what: string;
  type?: string;
  text?: string;
  query?: string;
  more?: Record<string, string>;
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';
const JSON_TYPE = 'application/json';
/** The service's limits for a body: the number of values, and the bytes. Forms with files can have five megabytes. */
const MOST_VALUES = 2_000;
const MOST_BYTES = 1_048_576;
const MOST_FORM_BYTES = 5_000_000;
export const FILLS = ['A', ' ', '1', 'a.', 'é', '"\\', '-'];
/** No pattern matches a text that ends with this character, so a regular expression backtracks as much as it can. */
const MISMATCH = '\u0000';

export function operationsWithBodies({ operations }: Contract): Operation[] {
  return operations.filter(({ bodyTypes }) => bodyTypes.length > 0);
}

/** Makes an operation's most expensive bodies from the contract. The service refuses some of them before validation. */
export function worstBodies({ document }: Contract, operation: Operation): WorstBody[] {
  const { content } = resolve(document, operation.node.requestBody) as { content: Record<string, Node> };
  return Object.entries(content).flatMap(([type, media]) => {
    if (type === FORM) return worstForms(propertiesOf(document, media.schema));
    if (type === MULTIPART) return worstMultipart(Object.keys(propertiesOf(document, media.schema)));
    if (type === JSON_TYPE) return worstJson(document, media);
    throw new Error(`there is no generator for ${type}, which ${operation.id} accepts`);
  });
}

function worstJson(document: Node, media: Node): WorstBody[] {
  const good = exampleOf(document, media);
  const spots = spotsIn(document, media.schema);
  const lists = listsAmong(spots).map(({ path }) => ({ path, item: itemAt(good, path) }));
  const json = (what: string, body: unknown) => ({ what, type: JSON_TYPE, text: JSON.stringify(body) });
  const room = MOST_VALUES - countOf(good) - 1;
  return [
    json('unknown members', { ...good, ...manyMembers(room) }),
    json('nothing but objects', Object.fromEntries(Array.from({ length: room }, (_, place) => [`o${place}`, {}]))),
    ...lists.flatMap(({ path, item }) =>
      [{}, [], 0, null, 'x', item, { ...(item as object), ...manyMembers(20) }].flatMap((member, kind) => {
        const count = Math.floor(room / countOf(member));
        const many = Array.from({ length: count }, () => member);
        return json(`${count} times ${KINDS[kind]!} at ${path.join('/')}`, replaced(good, path, many));
      }),
    ),
    ...fullLists(good, spots).map(([what, body]) => json(what, body)),
    ...lists.flatMap(({ path }) => json(`a long text at ${path.join('/')}`, replaced(good, path, 'A'.repeat(900_000)))),
    ...lists.flatMap(({ path }) => nested(room).map(([what, deep]) => json(what, replaced(good, path, deep)))),
    ...FILLS.flatMap((fill) => textsOf(good, fill).map((body) => json(`texts of ${JSON.stringify(fill)}`, body))),
    ...FILLS.flatMap((fill) => longestTexts(good, spots, fill).map(([what, body]) => json(what, body))),
    ...[[], [good, good], 'x', 0, null, true].map((body) => json(`${JSON.stringify(body).slice(0, 9)} itself`, body)),
    ...unparsed().map(([what, text]) => ({ what, type: JSON_TYPE, text })),
  ];
}

const KINDS = ['{}', '[]', '0', 'null', 'a text', 'a good item', 'an item with unknown members'];

/** Lists of the most items that the contract allows, each with as many faults as possible. */
function fullLists(good: Node, spots: readonly Spot[]): [what: string, body: Node][] {
  const lists = spots.filter(({ schema }) => schema.maxItems !== undefined);
  return lists.flatMap(({ path, schema }) => {
    const count = Math.min(Number(schema.maxItems), MOST_VALUES / 10);
    const [item] = [itemAt(good, path)].flat() as Node[];
    const names = Object.keys(item ?? {});
    const items: [string, unknown][] = [
      ['{}', {}],
      ['items of null', Object.fromEntries(names.map((name) => [name, null]))],
      ['items of long texts', Object.fromEntries(names.map((name) => [name, `${'A'.repeat(1_500)}${MISMATCH}`]))],
      ['items of unknown members', manyMembers(Math.max(1, names.length))],
      ['long texts', `${'A'.repeat(5_000)}${MISMATCH}`],
    ];
    return items.map(([what, one]): [string, Node] => [
      `the most ${what} at ${path.join('/')}`,
      replaced(
        good,
        path,
        Array.from({ length: count }, () => one),
      ),
    ]);
  });
}

/** Makes bodies that the service refuses before validation. */
function unparsed(): [what: string, text: string][] {
  const deep = MOST_BYTES / 8;
  return [
    ['many numbers', `[${'0,'.repeat(MOST_BYTES / 2 - 2)}0]`],
    ['many members', `{${Array.from({ length: 80_000 }, (_, place) => `"m${place}":0`).join(',')}}`],
    ['one long number', '1'.repeat(MOST_BYTES - 1)],
    ['one number of many places', `0.${'1'.repeat(MOST_BYTES - 3)}`],
    ['lists in lists', '['.repeat(MOST_BYTES - 1)],
    ['lists in lists, closed', `${'['.repeat(MOST_BYTES / 2)}${']'.repeat(MOST_BYTES / 2)}`],
    ['objects in objects, closed', `${'{"a":'.repeat(deep)}0${'}'.repeat(deep)}`],
    ['one long text', JSON.stringify('\\"'.repeat(MOST_BYTES / 4 - 2))],
    [
      'members of every object',
      `{"__proto__":{"a":1},"constructor":{"prototype":{}},"a":${'['.repeat(900)}${']'.repeat(900)}}`,
    ],
  ];
}

/** Makes the deepest nesting that `room` values allow. */
function nested(room: number): [what: string, deep: unknown][] {
  let [lists, objects]: [unknown, unknown] = [0, 0];
  for (let depth = 1; depth < room; depth += 1) [lists, objects] = [[lists], { a: objects }];
  return [
    [`${room} lists in each other`, lists],
    [`${room} objects in each other`, objects],
  ];
}

/** In one body, the texts together fill half the byte limit. In the other, no text exceeds its `maxLength`. */
function longestTexts(good: Node, spots: readonly Spot[], fill: string): [what: string, body: Node][] {
  const texts = spots.filter(({ schema }) => [schema.type].flat().includes('string'));
  if (texts.length === 0) return [];
  const room = MOST_BYTES / 2 / texts.length / (Buffer.byteLength(JSON.stringify(fill)) - 2);
  const filled = (most: (schema: Node) => number) =>
    texts.reduce((body, { path, schema }) => {
      const text = fill.repeat(Math.max(1, Math.min(room, most(schema) / fill.length))).slice(0, most(schema) - 1);
      return replaced(body, path, `${text}${MISMATCH}`);
    }, good);
  return [
    [`every text a long one of ${JSON.stringify(fill)}`, filled(() => MOST_BYTES)],
    [`every text its longest of ${JSON.stringify(fill)}`, filled(({ maxLength }) => Number(maxLength ?? MOST_BYTES))],
  ];
}

function worstMultipart(names: readonly string[]): WorstBody[] {
  const boundary = 'worst';
  const type = `${MULTIPART}; boundary=${boundary}`;
  const part = (name: string, body: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${body}\r\n`;
  const form = (what: string, parts: string) => ({ what, type, text: `${parts}--${boundary}--\r\n` });
  const file = (content: string) => part('file', content, '; filename="a.pdf"\r\nContent-Type: application/pdf');
  const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
  return [
    form('many fields', fill(part('a', ''), MOST_FORM_BYTES)),
    form('many files', fill(file(''), MOST_FORM_BYTES)),
    form('a long name', part('n'.repeat(900_000), '')),
    form('many headers', part('a', '', fill('\r\nX: y', 900_000))),
    form('a file of what looks like boundaries', file(fill('\r\n--wors', MOST_FORM_BYTES))),
    form('a file of line ends', file(fill('\r\n', MOST_FORM_BYTES))),
    form('a file that says that it is a PDF', file(`%PDF-1.7\n${fill('1 0 obj << /A [ ', MOST_FORM_BYTES)}`)),
    form('a file of zeros', file(fill('\u0000', MOST_FORM_BYTES))),
    { what: 'a form without an end', type, text: fill(`--${boundary}\r\n`, MOST_FORM_BYTES) },
    ...names.flatMap((name) =>
      FILLS.map((text) => form(`${name} of ${JSON.stringify(text)}`, part(name, fill(text, 900_000)))),
    ),
  ];
}

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
  const escaped = encodeURIComponent(fill);
  const each = Math.floor((MOST_BYTES / Math.max(1, names.length) - 100) / escaped.length);
  return names.map((name) => `${name}=${escaped.repeat(each)}`).join('&');
}

/** Makes a body for each text at the top level, in which only that text is long (half the byte limit). */
function textsOf(good: Node, fill: string): Node[] {
  const long = fill.repeat(Math.floor(MOST_BYTES / 2 / Buffer.byteLength(JSON.stringify(fill))));
  return Object.entries(good).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ ...good, [name]: long }] : [],
  );
}

function manyMembers(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, place) => [`unknown_${place}`, place]));
}

/** Each object, array and scalar counts once. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, member) => sum + countOf(member), 0);
}

function exampleOf(document: Node, { example, examples }: Node): Node {
  const [first] = Object.values((examples ?? {}) as Record<string, Node>);
  return (example ?? (first && resolve(document, first).value) ?? {}) as Node;
}

/** In a list, the index is `0`. */
interface Spot {
  path: string[];
  schema: Node;
}

const MOST_DEPTH = 6;

/** Goes down to a depth of about `MOST_DEPTH`. */
function spotsIn(document: Node, given: unknown, path: string[] = []): Spot[] {
  if (path.length > MOST_DEPTH) return [];
  const { items } = resolve(document, given);
  const inside = Object.entries(propertiesOf(document, given)).map(([name, schema]) => [name, schema] as const);
  return [...inside, ...(items === undefined ? [] : [['0', items] as const])].flatMap(([name, schema]) => {
    const at = [...path, name];
    return [{ path: at, schema: resolve(document, schema) }, ...spotsIn(document, schema, at)];
  });
}

/** If there are none, returns the first field, where clients can send a list. */
function listsAmong(spots: readonly Spot[]): readonly Spot[] {
  const lists = spots.filter(({ schema }) => schema.type === 'array' || schema.properties !== undefined);
  return lists.length > 0 ? lists : spots.slice(0, 1);
}

/** The first item of the example's list at this position. Without a list, the example's value. */
function itemAt(good: unknown, path: readonly string[]): unknown {
  const found = path.reduce<unknown>((at, name) => (at as Node | undefined)?.[name], good);
  return (Array.isArray(found) ? (found as unknown[])[0] : found) ?? {};
}

function propertiesOf(document: Node, given: unknown): Readonly<Record<string, Node>> {
  const schema = resolve(document, given);
  const own = (schema.properties ?? {}) as Readonly<Record<string, Node>>;
  const forms = ['oneOf', 'anyOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as Node[]);
  return Object.assign({}, ...forms.map((form) => propertiesOf(document, form)), own) as Record<string, Node>;
}

function replaced(body: unknown, path: readonly string[], value: unknown): Node {
  const [name, ...rest] = path;
  if (name === undefined) return value as Node;
  const inside = replaced((body as Node | undefined)?.[name], rest, value);
  if (name === '0') return [inside] as unknown as Node;
  return { ...(typeof body === 'object' ? body : {}), [name]: inside };
}
