import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request as send } from 'undici';
import { createApp } from '../../api/app.ts';
import type { Contract } from '../../api/http/contract.ts';
import { startServer, type RunningServer } from '../../api/http/server/server.ts';
import { LOGIN_SCOPES, type Scope } from '../../domain/auth.ts';
import type { Services } from '../../infra/services.ts';
import { accountsOf } from './activities.ts';
import { cloneDatabase, lateServices, openTestServices, type TestDatabase, type TestParts } from './database.ts';
import { testEnvironment } from './environment.ts';
import { HERE } from './here.ts';
import { markProved } from './proved.ts';

/** `body` is the parsed JSON, or the text if the response is not JSON. */
export interface TestAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // This is `any`, because each test expects a different shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

export interface TestRequest {
  token?: string;
  /** Sends the API key as `X-Vault-API-Key`, and by default the vault client's certificate. */
  vaultKey?: string;
  /** The default is the vault client's certificate if there is a `vaultKey`, otherwise none. */
  certificate?: 'vault' | 'none' | { cert: string; key: string };
  /** The base URL of another API to call. */
  at?: string;
  /** Sends the request to the plain HTTP listener from this local address, as a proxy does. */
  proxiedFrom?: string;
  /** Sent as JSON, except strings and bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestUser {
  userId: string;
  email: string;
  password: string;
  token: string;
}

interface Calls {
  readonly url: string;
  readonly plainUrl: string;
  request(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  get(path: string, options?: TestRequest): Promise<TestAnswer>;
  post(path: string, options?: TestRequest): Promise<TestAnswer>;
}

export interface TestApi extends Calls {
  /** Usable from `beforeAll` on. */
  services: Services;
  /** Unless `granted` is false, the test's application gets a grant. `proved` confirms the email address. */
  registerUser(options?: { granted?: boolean; proved?: boolean }): Promise<TestUser>;
  apiKey(scopes: readonly Scope[], options?: { app?: string }): Promise<string>;
  application(): Promise<string>;
  anotherApplication(): Promise<string>;
  /** Grants scopes as a user's consent does. @returns the token family's id. */
  grant(userId: string, scopes: readonly Scope[], options?: { app?: string }): Promise<string>;
  another(): Promise<Calls>;
}

interface ApiParts extends TestParts {
  contract?: Contract;
  /** The default is a clone of the migrated template. */
  database?: () => Promise<TestDatabase>;
  /** Maps the database's URL to the URL that the service uses, such as a proxy's. */
  reachedBy?: (databaseUrl: string) => Promise<string>;
}

interface Open {
  database: TestDatabase;
  services: Services & { close(): Promise<void> };
  server: RunningServer;
  plain: RunningServer;
  agents: Map<string, Agent>;
}

/** Starts the API on a new database, with TLS on a free port. A response outside the contract becomes a 500. */
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
  const others: Open[] = [];
  afterAll(async () => {
    for (const { agents, server, plain, services } of open === undefined ? [] : [open, ...others]) {
      for (const agent of agents.values()) await agent.destroy();
      await server.stop(1_000);
      await plain.stop(1_000);
      await services.close();
    }
    await open?.database.drop();
  });

  const accounts = () => accountsOf(opened().services);
  let ownApplication: Promise<string> | undefined;
  const newApplication = async () => (await accounts().createApplication({ name: 'Test' })).app_id;
  const application = () => (ownApplication ??= newApplication());
  const clients = new Map<string, Promise<string>>();
  const grant: TestApi['grant'] = async (userId, scopes, { app } = {}) => {
    const appId = app ?? (await application());
    const client = clients.get(appId) ?? newClientOf(opened().services, appId);
    clients.set(appId, client);
    const family = { user_id: userId, client_id: await client, session_hash: null, scopes };
    return (await accounts().beginFamily(family, new Date())).familyId;
  };
  return Object.assign(callsOf(opened), {
    services: lateServices(() => opened().services),
    async registerUser({ granted = true, proved = false } = {}) {
      const given = { email: `user-${(users += 1)}@example.test`, password: 'a long enough passphrase' };
      const { user_id: userId } = await accounts().registerUser(given);
      const { access_token: token } = await accounts().login({ ...given, from: HERE });
      if (granted) await grant(userId, LOGIN_SCOPES);
      if (proved) await opened().services.db.run(markProved(userId));
      return { userId, ...given, token };
    },
    async apiKey(scopes, { app } = {}) {
      return (await accounts().issueApiKey({ app_id: app ?? (await application()), scopes })).key;
    },
    application,
    anotherApplication: newApplication,
    grant,
    async another() {
      const other = await openApi(parts, opened().database);
      others.push(other);
      return callsOf(() => other);
    },
  } satisfies Omit<TestApi, keyof Calls>);
}

