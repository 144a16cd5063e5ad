import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { problem } from '../helpers/problem.ts';
import { textQuery } from '../helpers/text-query.ts';

const api = startApi();
let token = '';
let count = 0;

beforeAll(async () => {
  token = await api.apiKey(SCOPES);
});

const ALLOCATIONS = '/api/v1/allocations';
const act = (action: 'allocate' | 'withdraw' | 'transfer', body: object, headers: Record<string, string> = {}) =>
  api.post(`${ALLOCATIONS}/${action}`, { token, body, headers });
const vaultsOf = async (id: string) => (await api.get(`${ALLOCATIONS}/vaults/${id}`, { token })).body;

/** An owner with 10,000 pence, of which 4,000 are in a vault. */
async function saver() {
  const user_id = `emp-${(count += 1)}`;
  const body = { employee_id: user_id, gross_pay: 10_000, obligations: [], buffer_rate: '0' };
  expect((await api.post('/api/v1/engine/paycheck/calculate', { token, body })).status).toBe(201);
  const { body: made } = await act('allocate', { user_id, vault_type: 'FIXED', amount: 4_000, label: 'Rent' });
  return { user_id, vault_id: made.vault_id as string, allocation_id: made.allocation_id as string };
}

describe('201', () => {
  test('allocate: the allocation, with and without a label', async () => {
    const { user_id } = await saver();
    const given = { user_id, vault_type: 'SAVINGS', amount: 1, label: 'Naïve 💷 label' };
    const named = await act('allocate', given);
    expect(named).toMatchObject({ status: 201, body: { ...given, available: 1, safe_to_spend_remaining: 5_999 } });
    for (const label of [undefined, null])
      expect((await act('allocate', { ...given, label })).body).toMatchObject({ label: null });
    expect((await vaultsOf(user_id)).vaults).toMatchObject([{}, { balance: 1 }, { label: null, balance: 2 }]);
  });

  test('however a label is typed, it names one vault, and comes back in one spelling', async () => {
    const { user_id, vault_id: from_vault_id } = await saver();
    const spellings = ['Café fund', 'Cafe\u0301 fund', '\u00a0Café \u2003fund ', ` ${'Cafe\u0301'.padEnd(80)}fund`];
    const given = { user_id, vault_type: 'SAVINGS', amount: 100 };
    for (const label of spellings)
      expect(await act('allocate', { ...given, label })).toMatchObject({ status: 201, body: { label: 'Café fund' } });
    for (const to_label of spellings) {
      const moved = { user_id, from_vault_id, to_vault_type: 'SAVINGS', to_label, amount: 1 };
      expect((await act('transfer', moved)).status).toBe(201);
    }
    const obligations = spellings.map((type) => ({ type, amount: 10, category: 'SAVINGS' }));
    const paycheck = { employee_id: user_id, gross_pay: 100, obligations, pay_date: '2026-01-01' };
    await api.post('/api/v1/engine/paycheck/calculate', { token, body: paycheck });
    expect((await vaultsOf(user_id)).vaults).toMatchObject([{}, { label: 'Café fund', balance: 444 }]);
  });
});

test('a vault is renamed, and closed once it is empty; to close it again does nothing', async () => {
  const { user_id, vault_id } = await saver();
  const vault = `${ALLOCATIONS}/vault/${vault_id}`;
  const close = () => api.request('DELETE', vault, { token });
  const renamed = await api.request('PATCH', vault, { token, body: { label: 'Home' } });
  expect(renamed).toMatchObject({ status: 200, body: { vault_id, label: 'Home', balance: 4_000 } });
  expect(await close()).toMatchObject(problem(409, 'vault-not-empty', { balance: 4_000, in_flight: 0, unposted: 0 }));
  await act('withdraw', { user_id, vault_id, amount: 4_000 });
  expect([await close(), await close()]).toMatchObject([{ status: 204 }, { status: 204 }]);
  expect((await vaultsOf(user_id)).vaults).toEqual([]);
});

test('movements of many owners at once share transactions, and each takes effect once, even if it is sent twice', async () => {
  const owners = await Promise.all(Array.from({ length: 8 }, saver));
  const requests = Array.from({ length: 64 }, (_, index) => {
    const { user_id, vault_id } = owners[index % 8]!;
    const headers = { 'idempotency-key': `at once ${index}` };
    const inside = { user_id, amount: 1 };
    if (index % 3 === 0) return () => act('allocate', { ...inside, vault_type: 'SAVINGS', label: 'A' }, headers);
    if (index % 3 === 1) return () => act('withdraw', { ...inside, vault_id }, headers);
    const to = { from_vault_id: vault_id, to_vault_type: 'SAVINGS', to_label: 'A' };
    return () => act('transfer', { ...inside, ...to }, headers);
  });
  const answers = await Promise.all([...requests, ...requests].map((send) => send()));
  for (const answer of answers)
    if (answer.status !== 201) expect(answer).toMatchObject(problem(409, 'idempotency-key-in-use'));
  const ids: string[] = [];
  for (const [index, send] of requests.entries()) {
    const pair = [answers[index]!, answers[index + 64]!].filter(({ status }) => status === 201);
    // If a request ran while its twin was still running, the service refused it.
    expect(pair.length).toBeGreaterThan(0);
    expect(new Set([...pair, await send()].map(({ text }) => text)).size).toBe(1);
    const { body } = pair[0]!;
    ids.push((body.allocation_id ?? body.withdrawal_id ?? body.transfer_id) as string);
  }
  const counted = textQuery<{ transfers: number; transactions: number }>(
    'test.transactions',
    `select count(*) as transfers, count(distinct xmin::text) as transactions
       from ledger_transfers where subject_id = any($1::text[])`,
  );
  const { transfers, transactions } = await api.services.db.one(counted(ids));
  expect(transfers).toBe(64);
  expect(transactions).toBeLessThan(64);
  await expectSoundLedger(api.services);
});
