import { judgeAuthorizationRequest } from '../../activities/auth/authorize.ts';
import { answerConsent } from '../../activities/auth/consent.ts';
import { exchangeToken } from '../../activities/auth/oauth/token.ts';
import { isKnownOrigin } from '../../activities/auth/origins.ts';
import type { TokenSet } from '../../openapi/types.ts';
import { insertSession, upsertConsent } from '../../infra/db/queries/sign-in.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { accountsOf } from '../helpers/activities.ts';
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

const admin = (...args: string[]) =>
  runCommand(args, { RINGFENCE_DATA: testEnvironment().dir, DATABASE_URL: services.config.database.url });

async function reply<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const { stdout, stderr, exitCode } = await admin(...args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as T;
}

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
  const session = { userId, sessionHash: `session of ${clientId}` };
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
      { kind: 'client.removed', actor: 'operator', data: { token_families_ended: 1, consents_ended: 1 } },
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
    expect(again).toEqual({
      stdout: '',
      stderr: `There is no client ${client.clientId}, or it was already removed. The command "client list" shows all clients.\n`,
      exitCode: 1,
    });
  });

  test('deletes the client’s secret; a public client stays public', async () => {
    const [secretive, open] = [await newClient(services), await newClient(services, { isPublic: true })];
    const hash = async ({ clientId }: TestClient) =>
      (
        await sql.many<{ secret_hash: string | null }>('select secret_hash from oauth_clients where client_id = $1', [
          clientId,
        ])
      )[0]!.secret_hash;
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
    const outcome = await admin(...args);
    expect({ stdout: outcome.stdout, exitCode: outcome.exitCode }).toEqual({ stdout: '', exitCode });
    expect(outcome.stderr).toContain(words);
  });
});
