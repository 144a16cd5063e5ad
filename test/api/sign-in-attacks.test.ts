import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { authActivities } from '../../activities/auth.ts';
import { removeIdentityProvider } from '../../activities/auth/identity-providers.ts';
import { hashOf } from '../../infra/keys/credentials.ts';
import { createKeyFile } from '../../infra/keys/key-file.ts';
import { startApi, type TestAnswer, type TestApi, type TestUser } from '../helpers/api.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { HERE } from '../helpers/here.ts';
import { mailedToken } from '../helpers/mail.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { newClient, newCode, postForm, REDIRECT_URI, sqlOf, TOKEN } from '../helpers/oauth.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { newPerson, identityProviderWays, SIGN_IN_CA } from '../helpers/identity-provider-way.ts';
import type { Visitor } from '../helpers/visitor.ts';

// Tests attacks on other people's accounts, such as registering an account with the victim's email address beforehand.

const HMRC = { name: 'HMRC', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };
const NEW_PASSWORD = 'nine quiet harbours';
const refusal = ({ status, body }: TestAnswer) => [status, body.code];

async function wage(api: TestApi, { token, userId }: Pick<TestUser, 'token' | 'userId'>): Promise<string> {
  const obligations = [{ type: 'Savings', amount: 90_000, category: 'SAVINGS' }];
  const body = { employee_id: userId, gross_pay: 100_000, obligations, buffer_rate: '0' };
  const answer = await api.post('/api/v1/engine/paycheck/calculate', { token, body });
  return answer.body.vaults[0].allocation_id as string;
}

