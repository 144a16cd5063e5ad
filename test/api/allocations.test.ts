import { SCOPES } from '../../domain/auth.ts';
import { textQuery } from '../helpers/text-query.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { expectSoundLedger } from '../helpers/money.ts';

const api = startApi();
let key = '';
let user = { userId: '', token: '' };
let count = 0;

beforeAll(async () => {
  key = await api.apiKey(SCOPES);
  user = await api.registerUser();
});

const ALLOCATIONS = '/api/v1/allocations';
type Action = 'allocate' | 'withdraw' | 'transfer';
const act = (action: Action, body: object, token = key, headers: Record<string, string> = {}) =>
  api.post(`${ALLOCATIONS}/${action}`, { token, body, headers });
const vaultsOf = (id: string, token = key) => api.get(`${ALLOCATIONS}/vaults/${id}`, { token });
const historyOf = (id: string, query = '', token = key) => api.get(`${ALLOCATIONS}/history/${id}${query}`, { token });

async function owner(user_id = `emp-${(count += 1)}`): Promise<string> {
  const body = { employee_id: user_id, gross_pay: 10_000, obligations: [], buffer_rate: '0' };
  expect((await api.post('/api/v1/engine/paycheck/calculate', { token: key, body })).status).toBe(201);
  return user_id;
}

async function saver() {
  const user_id = await owner();
  const { body } = await act('allocate', { user_id, vault_type: 'FIXED', amount: 4_000, label: 'Rent' });
  return { user_id, vault_id: body.vault_id as string, allocation_id: body.allocation_id as string };
}

// A field can have several errors.
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });

describe('allocate', () => {
  test('201: the allocation, with and without a label', async () => {
    const user_id = await owner();
    const named = await act('allocate', { user_id, vault_type: 'SAVINGS', amount: 1, label: 'Naïve 💷 label' });
    expect(named).toMatchObject({
      status: 201,
      body: {
        user_id,
        vault_type: 'SAVINGS',
        amount: 1,
        available: 1,
        label: 'Naïve 💷 label',
        safe_to_spend_remaining: 9_999,
      },
    });
    for (const label of [undefined, null]) {
      expect((await act('allocate', { user_id, vault_type: 'DISCRETIONARY', amount: 1, label })).body).toMatchObject({
        label: null,
      });
    }
    expect((await vaultsOf(user_id)).body.vaults).toMatchObject([{ balance: 1 }, { label: null, balance: 2 }]);
  });

  test('201: the same Idempotency-Key allocates once', async () => {
    const user_id = await owner();
    const send = () =>
      act('allocate', { user_id, vault_type: 'SAVINGS', amount: 10 }, key, { 'idempotency-key': `a-${user_id}` });
    const first = await send();
    const second = await send();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.body).toEqual(first.body);
    expect((await vaultsOf(user_id)).body).toMatchObject({ safe_to_spend: 9_990 });
  });

  test('422: more than is safe to spend, with the available amount, also for an unknown owner', async () => {
    const known = await act('allocate', { user_id: await owner(), vault_type: 'FIXED', amount: 10_001 });
    expect(known).toMatchObject(problem(422, 'exceeds-safe-to-spend'));
    expect(known.body).toMatchObject({ safe_to_spend_available: 10_000 });
    const unknown = await act('allocate', { user_id: 'nobody', vault_type: 'FIXED', amount: 1 });
    expect(unknown.body).toMatchObject({ code: 'exceeds-safe-to-spend', safe_to_spend_available: 0 });
  });
});

