import { generateKeyPairSync, randomBytes, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { testEnvironment } from './environment.ts';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: unknown;
}

export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** If undefined, the provider refuses every sign-in. */
  person: Person | undefined;
  /** Changes the token endpoint's response before it is sent. */
  tamper: ((answer: Record<string, unknown>) => Record<string, unknown> | Promise<Record<string, unknown>>) | undefined;
  /** The status of every response, if set. */
  outage: number | undefined;
  /** The paths of requests to the token endpoint and to UserInfo. */
  seen: string[];
  allow(redirectUri: string): void;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  authMethod?: 'client_secret_basic' | 'client_secret_post';
  /** Whether the ID token contains the email address. */
  emailInIdToken?: boolean;
  /** Plain HTTP, on loopback. */
  plain?: boolean;
  port?: number;
}

// oidc-provider has no types.
interface Context {
  path: string;
  req: IncomingMessage;
  res: ServerResponse;
  status: number;
  body: unknown;
  oidc: { client: { clientId: string }; session: { accountId: string }; provider: Library };
}
interface Library {
  proxy: boolean;
  callback(): RequestListener;
  use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  Grant: new (of: { clientId: string; accountId: string }) => {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  };
}

// Making a key is slow.
let ownKey: JsonWebKey | undefined;

/** Starts a real OpenID Connect provider, by default with the test run's TLS certificate. */
export async function startOidcProvider(options: ProviderOptions = {}): Promise<TestProvider> {
  const { authMethod = 'client_secret_basic', emailInIdToken = false, plain = false, port = 0 } = options;
  const handler: { listener: RequestListener } = { listener: (_request, response) => response.end() };
  const listener: RequestListener = (request, response) => handler.listener(request, response);
  const server = plain ? createPlainServer(listener) : createServer(await tlsOfRun(), listener);
  await once(server.listen(port, 'localhost'), 'listening');
  const issuer = `${plain ? 'http' : 'https'}://localhost:${(server.address() as { port: number }).port}`;
  const redirectUris: string[] = [];
  const state: TestProvider = {
    issuer,
    // HTTP Basic must encode these characters.
    clientId: `ringfence-${randomBytes(4).toString('hex')}:+`,
    clientSecret: `${randomBytes(24).toString('base64url')}%+&`,
    person: undefined,
    tamper: undefined,
    outage: undefined,
    seen: [],
    allow(redirectUri) {
      redirectUris.push(redirectUri);
      started = undefined;
    },
    stop: () => close(server),
  };
  const jwks = { keys: [(ownKey ??= newSigningKey())] };
  let started: Promise<RequestListener> | undefined;
  const make = () => newLibrary(state, { authMethod, emailInIdToken, redirectUris, jwks });
  handler.listener = (request, response) => {
    if (state.outage !== undefined) {
      response.writeHead(state.outage, { 'content-type': 'application/json' }).end('{"error":"server_error"}');
      return;
    }
    started ??= make();
    void started.then((answer) => answer(request, response));
  };
  return state;
}

async function newLibrary(
  state: TestProvider,
  {
    authMethod,
    emailInIdToken,
    redirectUris,
    jwks,
  }: { authMethod: string; emailInIdToken: boolean; redirectUris: string[]; jwks: object },
): Promise<RequestListener> {
  const [library, memory] = ['oidc-provider', 'oidc-provider/lib/adapters/memory_adapter.js'];
  const { Provider } = (await import(library)) as { Provider: new (issuer: string, configuration: object) => Library };
  const { createMemoryAdapter } = (await import(memory)) as { createMemoryAdapter(clockTolerance: number): unknown };
  const provider = new Provider(state.issuer, {
    clients: [
      {
        client_id: state.clientId,
        client_secret: state.clientSecret,
        redirect_uris: redirectUris.length === 0 ? ['https://nowhere.example/'] : redirectUris,
        token_endpoint_auth_method: authMethod,
      },
    ],
    clientAuthMethods: [authMethod],
    adapter: createMemoryAdapter(15),
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    jwks,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: !emailInIdToken,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: () => '/interaction' },
    findAccount: (_context: Context, sub: string) => ({ accountId: sub, claims: () => ({ ...state.person, sub }) }),
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context, next) => {
    if (context.path === '/interaction') {
      const { person } = state;
      const result = person ? { login: { accountId: person.sub } } : { error: 'access_denied' };
      await provider.interactionFinished(context.req, context.res, result);
      return;
    }
    if (['/token', '/me'].includes(context.path)) state.seen.push(context.path);
    await next();
    if (context.path === '/token' && context.status === 200 && state.tamper) {
      context.body = await state.tamper(context.body as Record<string, unknown>);
    }
  });
  return provider.callback();
}

async function tlsOfRun() {
  const file = (name: string) => readFile(join(testEnvironment().dir, 'pki', name));
  return { cert: await file('server.crt'), key: await file('server.key') };
}

export function newSigningKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: randomBytes(4).toString('hex') };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
