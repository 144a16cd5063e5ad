import { readFile } from 'node:fs/promises';
import { Agent, request as send } from 'undici';
import { authActivities } from '../../activities/auth.ts';
import { createApp } from '../../api/app.ts';
import { startServer, type RunningServer } from '../../api/http/server.ts';
import type { Scope } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';
import { cloneDatabase, lateServices, openTestServices, type TestDatabase, type TestParts } from './database.ts';

/** An answer as it came; `body` is parsed where it is JSON, else its text. */
export interface TestAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // A test says by its expectations what it takes this for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

export interface TestRequest {
  /** Sent as `Authorization: Bearer …`. */
  token?: string;
  /** Sent as JSON; a string or bytes as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestApi {
  /** The parts of the service on the database of this API; they work from `beforeAll` on. */
  services: Services;
  readonly url: string;
  request(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  get(path: string, options?: TestRequest): Promise<TestAnswer>;
  post(path: string, options?: TestRequest): Promise<TestAnswer>;
  /** A fresh user, signed in. */
  registerUser(): Promise<{ userId: string; email: string; password: string; token: string }>;
  /** A fresh API key of a fresh application. */
  apiKey(scopes: readonly Scope[]): Promise<string>;
}

export interface ApiParts extends TestParts {
  /** Takes the address of the database, and gives the one by which the service is to reach it. */
  reachedBy?: (databaseUrl: string) => Promise<string>;
}

interface Open {
  database: TestDatabase;
  services: Services & { close(): Promise<void> };
  server: RunningServer;
  agent: Agent;
}

/**
 * Gives the tests of this file, or of the `describe` it is called in, the real app: its own database, TLS on a free port.
 * Every answer is checked against the contract; one that it does not declare comes back as a 500.
 */
export function startApi(parts: ApiParts = {}): TestApi {
  let open: Open | undefined;
  let users = 0;
  const opened = () => {
    if (open === undefined) throw new Error('startApi: the API runs from beforeAll on');
    return open;
  };
  beforeAll(async () => {
    open = await openApi(parts);
  });
  afterAll(async () => {
    await open?.agent.destroy();
    await open?.server.stop(1_000);
    await open?.services.close();
    await open?.database.drop();
  });

  const services = lateServices(() => opened().services);
  const request: TestApi['request'] = (method, path, options = {}) => sendRequest(opened(), method, path, options);
  return {
    services,
    get url() {
      return urlOf(opened());
    },
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
    async registerUser() {
      const auth = authActivities(opened().services);
      const given = { email: `user-${(users += 1)}@example.test`, password: 'a long enough passphrase' };
      const { user_id: userId } = await auth.registerUser(given);
      const { access_token: token } = await auth.login(given);
      return { userId, ...given, token };
    },
    async apiKey(scopes) {
      const auth = authActivities(opened().services);
      const { app_id } = await auth.createApplication({ name: 'Test' });
      return (await auth.issueApiKey({ app_id, scopes })).key;
    },
  };
}

async function openApi(parts: ApiParts): Promise<Open> {
  const database = await cloneDatabase();
  const services = await openTestServices((await parts.reachedBy?.(database.url)) ?? database.url, parts);
  const { listener } = await createApp(services);
  const server = await startServer({ host: 'localhost', port: 0, tls: services.config.api.tls }, listener);
  const agent = new Agent({ connect: { ca: await readFile(services.config.api.tls.ca), minVersion: 'TLSv1.3' } });
  return { database, services, server, agent };
}

function urlOf({ server }: Open): string {
  return `https://localhost:${server.port}`;
}

async function sendRequest(
  open: Open,
  method: string,
  path: string,
  { token, body, headers = {} }: TestRequest,
): Promise<TestAnswer> {
  const plain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const answer = await send(`${urlOf(open)}${path}`, {
    method: method as 'GET',
    dispatcher: open.agent,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: plain ? body : JSON.stringify(body),
  });
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type']).includes('json');
  const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : text;
  return { status: answer.statusCode, headers: answer.headers, body: parsed, text };
}