describe('withdraw', () => {
  test('201: the new balances of the vault and of safe to spend', async () => {
    const { user_id, vault_id, allocation_id } = await saver();
    expect(await act('withdraw', { user_id, vault_id, amount: 1_000 })).toMatchObject({
      status: 201,
      body: { vault_id, amount: 1_000, vault_balance: 3_000, safe_to_spend_remaining: 7_000 },
    });
    expect((await act('withdraw', { user_id, vault_id, amount: 3_000, allocation_id })).body).toMatchObject({
      vault_balance: 0,
    });
  });

  test('422: more than is available, and another vault’s allocation', async () => {
    const [mine, theirs] = [await saver(), await saver()];
    const { user_id, vault_id } = mine;
    const tooMuch = await act('withdraw', { user_id, vault_id, amount: 4_001 });
    expect(tooMuch).toMatchObject(problem(422, 'insufficient-vault-balance'));
    expect(tooMuch.body).toMatchObject({ available: 4_000 });
    const foreign = await act('withdraw', { user_id, vault_id, amount: 1, allocation_id: theirs.allocation_id });
    expect(foreign).toMatchObject(problem(422, 'unknown-allocation'));
  });
});

describe('transferBetweenVaults', () => {
  test('201: to a vault by id, and by type and label', async () => {
    const { user_id, vault_id } = await saver();
    const first = await act('transfer', {
      user_id,
      from_vault_id: vault_id,
      to_vault_type: 'SAVINGS',
      to_label: 'Trip',
      amount: 1_500,
    });
    expect(first).toMatchObject({
      status: 201,
      body: { from_vault_id: vault_id, amount: 1_500, from_balance: 2_500, to_balance: 1_500 },
    });
    const second = await act('transfer', {
      user_id,
      from_vault_id: vault_id,
      to_vault_id: first.body.to_vault_id,
      amount: 2_500,
    });
    expect(second).toMatchObject({
      status: 201,
      body: { to_vault_id: first.body.to_vault_id, from_balance: 0, to_balance: 4_000 },
    });
    expect((await vaultsOf(user_id)).body.vaults).toMatchObject([
      { balance: 0 },
      { vault_type: 'SAVINGS', label: 'Trip', balance: 4_000 },
    ]);
  });

  test.each([
    [{}, '/to_vault_id'],
    [{ to_label: 'Trip' }, '/to_vault_id'],
    [{ to_vault_id: 'vlt_1', to_vault_type: 'SAVINGS' }, '/to_vault_type'],
    [{ to_vault_id: 'vlt_1', to_label: 'Trip' }, '/to_label'],
  ])('400: the other vault named by %j', async (to, pointer) => {
    const answer = await act('transfer', { user_id: 'emp', from_vault_id: 'vlt_2', amount: 1, ...to });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });

  test.each([
    [{}, ['/amount', '/from_vault_id', '/to_vault_id', '/user_id']],
    [
      { user_id: 'emp', from_vault_id: 'vlt_2', amount: 0, to_vault_id: 5, to_label: 'Trip' },
      ['/amount', '/to_label', '/to_vault_id'],
    ],
    [{ user_id: 'emp', from_vault_id: 'vlt_2', amount: 1, to_vault_type: 'TRIP' }, ['/to_vault_type']],
  ])('400: every fault of %j is named at once', async (body, pointers) => {
    const answer = await act('transfer', body);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer).toSorted()).toEqual(pointers);
  });

  test('422: the same vault, and more than it holds', async () => {
    const { user_id, vault_id: from_vault_id } = await saver();
    for (const to of [{ to_vault_id: from_vault_id }, { to_vault_type: 'FIXED', to_label: 'Rent' }]) {
      expect(await act('transfer', { user_id, from_vault_id, amount: 1, ...to })).toMatchObject(
        problem(422, 'same-vault'),
      );
    }
    const tooMuch = await act('transfer', { user_id, from_vault_id, to_vault_type: 'SAVINGS', amount: 4_001 });
    expect(tooMuch).toMatchObject(problem(422, 'insufficient-vault-balance'));
    expect(tooMuch.body).toMatchObject({ available: 4_000 });
  });
});

