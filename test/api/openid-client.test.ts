import { readFile } from 'node:fs/promises';
import * as oidc from 'openid-client';
import { Agent, fetch, type RequestInit } from 'undici';
import { startApi } from '../helpers/api.ts';
import { newClient, type TestClient } from '../helpers/oauth.ts';
import { newVisitor, type Visitor } from '../helpers/visitor.ts';

/* A certified third-party OAuth client checks the service's responses. */

/** The library treats every parameter in the redirect's query as part of the response. */
const REDIRECT_URI = 'https://app.example.org/callback';

const api = startApi();
let agent: Agent | undefined;
let person: { email: string; password: string; userId: string };

beforeAll(async () => {
  agent = new Agent({ connect: { ca: await readFile(api.services.config.api.tls.ca) } });
  person = await api.registerUser();
});
afterAll(() => agent?.destroy());

const overTls: oidc.CustomFetch = async (url, options) => {
  return fetch(url, { ...(options as RequestInit), dispatcher: agent });
};

const METHODS: Record<string, { isPublic: boolean; authentication: (secret: string) => oidc.ClientAuth }> = {
  client_secret_basic: { isPublic: false, authentication: (secret) => oidc.ClientSecretBasic(secret) },
  client_secret_post: { isPublic: false, authentication: (secret) => oidc.ClientSecretPost(secret) },
  none: { isPublic: true, authentication: () => oidc.None() },
};

const discover = ({ clientId, secret }: TestClient, method: string) =>
  oidc.discovery(new URL(api.url), clientId, {}, METHODS[method]!.authentication(secret), {
    algorithm: 'oauth2',
    [oidc.customFetch]: overTls,
  });

async function authorized(
  configuration: oidc.Configuration,
  parameters: Record<string, string>,
  visitor: Visitor = newVisitor(api),
) {
  const address = oidc.buildAuthorizationUrl(configuration, { redirect_uri: REDIRECT_URI, ...parameters });
  expect(address.origin).toBe(api.url);
  let page = await visitor.get(address.pathname + address.search);
  if (page.text.includes('action="/api/v1/auth/sign-in"')) {
    const { email, password } = person;
    const sent = await visitor.submit(page, '/api/v1/auth/sign-in', { email, password });
    expect(sent.status).toBe(303);
    page = await visitor.get(String(sent.headers.location));
  }
  const answer = await visitor.submit(page, '/api/v1/auth/consent', { decision: 'allow' });
  expect(answer.status).toBe(303);
  return new URL(String(answer.headers.location));
}

async function grantedBy(method: string, scope = 'read:profile write:debt', visitor?: Visitor) {
  const client = await newClient(api.services, { isPublic: METHODS[method]!.isPublic, redirectUris: [REDIRECT_URI] });
  const configuration = await discover(client, method);
  const [verifier, state] = [oidc.randomPKCECodeVerifier(), oidc.randomState()];
  const challenge = await oidc.calculatePKCECodeChallenge(verifier);
  const parameters = { scope, state, code_challenge: challenge, code_challenge_method: 'S256' };
  const callback = await authorized(configuration, parameters, visitor);
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  return { client, configuration, callback, checks };
}

const me = (configuration: oidc.Configuration, token: string) =>
  oidc.fetchProtectedResource(configuration, token, new URL('/api/v1/auth/me', api.url), 'GET');

describe.each(Object.keys(METHODS))('a client that authenticates by %s', (method) => {
  test('finds the endpoints by discovery, gets a code on the pages, exchanges the code for tokens, and refreshes them', async () => {
    const { configuration, callback, checks } = await grantedBy(method);
    expect(configuration.serverMetadata()).toMatchObject({
      issuer: api.url,
      token_endpoint: `${api.url}/api/v1/auth/token`,
      code_challenge_methods_supported: ['S256'],
    });
    expect(configuration.serverMetadata().supportsPKCE()).toBe(true);
    expect(callback.searchParams.get('iss')).toBe(api.url);

    const first = await oidc.authorizationCodeGrant(configuration, callback, checks);
    expect(first).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read:profile write:debt' });
    expect(first.expiresIn()).toBeGreaterThan(3_590);
    const profile: unknown = await (await me(configuration, first.access_token)).json();
    expect(profile).toMatchObject({ user_id: person.userId, scopes: ['read:profile', 'write:debt'] });

    const second = await oidc.refreshTokenGrant(configuration, first.refresh_token!);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    const narrowed = await oidc.refreshTokenGrant(configuration, second.refresh_token!, { scope: 'read:profile' });
    expect(narrowed.scope).toBe('read:profile');
    expect((await me(configuration, narrowed.access_token)).status).toBe(200);
  });

  test('introspects its tokens if it has a secret, and revokes them', async () => {
    const { client, configuration, callback, checks } = await grantedBy(method);
    const { access_token, refresh_token } = await oidc.authorizationCodeGrant(configuration, callback, checks);
    const introspected = oidc.tokenIntrospection(configuration, access_token);
    if (METHODS[method]!.isPublic)
      await expect(introspected).rejects.toMatchObject({ error: 'invalid_client', status: 401 });
    else
      expect(await introspected).toMatchObject({
        active: true,
        client_id: client.clientId,
        sub: person.userId,
        iss: api.url,
        scope: 'read:profile write:debt',
      });

    await oidc.tokenRevocation(configuration, access_token, { token_type_hint: 'access_token' });
    await expect(me(configuration, access_token)).rejects.toMatchObject({ status: 401 });
    await oidc.tokenRevocation(configuration, refresh_token!);
    const refreshed = oidc.refreshTokenGrant(configuration, refresh_token!);
    await expect(refreshed).rejects.toMatchObject({ error: 'invalid_grant' });
    await oidc.tokenRevocation(configuration, 'unknown');
  });
});
