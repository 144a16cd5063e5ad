import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { problem } from '../helpers/problem.ts';

const clock = movableClock();
const api = startApi({ clock, env: { YIELD_RATE_SAVINGS: '1' } });
let token = '';
let count = 0;

beforeAll(async () => {
  token = await api.apiKey(SCOPES);
});
beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));

const YIELD = '/api/v1/engine/yield';
const send = (path: string, body: object, headers: Record<string, string> = {}) =>
  api.post(path, { token, body, headers });
const accrue = (body: object) => send(`${YIELD}/accrue`, body);
const forecast = (body: object, headers = {}) => send(`${YIELD}/forecast`, body, headers);

async function saver(user_id = `emp-${(count += 1)}`, amount = 500_000) {
  const paycheck = { employee_id: user_id, gross_pay: 2 * amount, obligations: [], buffer_rate: '0' };
  expect((await send('/api/v1/engine/paycheck/calculate', paycheck)).status).toBe(201);
  const { body } = await send('/api/v1/allocations/allocate', {
    ...{ user_id, vault_type: 'SAVINGS', amount, label: 'Trip' },
  });
  return { user_id, vault_id: body.vault_id as string };
}

describe('accrueYield', () => {
  test('201: the accrual; 200 with the same accrual if the days were already accrued', async () => {
    const { vault_id } = await saver();
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
        annual_rate: '1',
        accrued: 13_699,
        remainder: '-0.369863014',
        balance_after: 513_699,
        posted_at: '2026-12-01T10:00:00.000Z',
      },
    });
    for (const as_of of [undefined, '2026-11-25'])
      expect(await accrue({ vault_id, as_of })).toMatchObject({ status: 200, body: posted.body });
  });

  test('400: a day in the future, and one before the vault was made', async () => {
    const { vault_id } = await saver();
    for (const as_of of ['2026-11-22', '9999-12-31', '2026-11-20', '0001-01-01']) {
      const errors = [{ pointer: '/as_of' }];
      expect(await accrue({ vault_id, as_of })).toMatchObject(problem(400, 'invalid-request', { errors }));
    }
  });
});

test('aggregateYield and getVaultYield, 200: posted and unposted interest, in pages', async () => {
  const { user_id, vault_id } = await saver();
  clock.set('2026-12-01T10:00:00.000Z');
  const { body: accrual } = await accrue({ vault_id });
  clock.set('2026-12-11T10:00:00.000Z');
  const sums = { total_accrued: 13_699, unposted: 14_074 };
  const vault = {
    ...{ vault_id, vault_type: 'SAVINGS', label: 'Trip', balance: 513_699, annual_rate: '1' },
    ...{ ...sums, last_accrued_to: '2026-12-01' },
  };
  expect(await api.get(`${YIELD}/aggregate/${user_id}`, { token })).toMatchObject({
    status: 200,
    body: { user_id, ...sums, accrued_this_tax_year: 13_699, by_vault: [vault] },
  });
  const details = { ...vault, accruals: [accrual], next_cursor: null };
  const read = (query: string) => api.get(`${YIELD}/vault/${vault_id}${query}`, { token });
  expect(await read('')).toMatchObject({ status: 200, body: details });
  await accrue({ vault_id });
  const newest = await read('?limit=1');
  expect((await read(`?limit=1&cursor=${newest.body.next_cursor}`)).body).toMatchObject({ accruals: [accrual] });
});

describe('forecastYield', () => {
  test('200: month by month; without vaults everything is zero', async () => {
    const { user_id } = await saver();
    const { status, body } = await forecast({ user_id, horizon_months: 60, include_reinvestment: false });
    const forecast_date = '2031-11-21T00:00:00.000Z';
    expect([status, body]).toMatchObject([200, { current_balance: 500_000, effective_apy: '100.00', forecast_date }]);
    expect(body.monthly_breakdown).toHaveLength(60);
    expect(body.monthly_breakdown[0]).toEqual({ month: 1, accrued: 41_096, balance: 500_000 });
    const nothing = await forecast({ user_id: 'nobody', horizon_months: 1 });
    expect(nothing).toMatchObject({ status: 200, body: { projected_yield: 0, effective_apy: '0.00' } });
  });

  test('200: as a chart with a text alternative; 406 for another media type', async () => {
    const { user_id } = await saver();
    const drawn = await forecast({ user_id, horizon_months: 1 }, { accept: 'image/svg+xml' });
    expect(drawn).toMatchObject({ status: 200, headers: { vary: 'Origin, Accept' } });
    expect(drawn.headers['content-type']).toContain('image/svg+xml');
    expect(drawn.text).toMatch(/^<svg .*<title [^>]*>What the vaults will earn, month by month<\/title>/s);
    expect(drawn.text).toContain('from £5,000.00 today to £5,410.96');
    const refused = await forecast({ user_id, horizon_months: 12 }, { accept: 'application/pdf' });
    expect(refused).toMatchObject(problem(406, 'not-acceptable'));
  });
});

test('an owner who earns up to the limit gets 422 beyond it, and every list and sum still works', async () => {
  const user_id = 'emp-of-plenty';
  let vault_id = '';
  for (let month = 1; month <= 12; month += 1) {
    clock.set(`2026-${String(month).padStart(2, '0')}-01T09:30:00.000Z`);
    // Half of the largest amount that a request may contain.
    ({ vault_id } = await saver(user_id, 50_000_000_000));
  }
  const statuses: number[] = [];
  for (let year = 2027; statuses.at(-1) !== 422 && year < 2060; year += 1) {
    clock.set(`${year}-01-01T09:30:00.000Z`);
    statuses.push((await accrue({ vault_id })).status);
  }
  expect(statuses.length).toBeGreaterThan(3);
  expect(statuses).toEqual([...statuses.slice(1).map(() => 201), 422]);
  const earned = await api.get(`${YIELD}/aggregate/${user_id}`, { token });
  expect(earned).toMatchObject({ status: 200, body: { user_id } });
  expect(earned.body.total_accrued).toBeGreaterThan(2_000_000_000_000);
  for (const path of [
    `engine/yield/vault/${vault_id}`,
    `allocations/vaults/${user_id}`,
    `allocations/history/${user_id}`,
  ])
    expect(await api.get(`/api/v1/${path}`, { token })).toMatchObject({ status: 200 });
});
