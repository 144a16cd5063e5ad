import { startApi, type TestUser } from '../helpers/api.ts';
import { expectSoundLedger } from '../helpers/money.ts';

// This check needs the database, which the API drops.
afterAll(() => expectSoundLedger(api.services));
const api = startApi();

let person: TestUser;
let owners: string;
let strangers: string;

const MONEY = ['write:paycheck', 'write:allocations', 'write:payments', 'read:vault', 'write:vault'] as const;
const wage = (owner: string) => ({
  employee_id: owner,
  gross_pay: 200_000,
  obligations: [{ type: 'Rent', amount: 50_000, category: 'FIXED' }],
});
const PAYEE = { name: 'Stranger Ltd', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };
const record = (owner: string) => ({ pii_type: 'user_email', owner_id: owner, data: { email: 'who@example.test' } });

beforeAll(async () => {
  person = await api.registerUser({ granted: false });
  owners = await api.apiKey(MONEY);
  strangers = await api.apiKey(MONEY, { app: await api.anotherApplication() });
});

describe("a stranger's key", () => {
  test("cannot allocate a person's money, or pay it to its own payee", async () => {
    const { body: calculation } = await api.post('/api/v1/engine/paycheck/calculate', {
      token: person.token,
      body: wage(person.userId),
    });
    const allocated = await api.post('/api/v1/allocations/allocate', {
      token: strangers,
      body: { user_id: person.userId, vault_type: 'SAVINGS', amount: 10_000 },
    });
    expect([allocated.status, allocated.body.code]).toEqual([403, 'owner-of-another-application']);

    const { body: payee } = await api.post('/api/v1/payments/providers', { token: strangers, body: PAYEE });
    const paid = await api.post('/api/v1/payments/execute', {
      token: strangers,
      body: {
        vault_allocation_id: calculation.vaults[0].allocation_id,
        amount: 5_000,
        currency: 'GBP',
        provider_id: payee.provider_id,
      },
    });
    expect([paid.status, paid.body.code]).toEqual([422, 'unknown-allocation']);
  });

  test("cannot list payments of other applications' owners", async () => {
    const { body: calculation } = await api.post('/api/v1/engine/paycheck/calculate', {
      token: owners,
      body: wage('employee-listed'),
    });
    const { body: payee } = await api.post('/api/v1/payments/providers', { token: owners, body: PAYEE });
    const { status } = await api.post('/api/v1/payments/execute', {
      token: owners,
      body: {
        vault_allocation_id: calculation.vaults[0].allocation_id,
        amount: 5_000,
        currency: 'GBP',
        provider_id: payee.provider_id,
      },
    });
    expect(status).toBe(201);
    const own = await api.get('/api/v1/payments', { token: owners });
    expect(own.body.items.map(({ user_id }: { user_id: string }) => user_id)).toEqual(['employee-listed']);
    const others = await api.get('/api/v1/payments', { token: strangers });
    expect(others.body.items).toEqual([]);
  });

  test('cannot read masked records of another application', async () => {
    const { status, body } = await api.post('/api/v1/vault/store', {
      vaultKey: owners,
      body: record('employee-masked'),
    });
    expect(status).toBe(201);
    const masked = await api.get(`/api/v1/vault/${body.vault_ref}/masked`, { vaultKey: strangers });
    expect([masked.status, masked.body.code]).toEqual([404, 'not-found']);
  });
});
