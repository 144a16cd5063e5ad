import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request as send } from 'undici';
import { authActivities } from '../../activities/auth.ts';
import { beginFamily } from '../../activities/auth/tokens.ts';
import { createApp } from '../../api/app.ts';
import type { Contract } from '../../api/http/contract.ts';
import { startServer, type RunningServer } from '../../api/http/server.ts';
import { LOGIN_SCOPES, type Scope } from '../../domain/auth.ts';
import { proveAddress } from '../../infra/db/statements/proof.ts';
import type { Services } from '../../infra/services.ts';
import { cloneDatabase, lateServices, openTestServices, type TestDatabase, type TestParts } from './database.ts';
import { testEnvironment } from './environment.ts';
import { HERE } from './here.ts';

/** A response of the API. `body` is the parsed JSON, or the text if the response is not JSON. */
export interface TestAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // This is `any`, because each test expects a different shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  text: string;
}

export interface TestRequest {
  /** The token that is sent as `Authorization: Bearer …`. */
  token?: string;
  /** The API key that is sent as `X-Vault-API-Key`. By default, the vault client's certificate is sent too. */
  vaultKey?: string;
  /** The client certificate. By default, the vault client's if there is a `vaultKey`, otherwise none. */
  certificate?: 'vault' | 'none' | { cert: string; key: string };
  /** The address to call instead of this API's own, in the form `https://localhost:PORT`. */
  at?: string;
  /** The local address from which the request goes to the plain HTTP listener, as from a proxy. */
  proxiedFrom?: string;
  /** The request body, sent as JSON. Strings and bytes are sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface TestUser {
  userId: string;
  email: string;
  password: string;
  token: string;
}

export interface TestApi {
  /** The services that this API uses. Tests can use them from `beforeAll` on. */
  services: Services;
  readonly url: string;
  /** The address of the plain HTTP listener, for proxies that terminate TLS. */
  readonly plainUrl: string;
  request(method: string, path: string, options?: TestRequest): Promise<TestAnswer>;
  get(path: string, options?: TestRequest): Promise<TestAnswer>;
  post(path: string, options?: TestRequest): Promise<TestAnswer>;
  /**
   * Registers and signs in a new user. Unless `granted` is false, the test's own application gets a grant. If `proved`
   * is true, the email address is confirmed.
   */
  registerUser(options?: { granted?: boolean; proved?: boolean }): Promise<TestUser>;
  /** Issues a new API key of the test's own application, or of `app`. */
  apiKey(scopes: readonly Scope[], options?: { app?: string }): Promise<string>;
  /** Returns the id of the test's own application. */
  application(): Promise<string>;
  anotherApplication(): Promise<string>;
  /** Grants scopes as a user's consent does, to `app` or the test's own application. @returns the token family's id. */
  grant(userId: string, scopes: readonly Scope[], options?: { app?: string }): Promise<string>;
  /** Starts a second API on the same database, with its own ports. */
  another(): Promise<Pick<TestApi, 'url' | 'request' | 'get' | 'post'>>;
}

interface ApiParts extends TestParts {
  /** The contract to use instead of the real one. */
  contract?: Contract;
  /** Makes the database. By default, this is a clone of the migrated template. */
  database?: () => Promise<TestDatabase>;
  /** Takes the database's address. Returns the address that the service uses instead, such as a proxy's. */
  reachedBy?: (databaseUrl: string) => Promise<string>;
}

interface Open {
  database: TestDatabase;
  services: Services & { close(): Promise<void> };
  server: RunningServer;
  plain: RunningServer;
  /** One agent for each client certificate and each source address. */
  agents: Map<string, Agent>;
}

/**
 * Starts the API for the tests of this file or `describe`, with its own database and with TLS on a free port. A
 * response that the contract does not declare becomes a 500.
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

  const services = lateServices(() => opened().services);
  const request: TestApi['request'] = (method, path, options = {}) => sendRequest(opened(), method, path, options);
  let ownApplication: Promise<string> | undefined;
  const newApplication = async () =>
    (await authActivities(opened().services).createApplication({ name: 'Test' })).app_id;
  const application = () => (ownApplication ??= newApplication());
  const clients = new Map<string, Promise<string>>();
  const grant: TestApi['grant'] = async (userId, scopes, { app } = {}) => {
    const appId = app ?? (await application());
    let client = clients.get(appId);
    if (client === undefined) clients.set(appId, (client = newClientOf(opened().services, appId)));
    const family = { userId, clientId: await client, sessionHash: null, scopes };
    return (await beginFamily(opened().services, family, new Date())).familyId;
  };
  return {
    services,
    get url() {
      return urlOf(opened());
    },
    get plainUrl() {
      return plainUrlOf(opened());
    },
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, options) => request('POST', path, options),
    async registerUser({ granted = true, proved = false } = {}) {
      const auth = authActivities(opened().services);
      const given = { email: `user-${(users += 1)}@example.test`, password: 'a long enough passphrase' };
      const { user_id: userId } = await auth.registerUser(given);
      const { access_token: token } = await auth.login({ ...given, from: HERE });
      if (granted) await grant(userId, LOGIN_SCOPES);
      if (proved) await opened().services.db.run(proveAddress(userId, new Date(), null));
      return { userId, ...given, token };
    },
    async apiKey(scopes, { app } = {}) {
      const auth = authActivities(opened().services);
      return (await auth.issueApiKey({ app_id: app ?? (await application()), scopes })).key;
    },
    application,
    anotherApplication: newApplication,
    grant,
    async another() {
      const other = await openApi(parts, opened().database);
      others.push(other);
      const send: TestApi['request'] = (method, path, options = {}) => sendRequest(other, method, path, options);
      return {
        url: urlOf(other),
        request: send,
        get: (path, options) => send('GET', path, options),
        post: (path, options) => send('POST', path, options),
      };
    },
  };
}

async function newClientOf(services: Services, app_id: string): Promise<string> {
  const redirect_uris = ['https://app.example.org/callback'];
  const client = { app_id, name: 'Test', redirect_uris, scopes: LOGIN_SCOPES, public: true };
  return (await authActivities(services).createClient(client)).client_id;
}

async function openApi(parts: ApiParts, existing?: TestDatabase): Promise<Open> {
  const database = existing ?? (await (parts.database ?? cloneDatabase)());
  const services = await openTestServices((await parts.reachedBy?.(database.url)) ?? database.url, parts);
  const app = await createApp(services, parts.contract);
  const { tls, vaultClientCa } = services.config.api;
  const server = await startServer({ host: 'localhost', port: 0, tls: { ...tls, ca: vaultClientCa } }, app);
  const plain = await startServer({ host: '127.0.0.1', port: 0 }, app);
  // Adds the port to the public address, because the port is known only now.
  if (parts.env?.RINGFENCE_PUBLIC_URL === undefined) services.config.api.publicUrl = `https://localhost:${server.port}`;
  return { database, services, server, plain, agents: new Map() };
}

/** Returns the agent for a request. Requests with different client certificates do not share connections. */
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

/** Returns the vault client's certificate and key, in PEM. */
export async function vaultClient(): Promise<{ cert: string; key: string }> {
  const pki = join(testEnvironment().dir, 'pki');
  const [cert, key] = await Promise.all(
    ['crt', 'key'].map((end) => readFile(join(pki, `vault-client.${end}`), 'utf8')),
  );
  return { cert: cert!, key: key! };
}

function urlOf({ server }: Open): string {
  return `https://localhost:${server.port}`;
}

function plainUrlOf({ plain }: Open): string {
  return `http://127.0.0.1:${plain.port}`;
}

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
