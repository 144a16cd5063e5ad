import createFetchClient from 'openapi-fetch';
import type { CallOptions, Entry } from './call.ts';
import type { components, paths } from './contract.ts';
import { bearerOf, type Credential, type TokenSet } from './credentials.ts';
import { isProblem, OAuthError, ProblemError, UnexpectedAnswerError, type RingfenceError } from './errors.ts';
import type { Methods } from './methods.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { RETRY_DEFAULTS, retryAfterOf, sendPatiently, type Fetch, type RetryOptions } from './retry.ts';
import { waitsOf, type Waits } from './wait.ts';

export interface ClientOptions {
  /** The address of the service, such as `https://localhost:8443`. */
  baseUrl: string;
  /** Calls of public operations need none. The PII vault needs `vaultKey` instead. */
  credential?: Credential;
  /**
   * The API key for the PII vault, which also needs a client certificate: see `tlsFetch` of `@ringfence/client/node`.
   */
  vaultKey?: string;
  /** The default is the platform's `fetch`. */
  fetch?: Fetch;
  /** The time limit for one response, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  retry?: RetryOptions;
}

export type Client = Methods & Waits;

type Problem = components['schemas']['Problem'];

interface AnyInput {
  path?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

type Requester = (
  method: string,
  path: string,
  init: unknown,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

/** A client holds no connections, so you need not close it. */
export function createClient(options: ClientOptions): Client {
  const { credential } = options;
  const send = senderOf(options);
  const tokens = (name: OperationName) => (body: object) => send(name, { body }, {}, undefined) as Promise<TokenSet>;
  const bearer = credential && bearerOf(credential, { login: tokens('login'), refresh: tokens('refreshTokens') });

  const call = async (name: OperationName, input: AnyInput = {}, asked: CallOptions = {}): Promise<unknown> => {
    const keyed = {
      ...asked,
      ...(OPERATIONS[name].idempotent && { idempotencyKey: asked.idempotencyKey ?? newKey() }),
    };
    if (OPERATIONS[name].credential !== 'bearer' || bearer === undefined) return send(name, input, keyed, undefined);
    const token = await bearer.current();
    try {
      return await send(name, input, keyed, token);
    } catch (refused) {
      if (!isProblem(refused, 'invalid-token')) throw refused;
      const other = await bearer.instead(token);
      if (other === undefined) throw refused;
      return send(name, input, keyed, other);
    }
  };
  const methods = Object.fromEntries(
    (Object.keys(OPERATIONS) as OperationName[]).map((name) => [
      name,
      (input?: AnyInput, asked?: CallOptions) => call(name, input, asked),
    ]),
  ) as unknown as Methods;
  return { ...methods, ...waitsOf(methods) };
}

type Send = (name: OperationName, input: AnyInput, asked: CallOptions, bearer: string | undefined) => Promise<unknown>;

function senderOf({ baseUrl, vaultKey, timeoutMs = 60_000, retry, fetch = platformFetch }: ClientOptions): Send {
  const core = createFetchClient<paths>({ baseUrl });
  const request = core.request as unknown as Requester;
  return async (name, { path, query, body }, asked, bearer) => {
    const entry: Entry = OPERATIONS[name];
    const sending = {
      ...RETRY_DEFAULTS,
      ...retry,
      fetch,
      repeatable: entry.repeatable,
      timeoutMs: (asked.timeoutMs ?? timeoutMs) + (asked.wait ?? 0) * 1_000,
      signal: asked.signal,
    };
    requirePath(name, entry.path, path);
    const media = asked.accept ?? mediaOf(entry);
    const { data, error, response } = await request(entry.method, entry.path, {
      params: { path, query },
      headers: {
        ...(media !== undefined && { Accept: media }),
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
        ...(entry.credential === 'vault' && vaultKey !== undefined && { 'X-Vault-API-Key': vaultKey }),
        ...headersOf(asked),
      },
      ...(body !== undefined && { body }),
      ...(entry.body === 'form' && { bodySerializer: formOf }),
      parseAs: media === 'application/json' ? 'json' : media === 'application/pdf' ? 'blob' : 'text',
      fetch: (made: Request) => sendPatiently(made, sending),
    });
    asked.onResponse?.(response);
    if (!response.ok) throw refusalOf(error, response);
    return data;
  };
}

/** Without a value, the template itself would be the path, and `.` and `..` would change it. @throws TypeError */
function requirePath(name: OperationName, template: string, given: unknown): void {
  const values = new Map(Object.entries((given ?? {}) as Record<string, unknown>));
  for (const [, parameter] of template.matchAll(/\{(\w+)\}/g)) {
    const value = values.get(parameter!);
    if (value === undefined || value === null || value === '' || value === '.' || value === '..')
      throw new TypeError(`${name}: path.${parameter} is ${String(value)}, but must be an id.`);
  }
}

const platformFetch: Fetch = (request) => globalThis.fetch(request);

/** Undefined for responses without content. */
function mediaOf({ media }: Entry): string | undefined {
  const all: readonly string[] = media;
  return all.includes('application/json') ? 'application/json' : all[0];
}

function headersOf({ idempotencyKey, ifMatch, wait, respondAsync }: CallOptions): Record<string, string> {
  const prefer = [...(wait === undefined ? [] : [`wait=${wait}`]), ...(respondAsync === true ? ['respond-async'] : [])];
  return {
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    ...(prefer.length > 0 && { Prefer: prefer.join(', ') }),
  };
}

function formOf(parts: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    if (value instanceof Blob) form.append(name, value);
    else if (typeof value === 'string' || typeof value === 'number') form.append(name, `${value}`);
  }
  return form;
}

function newKey(): string {
  return crypto.randomUUID();
}

function refusalOf(body: unknown, response: Response): RingfenceError {
  const refusal = {
    status: response.status,
    retryAfter: retryAfterOf(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
  };
  const { code, error } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof code === 'string') return new ProblemError(body as Problem, refusal);
  if (typeof error === 'string') return new OAuthError({ ...(body as { error: string }) }, refusal);
  return new UnexpectedAnswerError(refusal);
}
