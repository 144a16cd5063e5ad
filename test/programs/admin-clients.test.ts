import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { judgeAuthorizationRequest } from '../../activities/auth/authorize.ts';
import { answerConsent } from '../../activities/auth/consent.ts';
import { exchangeToken } from '../../activities/auth/oauth/token.ts';
import { isKnownOrigin } from '../../activities/auth/origins.ts';
import type { TokenSet } from '../../openapi/types.ts';
import { insertSession, upsertConsent } from '../../infra/db/queries/sign-in.ts';
import { accountsOf } from '../helpers/activities.ts';
import { adminOf, expectRefused, OPERATOR_HERE, said } from '../helpers/admin.ts';
import { adminProcess } from '../helpers/admin-process.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { basic, newClient, newCode, newPkce, REDIRECT_URI, sqlOf, type TestClient } from '../helpers/oauth.ts';

const services = withDatabase();
const auth = accountsOf(services);
const sql = sqlOf(services);
let userId: string;
beforeAll(async () => {
  ({ user_id: userId } = await auth.registerUser({ email: 'ada@example.org', password: 'seven green lanterns' }));
});

const { admin, reply, env } = adminOf(services, { RINGFENCE_PUBLIC_URL: 'https://money.example/' });

interface Listed {
  items: { client_id: string; app_id: string; public: boolean; removed_at: string | null }[];
}
const listed = async ({ clientId }: TestClient) =>
  (await reply<Listed>('client', 'list')).items.find(({ client_id }) => client_id === clientId);
const remove = ({ clientId }: TestClient) => reply('client', 'remove', clientId);
const code = ({ clientId }: TestClient) => newCode(services, { clientId, userId });
const redeem = (client: TestClient, given: string) =>
  exchangeToken(services, {
    authorization: basic(client),
    parameters: { grant_type: 'authorization_code', code: given, redirect_uri: REDIRECT_URI },
  });
const works = ({ access_token: token }: TokenSet) =>
  auth.authenticate({ token }).then(
    () => true,
    () => false,
  );

// Signs the person in, and stops just before the answer to the consent page.
async function atConsent({ clientId }: TestClient) {
  const { challenge } = newPkce();
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT_URI, scope: 'read:profile', state: 'x' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  };
  const judged = await judgeAuthorizationRequest(services, { query });
  if (judged.kind !== 'ask') throw new Error(judged.location);
  const session = { userId, sessionHash: `session of ${clientId}`, signedInAt: new Date() };
  const [now, later] = [Date.now(), Date.now() + 60_000].map((at) => new Date(at).toISOString());
  await services.db.run(
    insertSession({
      session_hash: session.sessionHash,
      user_id: userId,
      created_at: now!,
      expires_at: later!,
      signed_in_with: 'password',
    }),
  );
  return { query, answer: () => answerConsent(services, { request: judged.request, session, allowed: true }) };
}

describe('client list', () => {
  test('shows each client’s scopes, and never a secret or its hash', async () => {
    const secretive = await newClient(services, { origins: ['https://app.example.org'] });
    const open = await newClient(services, { isPublic: true });
    const { items } = await reply<Listed>('client', 'list');
    expect(items.map(({ client_id }) => client_id).slice(0, 2)).toEqual([open.clientId, secretive.clientId]);
    expect(items[1]).toEqual({
      client_id: secretive.clientId,
      app_id: expect.stringMatching(/^app_/) as string,
      name: 'A client',
      redirect_uris: [REDIRECT_URI],
      scopes: ['read:profile', 'write:debt', 'write:payments'],
      origins: ['https://app.example.org'],
      public: false,
      created_at: expect.any(String) as string,
      removed_at: null,
    });
    expect(items[0]).toMatchObject({ public: true, origins: [] });
    expect((await reply<Listed>('client', 'list', '--app', items[1]!.app_id)).items).toEqual([items[1]]);
  });
});

