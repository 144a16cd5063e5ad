import { authActivities } from '../../activities/auth.ts';
import { startApi, type TestAnswer, type TestUser } from '../helpers/api.ts';
import { newClient, newCode, redeem, sqlOf } from '../helpers/oauth.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { withProductionKeys } from '../helpers/production-keys.ts';

/* In production, a person with an unverified address moves no money. */

const api = startApi({ bank: playedBank(), env: withProductionKeys() });

const PAYEE = { name: 'HMRC', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };
const LATER = { execute_on: new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10) };
const UNPROVED = [403, 'email-not-verified'];
const refusal = ({ status, body }: TestAnswer) => [status, body.code];

async function wage({ token, userId }: Pick<TestUser, 'token' | 'userId'>): Promise<string> {
  const obligations = [{ type: 'Savings', amount: 90_000, category: 'SAVINGS' }];
  const body = { employee_id: userId, gross_pay: 100_000, obligations, buffer_rate: '0' };
  const answer = await api.post('/api/v1/engine/paycheck/calculate', { token, body });
  return answer.body.vaults[0].allocation_id as string;
}

const payroll = async () =>
  (
    await authActivities(api.services).issueApiKey({
      app_id: await api.application(),
      scopes: ['write:paycheck', 'write:payments', 'assert:income'],
      income_limits: { perOwner: 100_000, perMonth: 100_000 },
    })
  ).key;
const addPayee = (token: string) => api.post('/api/v1/payments/providers', { token, body: PAYEE });
const execute = (token: string, provider_id: unknown, vault_allocation_id: string, more: object = {}) =>
  api.post('/api/v1/payments/execute', {
    token,
    body: { vault_allocation_id, amount: 30_000, currency: 'GBP', provider_id, ...more },
  });

async function actingFor({ userId }: TestUser) {
  const key = await api.apiKey(['write:payments']);
  const client = await newClient(api.services, { scopes: ['write:payments'] });
  const code = await newCode(api.services, { clientId: client.clientId, userId, scopes: ['write:payments'] });
  return { key, limited: (await redeem(api, client, code)).body.access_token as string };
}

test("a person cannot add payees or pay, even through an OAuth client or an application's key", async () => {
  const person = await api.registerUser();
  const allocation = await wage(person);
  const { key, limited } = await actingFor(person);
  for (const token of [person.token, limited]) expect(refusal(await addPayee(token))).toEqual(UNPROVED);
  const { body: payee } = await addPayee(key);
  for (const token of [person.token, limited, key])
    for (const when of [{}, LATER])
      expect(refusal(await execute(token, payee.provider_id, allocation, when))).toEqual(UNPROVED);
});

test('nobody prepares a connection that pays for a person whose address is not verified', async () => {
  const [person, proved] = [await api.registerUser(), await api.registerUser({ proved: true })];
  const key = await api.apiKey(['write:bank', 'write:payments']);
  const { provider_id } = (await addPayee(key)).body;
  const limits = { per_payment: 1, per_month: 1 };
  const connect = ({ userId: user_id }: TestUser, token: string) =>
    api.post('/api/v1/bank/connections', {
      token,
      body: { user_id, bank_id: 'sandbox', kind: 'payments', provider_id, limits },
    });
  expect(refusal(await connect(person, key))).toEqual(UNPROVED);
  expect((await connect(proved, key)).status).toBe(201);
});

test('a person cannot retry an earlier payment', async () => {
  const person = await api.registerUser({ proved: true });
  const allocation = await wage({ ...person, token: await payroll() });
  const { body: payee } = await addPayee(person.token);
  const { body: payment } = await execute(person.token, payee.provider_id, allocation);
  const sql = sqlOf(api.services);
  const retry = () => api.post(`/api/v1/payments/${payment.payment_id}/retry`, { token: person.token });
  await sql.run('update users set email_verified_at = null where user_id = $1', [person.userId]);
  expect(refusal(await retry())).toEqual(UNPROVED);
  await sql.run('update users set email_verified_at = now() where user_id = $1', [person.userId]);
  expect(refusal(await retry())).toEqual([409, 'payment-not-failed']);
});

test('an owner without an account needs no verification', async () => {
  const key = await payroll();
  const allocation = await wage({ userId: 'employee-7', token: key });
  const { body: payee } = await addPayee(key);
  expect((await execute(key, payee.provider_id, allocation)).status).toBe(201);
});