function callsOf(open: () => Open): Calls {
  const request: Calls['request'] = (method, path, options = {}) => sendRequest(open(), method, path, options);
  return {
    get url() {
      return urlOf(open());
    },
    get plainUrl() {
      return plainUrlOf(open());
    },
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
  };
}

async function newClientOf(services: Services, app_id: string): Promise<string> {
  const redirect_uris = ['https://app.example.org/callback'];
  const client = { app_id, name: 'Test', redirect_uris, scopes: LOGIN_SCOPES, public: true };
  return (await accountsOf(services).createClient(client)).client_id;
}

async function openApi(parts: ApiParts, existing?: TestDatabase): Promise<Open> {
  const database = existing ?? (await (parts.database ?? cloneDatabase)());
  const services = await openTestServices((await parts.reachedBy?.(database.url)) ?? database.url, parts);
  const app = await createApp(services, parts.contract);
  const { tls, vaultClientCa } = services.config.api;
  const server = await startServer({ host: 'localhost', port: 0, tls: { ...tls, ca: vaultClientCa } }, app);
  const plain = await startServer({ host: '127.0.0.1', port: 0 }, app);
  if (parts.env?.RINGFENCE_PUBLIC_URL === undefined) services.config.api.publicUrl = `https://localhost:${server.port}`;
  return { database, services, server, plain, agents: new Map() };
}

// Requests with different client certificates must not share connections.
async function agentFor({ services, agents }: Open, request: TestRequest): Promise<Agent> {
  const { proxiedFrom, vaultKey, certificate = vaultKey === undefined ? 'none' : 'vault' } = request;
  const name = JSON.stringify(proxiedFrom ?? certificate);
  const known = agents.get(name);
  if (known !== undefined) return known;
  const { tls } = services.config.api;
  const shown = certificate === 'vault' ? await vaultClient() : certificate === 'none' ? {} : certificate;
  const connect =
    proxiedFrom === undefined ? { ca: await readFile(tls.ca), minVersion: 'TLSv1.3' as const, ...shown } : {};
  const agent = new Agent({ connect, ...(proxiedFrom !== undefined && { localAddress: proxiedFrom }) });
  agents.set(name, agent);
  return agent;
}

export async function vaultClient(): Promise<{ cert: string; key: string }> {
  const pki = join(testEnvironment().dir, 'pki');
  const [cert, key] = await Promise.all(
    ['crt', 'key'].map((end) => readFile(join(pki, `vault-client.${end}`), 'utf8')),
  );
  return { cert: cert!, key: key! };
}

const urlOf = ({ server }: Open) => `https://localhost:${server.port}`;
const plainUrlOf = ({ plain }: Open) => `http://127.0.0.1:${plain.port}`;

async function sendRequest(open: Open, method: string, path: string, request: TestRequest): Promise<TestAnswer> {
  const { token, vaultKey, body, headers = {} } = request;
  const { proxiedFrom, at = proxiedFrom === undefined ? urlOf(open) : plainUrlOf(open) } = request;
  const plain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const answer = await send(`${at}${path}`, {
    method: method as 'GET',
    dispatcher: await agentFor(open, request),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(vaultKey === undefined ? {} : { 'x-vault-api-key': vaultKey }),
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