describe('client remove', () => {
  test('revokes tokens, codes and consents at once, audited, and changes no other client', async () => {
    const [gone, stays] = [await newClient(services), await newClient(services)];
    const [one, other] = [await redeem(gone, await code(gone)), await redeem(stays, await code(stays))];
    const unused = await code(gone);
    for (const { clientId } of [gone, stays]) {
      const granted_at = new Date().toISOString();
      await services.db.run(upsertConsent({ user_id: userId, client_id: clientId, scopes: [], granted_at }));
    }
    expect(await remove(gone)).toEqual({
      client_id: gone.clientId,
      removed_at: expect.any(String) as string,
      token_families_ended: 1,
      consents_ended: 1,
    });
    expect([await works(one), await works(other)]).toEqual([false, true]);
    await expect(redeem(gone, unused)).rejects.toMatchObject({ code: 'invalid-client' });
    await expect(
      auth.refreshTokens({ refresh_token: one.refresh_token, client_id: gone.clientId }),
    ).rejects.toMatchObject({ code: 'invalid-refresh-token' });
    const consents = await sql.many('select client_id from consents where user_id = $1', [userId]);
    expect(consents).toEqual([{ client_id: stays.clientId }]);
    const events = await sql.many('select kind, actor, data from audit_events where subject = $1 order by seq', [
      gone.clientId,
    ]);
    expect(events.slice(1)).toEqual([
      { kind: 'client.removed', actor: OPERATOR_HERE, data: { token_families_ended: 1, consents_ended: 1 } },
    ]);
    expect(await listed(gone)).toMatchObject({ public: false, removed_at: expect.any(String) as string });
  });

  test('is permanent: its secret, pages and id no longer work', async () => {
    const origin = 'https://gone.example.org';
    const client = await newClient(services, { origins: [origin] });
    const { query } = await atConsent(client);
    expect(await isKnownOrigin(services, origin)).toBe(true);
    await remove(client);
    expect(await isKnownOrigin(services, origin)).toBe(false);
    await expect(judgeAuthorizationRequest(services, { query })).rejects.toMatchObject({ code: 'invalid-request' });
    // Even a valid code of the removed client.
    await expect(redeem(client, await code(client))).rejects.toMatchObject({ code: 'invalid-client' });
    const again = await admin('client', 'remove', client.clientId);
    expectRefused(
      again,
      1,
      `There is no client ${client.clientId}, or it was already removed. The command "client list"`,
    );
  });
});

test('deletes the client’s secret; a public client stays public', async () => {
  const [secretive, open] = [await newClient(services), await newClient(services, { isPublic: true })];
  const hash = async ({ clientId }: TestClient) => {
    const text = 'select secret_hash from oauth_clients where client_id = $1';
    return (await sql.many<{ secret_hash: string | null }>(text, [clientId]))[0]!.secret_hash;
  };
  const before = await hash(secretive);
  await remove(secretive);
  await remove(open);
  expect(await hash(secretive)).toMatch(/^.{43,64}$/);
  expect(await hash(secretive)).not.toBe(before);
  expect(await hash(open)).toBeNull();
  expect(await listed(open)).toMatchObject({ public: true });
});

test('refuses a simultaneous consent', async () => {
  const client = await newClient(services);
  const { answer } = await atConsent(client);
  await remove(client);
  await expect(answer()).rejects.toMatchObject({ code: 'invalid-request' });
  const codes = await sql.many('select 1 as n from authorization_codes where client_id = $1', [client.clientId]);
  expect(codes).toEqual([]);
});

test('leaves no valid token from simultaneous grants', async () => {
  for (let round = 0; round < 5; round += 1) {
    const client = await newClient(services);
    const [first, { answer }] = [await code(client), await atConsent(client)];
    const [granted, answered] = await Promise.allSettled([redeem(client, first), answer(), remove(client)]);
    if (granted.status === 'fulfilled') expect(await works(granted.value)).toBe(false);
    if (answered.status === 'fulfilled') {
      const given = new URL(answered.value!).searchParams.get('code')!;
      await expect(redeem(client, given)).rejects.toMatchObject({ code: 'invalid-client' });
    }
    const live = await sql.many(
      `select 1 as n from token_families where client_id = $1 and ended_at is null
         union all select 1 from authorization_codes where client_id = $1 and used_at is null and expires_at > now()
         union all select 1 from consents where client_id = $1`,
      [client.clientId],
    );
    expect(live).toEqual([]);
  }
});

test.each([
  [['client', 'remove'], 2, 'Usage: client remove CLIENT_ID'],
  [['client', 'remove', 'client_none'], 1, 'There is no client client_none, or it was already removed.'],
  [['client', 'list', 'x'], 2, 'Usage: client list'],
])('%j is refused with one sentence', async (args, exitCode, words) => {
  expectRefused(await admin(...args), exitCode, words);
});

const SECRET = 'not-to-be-seen-anywhere';
const SECRET_FILE = join(testEnvironment().dir, 'admin-providers-secret');
// Editors end a file with a line break.
beforeAll(() => writeFile(SECRET_FILE, `${SECRET}\n`));
const create = (issuer: string, name = 'Example ID', secretFile = SECRET_FILE) => {
  const given = ['--name', name, '--issuer', issuer, '--client-id', 'abc', '--client-secret-file', secretFile];
  return ['provider', 'create', ...given];
};

