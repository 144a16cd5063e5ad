import { SCOPES } from '../../domain/auth.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';

const clock = movableClock();
const api = startApi({ clock });
let key = '';
let count = 0;

beforeAll(async () => {
  key = await api.apiKey(SCOPES.filter((scope) => scope !== 'admin:owners'));
});
beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));

const YIELD = '/api/v1/engine/yield';
const accrue = (body: object, headers: Record<string, string> = {}, token = key) =>
  api.post(`${YIELD}/accrue`, { token, body, headers });
const aggregate = (id: string, token = key) => api.get(`${YIELD}/aggregate/${id}`, { token });
const vaultYield = (id: string, query = '', token = key) => api.get(`${YIELD}/vault/${id}${query}`, { token });
const forecast = (body: unknown, headers: Record<string, string> = {}, token = key) =>
  api.post(`${YIELD}/forecast`, { token, body, headers });
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];

async function saver(user_id = `emp-${(count += 1)}`) {
  const paycheck = { employee_id: user_id, gross_pay: 1_000_000, obligations: [], buffer_rate: '0' };
  expect((await api.post('/api/v1/engine/paycheck/calculate', { token: key, body: paycheck })).status).toBe(201);
  const body = { user_id, vault_type: 'SAVINGS', amount: 500_000, label: 'Trip' };
  const { body: allocation } = await api.post('/api/v1/allocations/allocate', { token: key, body });
  return { user_id, vault_id: allocation.vault_id as string };
}

