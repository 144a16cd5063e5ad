import { DAY_MS } from '../../domain/dates.ts';
import type { RequestHandler } from 'express';
import { resolve, type Node, type Operation } from './contract.ts';

type Notice = Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>>;

interface Deprecations {
  whole: Notice | undefined;
  query: ReadonlyMap<string, Notice>;
  /** The deprecated top-level fields of a JSON body. */
  body: ReadonlyMap<string, Notice>;
}

/** The minimum between deprecation and removal. */
const LEAST_DAYS = 180;
const POLICY = '</docs/guide/versions>; rel="deprecation"; type="text/html"';

export function deprecationsOf(document: Node, operation: Pick<Operation, 'id' | 'node'>): Deprecations {
  const { id, node } = operation;
  const parameters = (node.parameters ?? []) as Node[];
  const content = resolve(document, node.requestBody ?? {}).content as Readonly<Record<string, Node>> | undefined;
  const schema = resolve(document, content?.['application/json']?.schema ?? {});
  const named = (entries: (readonly [string, Node])[]) =>
    new Map(
      entries.flatMap(([name, marked]) => {
        const notice = noticeOf(marked, `${id}, ${name}`);
        return notice === undefined ? [] : [[name, notice] as const];
      }),
    );
  return {
    whole: noticeOf(node, id),
    query: named(parameters.filter((parameter) => parameter.in === 'query').map((one) => [String(one.name), one])),
    body: named(
      Object.entries((schema.properties ?? {}) as Record<string, Node>).map(([name, property]) => [
        name,
        // The contract can mark a property as deprecated next to its `$ref`.
        property.deprecated === true ? property : resolve(document, property),
      ]),
    ),
  };
}

/** RFC 9745 and RFC 8594 */
function noticeOf(node: Node, place: string): Notice | undefined {
  if (node.deprecated !== true) return undefined;
  const [since, until] = ['x-deprecated-on', 'x-sunset'].map((name) => Date.parse(`${String(node[name])}T00:00:00Z`));
  if (Number.isNaN(since) || Number.isNaN(until))
    throw new Error(`${place}: a deprecated part must have x-deprecated-on and x-sunset, as dates`);
  if (until! - since! < LEAST_DAYS * DAY_MS)
    throw new Error(`${place}: x-sunset must be at least ${LEAST_DAYS} days after x-deprecated-on`);
  return { Deprecation: `@${since! / 1_000}`, Sunset: new Date(until!).toUTCString(), Link: POLICY };
}

/** The headers also appear on error responses of later steps. */
export function tellDeprecations(operation: Operation, document: Node): RequestHandler[] {
  const deprecations = deprecationsOf(document, operation);
  if (deprecations.whole === undefined && deprecations.query.size === 0 && deprecations.body.size === 0) return [];
  return [
    (_request, response, next) => {
      const { query = {}, body } = response.locals;
      const notice = noticeFor(deprecations, { query, body: body?.value });
      for (const [name, value] of Object.entries(notice ?? {})) response.setHeader(name, value);
      next();
    },
  ];
}

/** Returns the notice with the earliest removal date. */
function noticeFor(
  { whole, query, body }: Deprecations,
  sent: { query: Readonly<Record<string, unknown>>; body: unknown },
): Notice | undefined {
  const given = typeof sent.body === 'object' && sent.body !== null ? Object.keys(sent.body) : [];
  const notices = [
    whole,
    ...Object.keys(sent.query).map((name) => query.get(name)),
    ...given.map((name) => body.get(name)),
  ].filter((notice) => notice !== undefined);
  return notices.sort((one, other) => Date.parse(one.Sunset) - Date.parse(other.Sunset))[0];
}