interface Providers {
  items: { provider_id: string; removed_at: string | null; domains: string[] }[];
}

test('provider create shows the redirect URI for the provider, and list shows all providers, never a secret', async () => {
  const made = await reply<{ provider_id: string; redirect_uri: string }>(...create('https://id.example'));
  expect(made).toEqual({
    provider_id: expect.stringMatching(/^sip_[\da-f-]{36}$/) as string,
    redirect_uri: `https://money.example/api/v1/auth/sign-in/${made.provider_id}/callback`,
  });
  const { items } = await reply<Providers>('provider', 'list');
  expect(items).toEqual([
    {
      provider_id: made.provider_id,
      name: 'Example ID',
      issuer: 'https://id.example',
      client_id: 'abc',
      domains: [],
      created_at: expect.any(String) as string,
      removed_at: null,
      redirect_uri: made.redirect_uri,
    },
  ]);
  expect(JSON.stringify(await sql.many('select t::text from identity_providers t'))).not.toContain(SECRET);
  expect(JSON.stringify(await sql.many('select t::text from audit_events t'))).not.toContain(SECRET);
});

test('provider remove takes effect at once and deletes the secret; then the issuer can be registered again', async () => {
  const { provider_id } = await reply<{ provider_id: string }>(...create('https://removed.example'));
  expect(await reply('provider', 'remove', provider_id)).toEqual({
    provider_id,
    removed_at: expect.any(String) as string,
    sessions_ended: 0,
    token_families_ended: 0,
  });
  const { items } = await reply<Providers>('provider', 'list');
  expect(items.find((item) => item.provider_id === provider_id)?.removed_at).not.toBeNull();
  const text = 'select client_secret_sealed as sealed from identity_providers where provider_id = $1';
  expect(await sql.many(text, [provider_id])).toEqual([{ sealed: '' }]);
  await reply(...create('https://removed.example/'));
  expectRefused(
    await admin(...create('https://removed.example')),
    1,
    'https://removed.example already exists. To repl',
  );
  const kinds = await sql.many('select kind, actor from audit_events where subject = $1 order by seq', [provider_id]);
  expect(kinds).toEqual([
    { kind: 'provider.created', actor: OPERATOR_HERE },
    { kind: 'provider.removed', actor: OPERATOR_HERE },
  ]);
});

test.each([
  [create('http://id.example'), 1, 'An issuer must be'],
  [create('https://one.example', 'a\nb'), 1, 'A name must have'],
  [create('https://one.example').slice(0, -2), 2, '--client-secret-file is missing.'],
  [[...create('https://one.example').slice(0, -2), '--client-secret', SECRET], 2, 'Usage: provider create'],
  [create('https://one.example', 'X', '/nowhere/secret'), 1, 'which cannot be read (ENOENT)'],
  [create('https://one.example', 'X', testEnvironment().dir), 1, 'which cannot be read (EISDIR)'],
  [[...create('https://one.example'), '--domain', 'example'], 1, 'is not a valid email domain'],
  [[...create('https://one.example'), '--domain', 'a@example.org'], 1, 'is not a valid email domain'],
  [['provider', 'remove', 'sip_unknown'], 1, 'There is no provider sip_unknown, or it was already removed.'],
  [['provider', 'remove'], 2, 'Usage: provider remove PROVIDER_ID'],
] as [string[], number, string][])('%j is refused with one sentence', async (args, exitCode, says) => {
  const outcome = await admin(...args);
  expectRefused(outcome, exitCode, says);
  expect(outcome.stderr).not.toContain(SECRET);
});

test('provider create limits a provider to mail domains, without duplicates', async () => {
  const domains = ['Example.org', 'example.org', ' staff.example.net'].flatMap((domain) => ['--domain', domain]);
  const { provider_id } = await reply<{ provider_id: string }>(...create('https://domains.example'), ...domains);
  const { items } = await reply<Providers>('provider', 'list');
  expect(items.find((item) => item.provider_id === provider_id)).toMatchObject({
    domains: ['example.org', 'staff.example.net'],
  });
});

test('provider create takes the secret from standard input', async () => {
  const outcome = await adminProcess(create('https://input.example', 'Input', '-'), env(), `${SECRET}\n`);
  const { provider_id } = said<{ provider_id: string }>(outcome);
  expect(await requireIdentityProvider(services, provider_id)).toMatchObject({ clientSecret: SECRET });
});
