import { readFileSync } from 'node:fs';
import type { Scope } from '../../domain/auth.ts';
import { MULTIPART, type Form } from './request/multipart.ts';
import type { OperationId } from './handlers.ts';

export type Node = Readonly<Record<string, unknown>>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The last two are counted in memory. */
const RATE_LIMITS = ['credentials', 'tokens', 'introspections', 'contracts'] as const;
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export interface Operation {
  id: OperationId;
  method: Method;
  /** For example `/api/v1/payments/{payment_id}`. */
  path: string;
  /** The caller needs one of these scopes. For `any`, a credential is enough. `public` requires no credential. */
  scopes: readonly Scope[] | 'any' | 'public';
  /** `bearer`: an access token or API key. `vault`: a client certificate and an API key. */
  credential: 'bearer' | 'vault';
  /** `oauth`: RFC 6749. `page`: HTML for browsers. `accept`: HTML if `Accept` has `text/html`. `problem`: RFC 9457. */
  errors: 'problem' | 'oauth' | 'page' | 'accept';
  /** Which quota limits the calls from one IP address or network. */
  rateLimit: (typeof RATE_LIMITS)[number] | undefined;
  /** Empty if the operation takes no body. */
  bodyTypes: readonly string[];
  bodyRequired: boolean;
  /** `x-max-body`: the most bytes of a body, if it has fewer than others. */
  mostBytes: number | undefined;
  /** Set if the body can be a multipart form. */
  form: Form | undefined;
  queryNames: ReadonlySet<string>;
  queryIntegers: readonly string[];
  /** Whether the handler checks the query instead of the validator. */
  laxQuery: boolean;
  /** In lower case. */
  headerNames: readonly string[];
  idempotent: boolean;
  /** Whether a response can contain personal data, and so is stored encrypted for an Idempotency-Key. */
  personal: boolean;
  responses: Node;
  /** The statuses, with the media types of their bodies. An empty set means that there is no body. */
  declared: ReadonlyMap<number, ReadonlySet<string>>;
  node: Node;
}

export interface Contract {
  document: Node;
  operations: readonly Operation[];
}

const BUNDLE = new URL('../../openapi/bundle.json', import.meta.url);

const SANDBOX_PATHS = '/api/v1/sandbox/';

export function readContract(environment: 'sandbox' | 'production' = 'sandbox'): Contract {
  const bundle = JSON.parse(readFileSync(BUNDLE, 'utf8')) as Node;
  return contractOf(environment === 'sandbox' ? bundle : withoutSandbox(bundle));
}

export function contractOf(document: Node): Contract {
  const operations = Object.entries(document.paths as Record<string, Record<string, Node>>).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const node = item[method.toLowerCase()];
      return node === undefined ? [] : [operationOf(document, path, method, node, item)];
    }),
  );
  return { document, operations };
}

function withoutSandbox(document: Node): Node {
  const paths = Object.entries(document.paths as Node).filter(([path]) => !path.startsWith(SANDBOX_PATHS));
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Follows references to components. */
export function resolve(document: Node, node: unknown): Node {
  let found = node as Node;
  while (typeof found.$ref === 'string') {
    const steps = found.$ref.slice(2).split('/');
    found = steps.reduce<unknown>((at, step) => (at as Node)[step], document) as Node;
  }
  return found;
}

function operationOf(document: Node, path: string, method: Method, node: Node, item: Node): Operation {
  const parameters = [item.parameters, node.parameters]
    .flatMap((given) => (given ?? []) as unknown[])
    .map((parameter) => resolve(document, parameter));
  const named = (location: string) =>
    parameters.filter((parameter) => parameter.in === location).map(({ name }) => String(name));
  const requestBody = node.requestBody === undefined ? undefined : resolve(document, node.requestBody);
  const scopes = scopesOf(node);
  const headerNames = named('header').map((name) => name.toLowerCase());
  return {
    id: node.operationId as OperationId,
    method,
    path,
    scopes,
    credential: oneOf(node, 'x-credential', ['bearer', 'vault']),
    errors: oneOf(node, 'x-errors', ['problem', 'oauth', 'page', 'accept']),
    rateLimit: node['x-rate-limit'] === undefined ? undefined : oneOf(node, 'x-rate-limit', RATE_LIMITS),
    bodyTypes: Object.keys(requestBody?.content ?? {}),
    bodyRequired: requestBody?.required === true,
    mostBytes: node['x-max-body'] === undefined ? undefined : Number(node['x-max-body']),
    form: formOf(document, requestBody),
    queryNames: new Set(named('query')),
    queryIntegers: parameters
      .filter((one) => one.in === 'query' && resolve(document, one.schema).type === 'integer')
      .map(({ name }) => String(name)),
    laxQuery: oneOf(node, 'x-query', ['strict', 'lax']) === 'lax',
    headerNames,
    idempotent: headerNames.includes('idempotency-key'),
    personal: scopes === 'public' || node['x-personal-data'] === true,
    responses: node.responses as Node,
    declared: declaredBy(document, node.responses as Node),
    node: { ...node, parameters },
  };
}

function declaredBy(document: Node, responses: Node): Operation['declared'] {
  const typesOf = (response: unknown) => Object.keys(resolve(document, response).content ?? {});
  return new Map(Object.entries(responses).map(([status, one]) => [Number(status), new Set(typesOf(one))]));
}

function formOf(document: Node, requestBody: Node | undefined): Form | undefined {
  const media = (requestBody?.content as Readonly<Record<string, Node>> | undefined)?.[MULTIPART];
  if (media === undefined) return undefined;
  const properties = resolve(document, media.schema).properties as Readonly<Record<string, Node>>;
  const fileBytes = Number(resolve(document, properties.file)['x-max-bytes']);
  return { names: new Set(Object.keys(properties)), fileBytes };
}

function scopesOf(node: Node): Operation['scopes'] {
  const given = node['x-scope'];
  return given === 'public' || given === 'any' ? given : (String(given).split(' ') as Scope[]);
}

/** The first choice is the default. */
function oneOf<const T extends string>(node: Node, extension: string, choices: readonly [T, ...T[]]): T {
  const given = node[extension] ?? choices[0];
  const choice = choices.find((candidate) => candidate === given);
  if (choice !== undefined) return choice;
  throw new Error(`${String(node.operationId)}: ${extension} must be one of ${choices.join(', ')}`);
}
