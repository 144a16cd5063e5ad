import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request as send } from 'undici';
import { createIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import type { Services } from '../../infra/services.ts';
import type { TestAnswer, TestApi } from './api.ts';
import { testEnvironment } from './environment.ts';
import { startOidcProvider, type Person, type ProviderOptions, type TestProvider } from './oidc-provider.ts';
import { sqlOf } from './oauth.ts';
import { newVisitor, SESSION, setCookies, type Visitor } from './visitor.ts';

/** With this value of `SIGN_IN_CA`, the service trusts the tests' providers. */
export const SIGN_IN_CA = join(testEnvironment().dir, 'pki', 'ca.crt');

export interface RegisteredProvider {
  provider: TestProvider;
  providerId: string;
  redirectUri: string;
}

export interface Way {
  id: string;
  visitor?: Visitor;
  /** The query of the authorization request that continues after the sign-in. */
  query?: string;
}

export interface CameBack {
  visitor: Visitor;
  callback: URL;
  /** Of the provider's redirect. */
  path: string;
}

export interface IdentityProviderWays {
  register(options?: ProviderOptions, name?: string, domains?: readonly string[]): Promise<RegisteredProvider>;
  /** Signs in at the provider, but does not follow the provider's redirect back to the service. */
  cameBack(way: Way): Promise<CameBack>;
  /** Follows the provider's redirects. @returns the address on the service to which the last one leads. */
  through(location: string): Promise<string>;
  /** Signs in at the provider. @returns the service's response to the provider's redirect. */
  signIn(way: Way): Promise<{ visitor: Visitor; answer: TestAnswer }>;
}

let people = 0;

export const newPerson = (more: Partial<Person> = {}): Person => ({
  sub: `person-${(people += 1)}`,
  email: `person-${people}@example.org`,
  email_verified: true,
  ...more,
});

/** @returns the user whose session the browser has. */
export async function sessionUser(
  services: Pick<Services, 'db' | 'keys'>,
  { cookies }: Visitor,
): Promise<string | undefined> {
  const text = 'select user_id from sessions where session_hash = $1 and ended_at is null';
  const rows = await sqlOf(services).many<{ user_id: string }>(text, [hashOf(services, cookies.get(SESSION) ?? '')]);
  return rows[0]?.user_id;
}

/** Call once per test file. The API needs `SIGN_IN_CA` in its environment. */
export function identityProviderWays(api: TestApi): IdentityProviderWays {
  const started: TestProvider[] = [];
  let agent: Agent;
  beforeAll(async () => {
    agent = new Agent({ connect: { ca: await readFile(SIGN_IN_CA) } });
  });
  afterAll(async () => {
    await agent.destroy();
    await Promise.all(started.map((one) => one.stop()));
  });

  async function through(location: string): Promise<string> {
    const jar = new Map<string, string>();
    let next = location;
    for (let step = 0; step < 10; step += 1) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const { headers, statusCode, body } = await send(next, { dispatcher: agent, headers: { cookie } });
      const text = await body.text();
      for (const { name, value } of setCookies({ headers } as TestAnswer)) jar.set(name, value ?? '');
      if (typeof headers.location !== 'string') throw new Error(`${next} answered ${statusCode}: ${text}`);
      next = new URL(headers.location, next).href;
      if (next.startsWith(api.services.config.api.publicUrl)) return next;
    }
    throw new Error('the provider never redirected the browser back');
  }

  async function cameBack({ id, visitor = newVisitor(api), query }: Way): Promise<CameBack> {
    const suffix = query === undefined ? '' : `?${new URLSearchParams({ continue: query }).toString()}`;
    const answer = await visitor.get(`/api/v1/auth/sign-in/${id}${suffix}`);
    expect(answer.status).toBe(303);
    const callback = new URL(await through(String(answer.headers.location)));
    return { visitor, callback, path: callback.pathname + callback.search };
  }

  return {
    through,
    cameBack,
    async register(options = {}, name = 'Example ID', domains) {
      const provider = await startOidcProvider(options);
      started.push(provider);
      const { issuer, clientId, clientSecret } = provider;
      const given = { name, issuer, client_id: clientId, client_secret: clientSecret, ...(domains && { domains }) };
      const { provider_id, redirect_uri } = await createIdentityProvider(api.services, given);
      provider.allow(redirect_uri);
      return { provider, providerId: provider_id, redirectUri: redirect_uri };
    },
    async signIn(way) {
      const { visitor, path } = await cameBack(way);
      return { visitor, answer: await visitor.get(path) };
    },
  };
}
