type Node = Readonly<Record<string, unknown>>;

type Way = 'sent' | 'answered';

interface At {
  documents: { before: Node; after: Node };
  /** `YYYY-MM-DD` */
  today: string;
  way: Way;
  /** Pairs of references under comparison, so that recursive schemas do not loop. */
  seen: ReadonlySet<string>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Deprecated operations, parameters and fields may be removed after their `x-sunset`. `today` is `YYYY-MM-DD`. */
export function breakingChanges(before: Node, after: Node, today: string): string[] {
  const at = { documents: { before, after }, today, seen: new Set<string>() };
  return Object.entries(nodeOf(before.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const old = nodeOf(item)[method];
      if (old === undefined) return [];
      const name = `${method.toUpperCase()} ${path}`;
      const now = nodeOf(nodeOf(after.paths)[path])[method];
      if (now === undefined) return isOver(nodeOf(old), today) ? [] : [`${name}: is gone`];
      return inOperation(at, nodeOf(old), nodeOf(now)).map((change) => `${name}: ${change}`);
    }),
  );
}

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /is a new value in responses$/,
    'declare the enumeration open (`x-open: true`) if callers can handle new values, or keep the old ones',
  ],
  [/is no longer accepted$/, 'keep accepting the value, and mark it as deprecated'],
  [/is required now$/, 'make it optional'],
  [/may be missing now$/, 'keep it required'],
  [/is stricter$/, 'keep the old bound; if the new pattern accepts all old texts, list the old one in `x-widens`'],
  [
    /(?:is gone|has fewer forms)$/,
    'keep it with `deprecated: true` and an `x-sunset` at least 180 days ahead, and remove it after that day',
  ],
];

export function adviceOn(change: string): string {
  return ADVICE.find(([sentence]) => sentence.test(change))?.[1] ?? 'keep the old form, and add the new one beside it';
}

function inOperation(at: Omit<At, 'way'>, old: Node, now: Node): string[] {
  const sent: At = { ...at, way: 'sent' };
  const [before, after] = [parametersOf(at.documents.before, old), parametersOf(at.documents.after, now)];
  const changes: string[] = [];
  if (old.operationId !== now.operationId)
    changes.push(`operationId was ${text(old.operationId)} and is ${text(now.operationId)}`);
  if (!allowsAsMuch(text(old['x-scope']), text(now['x-scope'])))
    changes.push(`x-scope was ${text(old['x-scope'])} and is ${text(now['x-scope'])}`);
  return [
    ...changes,
    ...inProperties(sent, before, after, 'parameter '),
    ...inBodies(sent, old, now),
    ...inAnswers({ ...at, way: 'answered' }, old, now),
  ];
}

/** A caller needs one of the scopes, so more scopes admit more callers. */
function allowsAsMuch(old: string, now: string): boolean {
  return now === 'public' || now === old || old.split(' ').every((scope) => now.split(' ').includes(scope));
}

/** The parameters as the properties of an object. */
function parametersOf(document: Node, operation: Node): Node {
  const parameters = listOf(operation.parameters).map((parameter) => resolved(document, parameter));
  const nameOf = (parameter: Node) => `${text(parameter.in)} ${text(parameter.name).toLowerCase()}`;
  const properties = parameters.map((parameter) => {
    const { schema, deprecated, 'x-sunset': sunset } = parameter;
    return [nameOf(parameter), { ...nodeOf(schema), deprecated, 'x-sunset': sunset }];
  });
  return {
    properties: Object.fromEntries(properties) as Node,
    required: parameters.filter(({ required }) => required === true).map(nameOf),
  };
}

function inBodies(at: At, old: Node, now: Node): string[] {
  const [before, after] = bothResolved(at, old.requestBody, now.requestBody);
  const wanted = after.required === true && before.required !== true ? ['body: is required now'] : [];
  return [...wanted, ...inContent(at, before, after, 'body')];
}

function inAnswers(at: At, old: Node, now: Node): string[] {
  const [before, after] = [nodeOf(old.responses), nodeOf(now.responses)];
  return Object.keys(before)
    .filter((status) => status.startsWith('2'))
    .flatMap((status) =>
      after[status] === undefined
        ? [`response ${status}: is gone`]
        : inContent(at, ...bothResolved(at, before[status], after[status]), `response ${status}`),
    );
}

function inContent(at: At, old: Node, now: Node, place: string): string[] {
  const [before, after] = [nodeOf(old.content), nodeOf(now.content)];
  return Object.entries(before).flatMap(([type, media]) =>
    after[type] === undefined
      ? [`${place}: ${type} is gone`]
      : inSchema(at, nodeOf(media).schema, nodeOf(after[type]).schema, place),
  );
}

function inSchema(at: At, old: unknown, now: unknown, place: string): string[] {
  const pair = `${text(nodeOf(old).$ref)} ${text(nodeOf(now).$ref)}`;
  if (pair.includes('#') && at.seen.has(pair)) return [];
  const within: At = { ...at, seen: new Set([...at.seen, pair]) };
  const [before, after] = bothResolved(at, old, now);
  return [
    ...inTypes(at.way, before, after, place),
    ...inChoices(at.way, before, after, place),
    ...(at.way === 'sent' ? tighter(before, after, place) : []),
    ...inProperties(within, before, after, `${place}.`),
    ...(before.items === undefined ? [] : inSchema(within, before.items, after.items, `${place}[]`)),
    ...inForms(within, before, after, place),
  ];
}