describe('the input of a movement', () => {
  const good: Record<Action, object> = {
    allocate: { user_id: 'emp', vault_type: 'FIXED', amount: 1 },
    withdraw: { user_id: 'emp', vault_id: 'vlt_1', amount: 1 },
    transfer: { user_id: 'emp', from_vault_id: 'vlt_1', to_vault_id: 'vlt_2', amount: 1 },
  };
  const everywhere: [string, object, string][] = [
    ['no owner', { user_id: undefined }, '/user_id'],
    ['a control character in the owner', { user_id: 'a\u0007' }, '/user_id'],
    ['no amount', { amount: undefined }, '/amount'],
    ['an amount of nothing', { amount: 0 }, '/amount'],
    ['a negative amount', { amount: -5 }, '/amount'],
    ['half a penny', { amount: 0.5 }, '/amount'],
    ['an amount as text', { amount: '5' }, '/amount'],
    ['an amount beyond the limit', { amount: 100_000_000_001 }, '/amount'],
    ['an unknown field', { currency: 'GBP' }, '/currency'],
  ];
  const somewhere: [Action, string, object, string][] = [
    ['allocate', 'an unknown vault type', { vault_type: 'BILLS' }, '/vault_type'],
    ['allocate', 'an empty label', { label: '' }, '/label'],
    ['allocate', 'a label of 65 characters', { label: 'x'.repeat(65) }, '/label'],
    ['allocate', 'a NUL in the label', { label: 'a\u0000' }, '/label'],
    ['allocate', 'a number as label', { label: 7 }, '/label'],
    ['withdraw', 'no vault', { vault_id: undefined }, '/vault_id'],
    ['withdraw', 'a list as vault', { vault_id: ['vlt_1'] }, '/vault_id'],
    ['withdraw', 'null as allocation', { allocation_id: null }, '/allocation_id'],
    ['transfer', 'no vault to take from', { from_vault_id: undefined }, '/from_vault_id'],
    ['transfer', 'an unknown vault type', { to_vault_id: undefined, to_vault_type: 'X' }, '/to_vault_type'],
  ];
  const all = [
    ...Object.keys(good).flatMap((action) =>
      everywhere.map((fault): [Action, ...typeof fault] => [action as Action, ...fault]),
    ),
    ...somewhere,
  ];

  test.each(all)('400: %s does not accept %s', async (action, _name, changes, pointer) => {
    const answer = await act(action, { ...good[action], ...changes });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });

  test('a user moves their own money', async () => {
    const user_id = await owner(user.userId);
    const { body } = await act('allocate', { user_id, vault_type: 'FIXED', amount: 10 }, user.token);
    expect(
      (
        await act(
          'transfer',
          { user_id, from_vault_id: body.vault_id, to_vault_type: 'SAVINGS', amount: 4 },
          user.token,
        )
      ).status,
    ).toBe(201);
    expect((await act('withdraw', { user_id, vault_id: body.vault_id, amount: 6 }, user.token)).status).toBe(201);
    expect((await vaultsOf(user_id, user.token)).body).toMatchObject({ safe_to_spend: 9_996 });
    expect((await historyOf(user_id, '', user.token)).body.items).toHaveLength(4);
  });
});

describe('listVaults', () => {
  test('200: every balance, and the rate of each vault; an unknown owner has none', async () => {
    const { user_id, vault_id } = await saver();
    await act('allocate', { user_id, vault_type: 'SAVINGS', amount: 5 });
    expect((await vaultsOf(user_id)).body).toEqual({
      user_id,
      safe_to_spend: 5_995,
      buffer: 0,
      in_flight: 0,
      vaults: [
        { vault_id, vault_type: 'FIXED', label: 'Rent', balance: 4_000, annual_rate: '0' },
        {
          vault_id: expect.any(String) as unknown,
          vault_type: 'SAVINGS',
          label: null,
          balance: 5,
          annual_rate: '0.0410',
        },
      ],
    });
    expect((await vaultsOf('nobody')).body).toEqual({
      user_id: 'nobody',
      safe_to_spend: 0,
      buffer: 0,
      in_flight: 0,
      vaults: [],
    });
  });
});