const addPayee = (api: TestApi, token: string) => api.post('/api/v1/payments/providers', { token, body: HMRC });
const execute = (api: TestApi, token: string, provider_id: string, vault_allocation_id: string, more: object = {}) =>
  api.post('/api/v1/payments/execute', {
    token,
    body: { vault_allocation_id, amount: 30_000, currency: 'GBP', provider_id, ...more },
  });
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe("a provider that asserts another person's address", () => {
  const api = startApi({ env: { SIGN_IN_CA } });
  const ways = identityProviderWays(api);
  const sql = sqlOf(api.services);
  const sessionOf = async (visitor: Visitor) => {
    const session = visitor.cookies.get('__Host-rf_session') ?? '';
    return sql.many('select user_id from sessions where session_hash = $1 and ended_at is null', [hashOf(session)]);
  };

  test.each([
    ['never proved', false],
    ['proved', true],
  ])('does not get into an account whose owner has %s the address, and takes nothing from it', async (_how, proved) => {
    const owner = await api.registerUser({ proved });
    const { provider, providerId: id } = await ways.register();
    provider.person = newPerson({ email: owner.email });
    const { visitor } = await ways.signIn({ id });
    expect(await sessionOf(visitor)).toEqual([]);
    expect(await api.get('/api/v1/auth/me', { token: owner.token })).toMatchObject({ status: 200 });
    const { email, password } = owner;
    await expect(authActivities(api.services).login({ email, password, from: HERE })).resolves.toBeDefined();
    expect(await sql.many('select 1 from user_identities where user_id = $1', [owner.userId])).toEqual([]);
  });

  test('is removed together with its sessions, codes and tokens', async () => {
    const { provider, providerId: id } = await ways.register();
    provider.person = newPerson();
    const client = await newClient(api.services);
    const query = new URLSearchParams({
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
    }).toString();
    const { visitor } = await ways.signIn({ id, query });
    const allowed = async () => {
      const consent = await visitor.get(`/api/v1/auth/authorize?${query}`);
      const answer = await visitor.submit(consent, '/api/v1/auth/consent', { decision: 'allow' });
      return new URL(String(answer.headers.location)).searchParams.get('code')!;
    };
    const redeem = (code: string) =>
      postForm(api, TOKEN, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT_URI,
        client_id: client.clientId,
        client_secret: client.secret,
      });
    const { body: tokens } = await redeem(await allowed());
    const code = await allowed();
    expect(await api.get('/api/v1/auth/me', { token: tokens.access_token })).toMatchObject({ status: 200 });

    await removeIdentityProvider(api.services, { provider_id: id });
    expect(await sessionOf(visitor)).toEqual([]);
    expect(refusal(await api.get('/api/v1/auth/me', { token: tokens.access_token }))).toEqual([401, 'invalid-token']);
    expect(await redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const refreshed = await postForm(api, TOKEN, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: client.clientId,
      client_secret: client.secret,
    });
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe("a person who registers another person's address, and waits for that person", () => {
  // This check needs the database, which the API drops.
  afterAll(() => expectSoundLedger(api.services));
  const api = startApi({ bank: playedBank() });
  const sql = sqlOf(api.services);

  test("loses payee, scheduled payment, consent, link and tokens when the address's owner sets a password", async () => {
    const attacker = await api.registerUser();
    const { userId, token } = attacker;
    const allocation = await wage(api, attacker);
    const { body: payee } = await addPayee(api, token);
    const { body: payment } = await execute(api, token, payee.provider_id as string, allocation, {
      execute_on: inDays(30),
    });
    expect(payment.status).toBe('pending');
    const { clientId } = await newClient(api.services);
    await sql.run(`insert into consents (user_id, client_id, scopes, granted_at) values ($1, $2, '{}', now())`, [
      userId,
      clientId,
    ]);
    await sql.run(
      `insert into user_identities (provider_id, subject_index, user_id, created_at) values ('sip_x', 'x', $1, now())`,
      [userId],
    );

    await api.post('/api/v1/auth/forgot-password', { body: { email: attacker.email } });
    const reset = { token: await mailedToken(api.services, attacker.email), password: NEW_PASSWORD };
    expect(await api.post('/api/v1/auth/reset-password', { body: reset })).toMatchObject({ status: 204 });

    expect(refusal(await api.get('/api/v1/auth/me', { token }))).toEqual([401, 'invalid-token']);
    const signedIn = await api.post('/api/v1/auth/login', { body: { email: attacker.email, password: NEW_PASSWORD } });
    const owner = signedIn.body.access_token as string;
    const cancelled = await api.get(`/api/v1/payments/${payment.payment_id}`, { token: owner });
    expect(cancelled.body.status).toBe('cancelled');
    const payees = await api.get('/api/v1/payments/providers', { token: owner });
    expect(payees.body.items).not.toContainEqual(expect.objectContaining({ provider_id: payee.provider_id }));
    const again = await execute(api, owner, payee.provider_id as string, allocation);
    expect(refusal(again)).toEqual([422, 'unknown-provider']);
    const { body: own } = await addPayee(api, owner);
    const whole = await execute(api, owner, own.provider_id as string, allocation, { amount: 90_000 });
    expect(whole.status).toBe(201);
    for (const table of ['consents', 'user_identities']) {
      expect(await sql.many(`select 1 from ${table} where user_id = $1`, [userId])).toEqual([]);
    }
  });
});

describe('in production, a person with an unverified address', () => {
  const env = {
    RINGFENCE_ENV: 'production',
    MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', `proof-${randomUUID()}.json`),
  };
  // The service does not create master keys in production.
  beforeAll(() => createKeyFile(env.MASTER_KEY_FILE));
  const api = startApi({ bank: playedBank(), env });

  async function actingFor({ userId }: TestUser) {
    const key = await api.apiKey(['write:payments']);
    const { clientId, secret } = await newClient(api.services, { scopes: ['write:payments'] });
    const code = await newCode(api.services, { clientId, userId, scopes: ['write:payments'] });
    const tokens = await postForm(api, TOKEN, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      client_id: clientId,
      client_secret: secret,
    });
    return { key, limited: tokens.body.access_token as string };
  }

  test("cannot add payees or pay, even through an OAuth client or an application's key", async () => {
    const person = await api.registerUser();
    const allocation = await wage(api, person);
    const unproved = [403, 'email-not-verified'];
    expect(refusal(await addPayee(api, person.token))).toEqual(unproved);
    const { key, limited } = await actingFor(person);
    const { body: payee } = await addPayee(api, key);
    for (const token of [person.token, limited, key]) {
      expect(refusal(await execute(api, token, payee.provider_id as string, allocation))).toEqual(unproved);
      const later = { execute_on: inDays(30) };
      expect(refusal(await execute(api, token, payee.provider_id as string, allocation, later))).toEqual(unproved);
    }
    expect(refusal(await addPayee(api, limited))).toEqual(unproved);
  });

  test('cannot retry an earlier payment', async () => {
    const person = await api.registerUser({ proved: true });
    const payroll = await authActivities(api.services).issueApiKey({
      app_id: await api.application(),
      scopes: ['write:paycheck', 'assert:income'],
      income_limits: { perOwner: 100_000, perMonth: 100_000 },
    });
    const allocation = await wage(api, { ...person, token: payroll.key });
    const { body: payee } = await addPayee(api, person.token);
    const { body: payment } = await execute(api, person.token, payee.provider_id as string, allocation);
    const sql = sqlOf(api.services);
    await sql.run('update users set email_verified_at = null where user_id = $1', [person.userId]);
    const retry = () => api.post(`/api/v1/payments/${payment.payment_id}/retry`, { token: person.token });
    expect(refusal(await retry())).toEqual([403, 'email-not-verified']);
    await sql.run('update users set email_verified_at = now() where user_id = $1', [person.userId]);
    expect(refusal(await retry())).toEqual([409, 'payment-not-failed']);
  });

  test('an owner without an account needs no verification', async () => {
    const payroll = await authActivities(api.services).issueApiKey({
      app_id: await api.application(),
      scopes: ['write:paycheck', 'write:payments', 'assert:income'],
      income_limits: { perOwner: 100_000, perMonth: 100_000 },
    });
    const allocation = await wage(api, { userId: 'employee-7', token: payroll.key });
    const { body: payee } = await addPayee(api, payroll.key);
    const paid = await execute(api, payroll.key, payee.provider_id as string, allocation);
    expect(paid.status).toBe(201);
  });
});
