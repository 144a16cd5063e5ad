import { SCOPES } from '../../domain/auth.ts';
import { signInOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { mailedToken } from '../helpers/mail.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

let gate: PromiseWithResolvers<void> | undefined;
let begun = 0;
/** A registration seals its response in its transaction, so most tests do not hold this work back. */
let holdsSeals = false;

const POOL = 5;
const api = startApi({
  env: { DATABASE_POOL_SIZE: String(POOL) },
  async beforeSlowWork(work) {
    if (work === 'seal' && !holdsSeals) return;
    begun += 1;
    await gate?.promise;
  },
});

const MANY = Array.from({ length: POOL + 1 }, (_, index) => index);
const DEBT = '/api/v1/engine/debt';
const PASSWORD = 'nine quiet harbours';
const five = Array.from({ length: 5 }, (_, index) => ({ name: `D${index}`, balance: 1_000, rate: 0, minimum: 100 }));
const owed = { debts: five, monthly_budget: 1_000 };
const keyed = (index: number) => ({ 'idempotency-key': `held ${index}` });

let key = '';
let counter = 0;
const newEmail = () => `held-${(counter += 1)}@example.org`;

beforeAll(async () => {
  key = await api.apiKey(SCOPES);
});

/** Sends the requests, and holds back their slow work until nobody uses a connection. */
async function answersOf(send: (index: number) => Promise<TestAnswer>, first: number): Promise<number[]> {
  gate = Promise.withResolvers();
  begun = 0;
  const answers = MANY.map(send);
  try {
    await until(() => begun >= first, 'the slow work', PATIENCE_MS, 10);
    let quiet = 0;
    const isQuiet = () => {
      const { total, idle, waiting } = api.services.db.pool();
      quiet = total === idle && waiting === 0 ? quiet + 1 : 0;
      return quiet === 20;
    };
    await until(isQuiet, 'all connections to be idle', PATIENCE_MS, 10);
  } finally {
    gate.resolve();
  }
  return (await Promise.all(answers)).map(({ status }) => status);
}

describe('no database connection is held while', () => {
  test('registrations wait for their password hashes', async () => {
    const emails = MANY.map(newEmail);
    const register = (index: number) =>
      api.post('/api/v1/auth/register', { headers: keyed(index), body: { email: emails[index], password: PASSWORD } });
    expect(await answersOf(register, MANY.length)).toEqual(MANY.map(() => 201));
  });

  test('password resets wait for their password hashes', async () => {
    const { email } = await api.registerUser();
    await signInOf(api.services).requestPasswordReset({ email });
    const token = await mailedToken(api.services, email);
    const reset = (index: number) =>
      api.post('/api/v1/auth/reset-password', { headers: keyed(index), body: { token, password: PASSWORD } });
    const statuses = await answersOf(reset, MANY.length);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(MANY.length - 1);
  });

  test('new payees and PII records wait for the key service', async () => {
    holdsSeals = true;
    const payee = { name: 'Held', category: 'HOUSING', sort_code: '20-00-00', account_number: '55779911' };
    const email = { pii_type: 'user_email', data: { email: newEmail() } };
    const store = (index: number) =>
      index % 2 === 0
        ? api.post('/api/v1/payments/providers', { token: key, headers: keyed(index), body: payee })
        : api.post('/api/v1/vault/store', {
            ...{ vaultKey: key, headers: keyed(index), body: { ...email, owner_id: `held-${index}` } },
          });
    expect(await answersOf(store, MANY.length)).toEqual(MANY.map(() => 201));
    holdsSeals = false;
  });

  test('new debt plans wait for a thread', async () => {
    const create = (index: number) =>
      api.post(`${DEBT}/plan`, { token: key, headers: keyed(index), body: { ...owed, user_id: `held-${index}` } });
    expect(await answersOf(create, MANY.length)).toEqual(MANY.map(() => 201));
  });

  test('changes of a debt plan wait for a thread and for each other', async () => {
    const { body } = await api.post(`${DEBT}/plan`, { token: key, body: { ...owed, user_id: 'held-changes' } });
    const path = `${DEBT}/${body.plan_id}`;
    const change = (index: number) => api.request('PATCH', path, { token: key, body: { name: `Name ${index}` } });
    expect(await answersOf(change, 1)).toEqual(MANY.map(() => 200));
    expect((await api.get(path, { token: key })).body.revision).toBe(1 + MANY.length);
  });
});

test('a payment recorded during the simulation of a change is counted in the changed plan', async () => {
  const { body } = await api.post(`${DEBT}/plan`, { token: key, body: { ...owed, user_id: 'held-payment' } });
  const path = `${DEBT}/${body.plan_id}`;
  gate = Promise.withResolvers();
  begun = 0;
  const changing = api.request('PATCH', path, { token: key, body: { monthly_budget: 900 } });
  await until(() => begun > 0, 'the slow work', PATIENCE_MS, 10);
  const paid = { debt: 'D0', amount: 400, paid_on: body.start_date };
  expect((await api.post(`${path}/payments`, { token: key, body: paid })).status).toBe(201);
  gate.resolve();
  const changed = await changing;
  expect(changed).toMatchObject({ status: 200, body: { revision: 2 } });
  expect(changed.body.debts[0].balance).toBe(600);
  expect((await api.get(path, { token: key })).body).toEqual(changed.body);
});