describe('accrueYield', () => {
  test('201: the accrual; 200 with the same accrual if the days were already accrued', async () => {
    const { user_id, vault_id } = await saver();
    clock.set('2026-12-01T10:00:00.000Z');
    const posted = await accrue({ vault_id });
    expect(posted).toMatchObject({
      status: 201,
      body: {
        accrual_id: expect.stringMatching(/^accr_/) as string,
        vault_id,
        from: '2026-11-21',
        to: '2026-12-01',
        days: 10,
        annual_rate: '0.0410',
        accrued: 562,
        remainder: '-0.356164384',
        balance_after: 500_562,
        posted_at: '2026-12-01T10:00:00.000Z',
      },
    });
    for (const as_of of [undefined, '2026-12-01', '2026-11-25']) {
      expect(await accrue({ vault_id, as_of })).toMatchObject({ status: 200, body: posted.body });
    }
    const vaults = await api.get(`/api/v1/allocations/vaults/${user_id}`, { token: key });
    expect(vaults.body.vaults).toMatchObject([{ balance: 500_562, annual_rate: '0.0410' }]);
  });

  test('201: the same Idempotency-Key gets the same response, and a different vault is refused', async () => {
    const [first, second] = [await saver(), await saver()];
    clock.set('2026-12-01T10:00:00.000Z');
    const headers = { 'idempotency-key': first.vault_id };
    const posted = await accrue({ vault_id: first.vault_id }, headers);
    const replayed = await accrue({ vault_id: first.vault_id }, headers);
    expect(replayed).toMatchObject({ status: 201, body: posted.body, headers: { 'idempotent-replayed': 'true' } });
    expect(await accrue({ vault_id: second.vault_id }, headers)).toMatchObject(problem(422, 'idempotency-key-reused'));
  });

  test('forty simultaneous requests with different keys accrue once', async () => {
    const { vault_id } = await saver();
    clock.set('2026-12-01T10:00:00.000Z');
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => accrue({ vault_id }, { 'idempotency-key': `${vault_id}-${index}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(39);
    expect((await vaultYield(vault_id)).body).toMatchObject({ total_accrued: 562, balance: 500_562 });
  });

  test.each([
    [{}, ['/vault_id']],
    [{ vault_id: '' }, ['/vault_id']],
    [{ vault_id: 7 }, ['/vault_id']],
    [{ vault_id: 'vlt_\u0000' }, ['/vault_id']],
    [{ vault_id: 'vlt_1', as_of: '2026-02-29' }, ['/as_of']],
    [{ vault_id: 'vlt_1', as_of: '2026-11-21T00:00:00Z' }, ['/as_of']],
    [{ vault_id: 'vlt_1', as_of: null }, ['/as_of']],
    [{ vault_id: 'vlt_1', rate: '1' }, ['/rate']],
    [[], ['']],
  ])('400: %j', async (body, pointers) => {
    const answer = await accrue(body);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual(pointers);
  });

  test('400: a day in the future, and one before the vault was made', async () => {
    const { vault_id } = await saver();
    for (const as_of of ['2026-11-22', '9999-12-31', '2026-11-20', '0001-01-01']) {
      const answer = await accrue({ vault_id, as_of });
      expect(answer).toMatchObject(problem(400, 'invalid-request'));
      expect(pointersOf(answer)).toEqual(['/as_of']);
    }
    expect((await vaultYield(vault_id)).body.accruals).toEqual([]);
  });
});

describe('aggregateYield and getVaultYield', () => {
  test('200: posted and unposted interest', async () => {
    const { userId, token } = await api.registerUser();
    const { vault_id } = await saver(userId);
    clock.set('2026-12-01T10:00:00.000Z');
    const { body: accrual } = await accrue({ vault_id });
    clock.set('2026-12-11T10:00:00.000Z');
    const vault = {
      vault_id,
      vault_type: 'SAVINGS',
      label: 'Trip',
      balance: 500_562,
      annual_rate: '0.0410',
      total_accrued: 562,
      unposted: 562,
      last_accrued_to: '2026-12-01',
    };
    expect(await aggregate(userId, token)).toMatchObject({
      status: 200,
      body: { user_id: userId, total_accrued: 562, accrued_this_tax_year: 562, unposted: 562, by_vault: [vault] },
    });
    const details = { ...vault, accruals: [accrual], next_cursor: null };
    expect(await vaultYield(vault_id, '', token)).toMatchObject({ status: 200, body: details });
  });

  test('200: a vault that was accrued into the future is shown as usual, with nothing unposted', async () => {
    const { user_id, vault_id } = await saver();
    clock.set('2126-01-01T10:00:00.000Z');
    expect((await accrue({ vault_id })).status).toBe(201);
    clock.set('2026-11-22T10:00:00.000Z');
    const vault = { vault_id, unposted: 0, last_accrued_to: '2126-01-01' };
    expect(await aggregate(user_id)).toMatchObject({ status: 200, body: { unposted: 0, by_vault: [vault] } });
    expect(await vaultYield(vault_id)).toMatchObject({ status: 200, body: vault });
    expect((await forecast({ user_id, horizon_months: 60 })).status).toBe(200);
  });

  test('200: accruals page by page', async () => {
    const { vault_id } = await saver();
    for (const day of ['22', '23', '24']) {
      clock.set(`2026-11-${day}T10:00:00.000Z`);
      await accrue({ vault_id });
    }
    const first = await vaultYield(vault_id, '?limit=2');
    expect(first.body.accruals).toMatchObject([{ to: '2026-11-24' }, { to: '2026-11-23' }]);
    const next = await vaultYield(vault_id, `?limit=2&cursor=${first.body.next_cursor}`);
    expect(next.body).toMatchObject({ accruals: [{ to: '2026-11-22' }], next_cursor: null });
    expect(await vaultYield(vault_id, '?cursor=nonsense')).toMatchObject(problem(400, 'invalid-request'));
  });

  test('200: an unknown owner has earned nothing', async () => {
    const nothing = { total_accrued: 0, accrued_this_tax_year: 0, unposted: 0, by_vault: [] };
    expect(await aggregate('nobody')).toMatchObject({ status: 200, body: nothing });
  });
});

describe('forecastYield', () => {
  test('200: with and without reinvestment', async () => {
    const { user_id } = await saver();
    expect(await forecast({ user_id, horizon_months: 3 })).toMatchObject({
      status: 200,
      body: {
        current_balance: 500_000,
        projected_yield: 5_185,
        effective_apy: '4.18',
        monthly_breakdown: [
          { month: 1, accrued: 1_685, balance: 501_685 },
          { month: 2, accrued: 1_747, balance: 503_432 },
          { month: 3, accrued: 1_753, balance: 505_185 },
        ],
        forecast_date: '2027-02-21T00:00:00.000Z',
      },
    });
    const simple = await forecast({ user_id, horizon_months: 60, include_reinvestment: false });
    expect(simple.body).toMatchObject({ current_balance: 500_000, effective_apy: '4.10' });
    expect(simple.body.monthly_breakdown).toHaveLength(60);
    expect(simple.body.monthly_breakdown[59]).toMatchObject({ month: 60, balance: 500_000 });
  });

  test('200: without vaults everything is zero', async () => {
    expect(await forecast({ user_id: 'nobody', horizon_months: 1 })).toMatchObject({
      status: 200,
      body: {
        current_balance: 0,
        projected_yield: 0,
        effective_apy: '0.00',
        monthly_breakdown: [{ month: 1, accrued: 0, balance: 0 }],
      },
    });
  });

  test('200: as a chart with a text alternative', async () => {
    const { user_id } = await saver();
    const drawn = await forecast({ user_id, horizon_months: 12 }, { accept: 'image/svg+xml' });
    expect(drawn).toMatchObject({ status: 200, headers: { vary: 'Accept' } });
    expect(drawn.headers['content-type']).toContain('image/svg+xml');
    expect(drawn.text).toMatch(/^<svg .*<title [^>]*>What the vaults will earn, month by month<\/title>/s);
    expect(drawn.text).toContain('from £5,000.00 today to £5,208.90');
    expect(drawn.text).not.toMatch(/<script|href=|style=/);
    const refused = await forecast({ user_id, horizon_months: 12 }, { accept: 'application/pdf' });
    expect(refused).toMatchObject({ status: 406, body: { code: 'not-acceptable' } });
  });

  test.each([
    [{}, ['/user_id', '/horizon_months']],
    [{ user_id: 'a', horizon_months: 0 }, ['/horizon_months']],
    [{ user_id: 'a', horizon_months: 61 }, ['/horizon_months']],
    [{ user_id: 'a', horizon_months: 1.5 }, ['/horizon_months']],
    [{ user_id: 'a', horizon_months: '12' }, ['/horizon_months']],
    [{ user_id: '', horizon_months: 12 }, ['/user_id']],
    [{ user_id: 'a', horizon_months: 12, include_reinvestment: 'yes' }, ['/include_reinvestment']],
    [{ user_id: 'a', horizon_months: 12, rate: '1' }, ['/rate']],
  ])('400: %j', async (body, pointers) => {
    const answer = await forecast(body);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer).toSorted()).toEqual(pointers.toSorted());
  });
});

describe('an owner who earns up to the limit', () => {
  const generous = startApi({ clock, env: { YIELD_RATE_SAVINGS: '1' } });

  test('gets 422 for an accrual beyond the limit, and every list and sum still works', async () => {
    const token = await generous.apiKey(SCOPES.filter((scope) => scope !== 'admin:owners'));
    const send = (path: string, body: object) => generous.post(path, { token, body });
    const user_id = 'emp-of-plenty';
    // The largest amount that a request may contain.
    const amount = 100_000_000_000;
    let vault_id = '';
    for (let month = 1; month <= 12; month += 1) {
      const pay_date = `2026-${String(month).padStart(2, '0')}-01`;
      clock.set(`${pay_date}T09:30:00.000Z`);
      const paycheck = { employee_id: user_id, gross_pay: amount, obligations: [], buffer_rate: '0', pay_date };
      expect((await send('/api/v1/engine/paycheck/calculate', paycheck)).status).toBe(201);
      const body = { user_id, vault_type: 'SAVINGS', amount: amount / 2, label: 'Plenty' };
      const allocated = await send('/api/v1/allocations/allocate', body);
      expect(allocated.status).toBe(201);
      vault_id = allocated.body.vault_id as string;
    }
    const statuses: number[] = [];
    for (let year = 2027; statuses.at(-1) !== 422 && year < 2060; year += 1) {
      clock.set(`${year}-01-01T09:30:00.000Z`);
      statuses.push((await send(`${YIELD}/accrue`, { vault_id })).status);
    }
    expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).map(() => 201));
    expect(statuses.at(-1)).toBe(422);
    expect(statuses.length).toBeGreaterThan(3);
    const paths = [
      `${YIELD}/aggregate/${user_id}`,
      `${YIELD}/vault/${vault_id}`,
      `/api/v1/allocations/vaults/${user_id}`,
      `/api/v1/allocations/history/${user_id}`,
    ];
    for (const path of paths) expect([path, (await generous.get(path, { token })).status]).toEqual([path, 200]);
    const { body } = await generous.get(paths[0]!, { token });
    expect(body.total_accrued).toBeGreaterThan(2_000_000_000_000);
  });
});
