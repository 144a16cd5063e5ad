import { DAY_MS } from '../../../domain/dates.ts';
import type { RequestHandler } from 'express';
import { resolve, type Node, type Operation } from '../contract.ts';

type Notice = Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>>;

interface Deprecated {
  /** `body`: a top-level field of a JSON body. */
  location: 'operation' | 'query' | 'body';
  name: string;
  notice: Notice;
}

/** The minimum between deprecation and removal. */
const LEAST_DAYS = 180;
const POLICY = '</docs/guide/versions>; rel="deprecation"; type="text/html"';

export function deprecationsOf(document: Node, { id, node }: Pick<Operation, 'id' | 'node'>): Deprecated[] {
  const parameters = ((node.parameters ?? []) as Node[]).filter((parameter) => parameter.in === 'query');
  const content = resolve(document, node.requestBody ?? {}).content as Readonly<Record<string, Node>> | undefined;
  const { properties } = resolve(document, content?.['application/json']?.schema ?? {});
  const parts = [
    { location: 'operation' as const, name: id, part: node },
    ...parameters.map((part) => ({ location: 'query' as const, name: String(part.name), part })),
    ...Object.entries((properties ?? {}) as Record<string, Node>).map(([name, property]) => {
      // The contract can mark a property as deprecated next to its `$ref`.
      const part = property.deprecated === true ? property : resolve(document, property);
      return { location: 'body' as const, name, part };
    }),
  ];
  return parts
    .filter(({ part }) => part.deprecated === true)
    .map(({ location, name, part }) => ({ location, name, notice: noticeOf(part, `${id}, ${name}`) }));
}

/** RFC 9745 and RFC 8594 */
function noticeOf(part: Node, name: string): Notice {
  const [since, until] = ['x-deprecated-on', 'x-sunset'].map((name) => Date.parse(`${String(part[name])}T00:00:00Z`));
  if (Number.isNaN(since) || Number.isNaN(until))
    throw new Error(`${name}: a deprecated part must have x-deprecated-on and x-sunset, as dates`);
  if (until! - since! < LEAST_DAYS * DAY_MS)
    throw new Error(`${name}: x-sunset must be at least ${LEAST_DAYS} days after x-deprecated-on`);
  return { Deprecation: `@${since! / 1_000}`, Sunset: new Date(until!).toUTCString(), Link: POLICY };
}

/** Tells the earliest removal date of what a request uses. Error responses of later steps have the headers too. */
export function tellDeprecations(operation: Operation, document: Node): RequestHandler[] {
  const deprecated = deprecationsOf(document, operation).sort(
    (one, other) => Date.parse(one.notice.Sunset) - Date.parse(other.notice.Sunset),
  );
  if (deprecated.length === 0) return [];
  return [
    (_request, response, next) => {
      const { query = {}, body } = response.locals;
      const sent: Record<Deprecated['location'], string[]> = {
        operation: [operation.id],
        query: Object.keys(query),
        body: typeof body?.value === 'object' ? Object.keys(body.value ?? {}) : [],
      };
      const used = deprecated.find(({ location, name }) => sent[location].includes(name));
      for (const [name, value] of Object.entries(used?.notice ?? {})) response.setHeader(name, value);
      next();
    },
  ];
}