/** Requests must still accept the old types. Responses must contain no new types. */
function inTypes(way: Way, before: Node, after: Node, place: string): string[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  const [narrow, wide] = way === 'sent' ? [now, old] : [old, now];
  if (narrow.length === 0 || wide.every((type) => narrow.includes(type))) return [];
  return [`${place}: type was ${old.join(' or ') || 'any'} and is ${now.join(' or ')}`];
}

function inChoices(way: Way, before: Node, after: Node, place: string): string[] {
  const [old, now] = [choicesOf(before), choicesOf(after)];
  const [narrow, wide] = way === 'sent' ? [now, old] : [old, now];
  if (narrow === undefined) return [];
  if (wide === undefined) return [`${place}: is ${way === 'sent' ? 'now' : 'no longer'} limited to certain values`];
  // Open enumerations can get new values, as the guide explains.
  if (way !== 'sent' && after['x-open'] === true) return [];
  const missing = wide.filter((choice) => !narrow.includes(choice));
  return missing.map(
    (choice) => `${place}: ${choice} is ${way === 'sent' ? 'no longer accepted' : 'a new value in responses'}`,
  );
}

const LEASTS = ['minimum', 'minLength', 'minItems', 'exclusiveMinimum'];
const MOSTS = ['maximum', 'maxLength', 'maxItems', 'exclusiveMaximum', 'x-max-bytes'];

function tighter(before: Node, after: Node, place: string): string[] {
  const bound = (node: Node, name: string, otherwise: number) =>
    typeof node[name] === 'number' ? node[name] : otherwise;
  const least = LEASTS.filter((name) => bound(after, name, -Infinity) > bound(before, name, -Infinity));
  const most = MOSTS.filter((name) => bound(after, name, Infinity) < bound(before, name, Infinity));
  const isOther = (name: string) => after[name] !== undefined && after[name] !== before[name];
  // Code cannot compare patterns, so `x-widens` lists the previous patterns that the new pattern includes.
  const widens = listOf(after['x-widens']).includes(before.pattern);
  const forms = widens ? [] : ['pattern', 'format'].filter(isOther);
  return [...least, ...most, ...forms].map((name) => `${place}: ${name} is stricter`);
}

/** `prefix` comes before the name of a property in the result. */
function inProperties(at: At, before: Node, after: Node, prefix: string): string[] {
  const [old, now] = [nodeOf(before.properties), nodeOf(after.properties)];
  const [needed, needs] = [listOf(before.required).map(text), listOf(after.required).map(text)];
  const changed =
    at.way === 'sent'
      ? needs.filter((name) => !needed.includes(name)).map((name) => `${prefix}${name}: is required now`)
      : needed
          .filter((name) => !needs.includes(name) && now[name] !== undefined)
          .map((name) => `${prefix}${name}: may be missing now`);
  return [
    ...changed,
    ...Object.keys(old).flatMap((name) => {
      if (now[name] !== undefined) return inSchema(at, old[name], now[name], `${prefix}${name}`);
      const isDue = [nodeOf(old[name]), resolved(at.documents.before, old[name])].some((node) =>
        isOver(node, at.today),
      );
      return isDue ? [] : [`${prefix}${name}: is gone`];
    }),
  ];
}

/** Compares the forms in their order. */
function inForms(at: At, before: Node, after: Node, place: string): string[] {
  return ['oneOf', 'anyOf', 'allOf'].flatMap((kind) => {
    const [old, now] = [listOf(before[kind]), listOf(after[kind])];
    const fewer = now.length < old.length && at.way === 'sent' ? [`${place}: ${kind} has fewer forms`] : [];
    const more = old.length > 0 && now.length > old.length && at.way === 'answered';
    return [
      ...fewer,
      ...(more ? [`${place}: ${kind} has a new form`] : []),
      ...old.flatMap((form, index) => (index < now.length ? inSchema(at, form, now[index], `${place}(${index})`) : [])),
    ];
  });
}

function typesOf({ type }: Node): string[] {
  const types = typeof type === 'string' ? [type] : listOf(type).map(text);
  // Every integer is also a number.
  return types.includes('number') ? [...types, 'integer'] : types;
}

function choicesOf(node: Node): string[] | undefined {
  if (node.const !== undefined) return [JSON.stringify(node.const)];
  return Array.isArray(node.enum) ? node.enum.map((choice) => JSON.stringify(choice)) : undefined;
}

function isOver({ deprecated, 'x-sunset': sunset }: Node, today: string): boolean {
  return deprecated === true && typeof sunset === 'string' && sunset < today;
}

function bothResolved({ documents }: At, old: unknown, now: unknown): [Node, Node] {
  return [resolved(documents.before, old), resolved(documents.after, now)];
}

function resolved(document: Node, node: unknown): Node {
  let found = nodeOf(node);
  while (typeof found.$ref === 'string') {
    const steps = found.$ref.slice(2).split('/');
    const target = steps.reduce<unknown>(
      (at, step) => nodeOf(at)[decodeURIComponent(step.replaceAll('~1', '/').replaceAll('~0', '~'))],
      document,
    );
    const { $ref: _, ...beside } = found;
    found = { ...nodeOf(target), ...beside };
  }
  return found;
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