describe('listAllocationHistory', () => {
  test('200: entries newest first, filtered and paged', async () => {
    const { user_id, vault_id } = await saver();
    await act('withdraw', { user_id, vault_id, amount: 1_000 });
    await act('transfer', { user_id, from_vault_id: vault_id, to_vault_type: 'SAVINGS', amount: 500 });
    const all = await historyOf(user_id);
    expect(all.body.items).toMatchObject([
      { kind: 'transfer_in', vault_type: 'SAVINGS', label: null, amount: 500, balance_after: 500 },
      { kind: 'transfer_out', vault_id, label: 'Rent', amount: -500, balance_after: 2_500 },
      { kind: 'withdrawal', vault_id, amount: -1_000, balance_after: 3_000 },
      { kind: 'allocation', vault_id, amount: 4_000, balance_after: 4_000 },
    ]);
    const ids = async (query: string) =>
      (await historyOf(user_id, query)).body.items.map(({ entry_id }: { entry_id: string }) => entry_id) as string[];
    const entries = await ids('');
    expect(await ids(`?vault_id=${vault_id}`)).toEqual(entries.slice(1));
    expect(await ids('?kind=withdrawal')).toEqual([entries[2]]);
    const first = await historyOf(user_id, '?limit=3');
    expect(await ids(`?limit=3&cursor=${first.body.next_cursor}`)).toEqual([entries[3]]);
    const at = all.body.items[2].created_at as string;
    expect(await ids(`?to=${at}&kind=withdrawal`)).toEqual([entries[2]]);
    expect(await ids(`?from=${at}&to=${at}&kind=withdrawal`)).toEqual([entries[2]]);
    expect(await ids('?to=2020-01-01')).toEqual([]);
    expect(await ids('?from=2020-01-01')).toEqual(entries);
  });

  test.each([
    ['kind=salary', '/query/kind'],
    ['from=2026-02-29', '/query/from'],
    ['from=0000-01-01', '/query/from'],
    ['from=yesterday', '/query/from'],
    ['to=2026-02-30T10:00:00Z', '/query/to'],
    ['to=2026-01-01T25:00:00Z', '/query/to'],
    ['to=2026-01-01T10:00:00', '/query/to'],
    ['cursor=MA', '/query/cursor'],
  ])('400: %s', async (query, pointer) => {
    const answer = await historyOf('emp-1', `?${query}`);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });
});

describe('movements and records of many owners at once', () => {
  test('share transactions, and each takes effect once, even a request that is sent twice', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, saver));
    const requests = Array.from({ length: 64 }, (_, index) => {
      const { user_id, vault_id } = owners[index % 8]!;
      const headers = { 'idempotency-key': `at once ${index}` };
      const inside = { user_id, amount: 1 };
      if (index % 3 === 0) return () => act('allocate', { ...inside, vault_type: 'SAVINGS', label: 'A' }, key, headers);
      if (index % 3 === 1) return () => act('withdraw', { ...inside, vault_id }, key, headers);
      const to = { from_vault_id: vault_id, to_vault_type: 'SAVINGS', to_label: 'A' };
      return () => act('transfer', { ...inside, ...to }, key, headers);
    });
    const answers = await Promise.all([...requests, ...requests].map((send) => send()));
    for (const [index, send] of requests.entries()) {
      const pair = [answers[index]!, answers[index + 64]!].filter(({ status }) => status === 201);
      // If a request ran while its twin was still running, the service refused it.
      expect(pair.length).toBeGreaterThan(0);
      expect(new Set([...pair, await send()].map(({ text }) => text)).size).toBe(1);
    }
    for (const answer of answers)
      if (answer.status !== 201) expect(answer).toMatchObject(problem(409, 'idempotency-key-in-use'));
    const ids = requests.map((_, index) => {
      const { body } = [answers[index]!, answers[index + 64]!].find(({ status }) => status === 201)!;
      return (body.allocation_id ?? body.withdrawal_id ?? body.transfer_id) as string;
    });
    const { transfers, transactions } = await api.services.db.one(
      textQuery<{ transfers: number; transactions: number }>(
        'test.transactions',
        `select count(*) as transfers, count(distinct xmin::text) as transactions
           from ledger_transfers where subject_id = any($1::text[])`,
      )(ids),
    );
    expect(transfers).toBe(64);
    expect(transactions).toBeLessThan(64);
    await expectSoundLedger(api.services);
  });
});
