import { SCOPES } from '../../domain/auth.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';

const api = startApi();
let key = '';
let user = { userId: '', token: '' };
let count = 0;

beforeAll(async () => {
  key = await api.apiKey(SCOPES);
  user = await api.registerUser();
});

const ENGINE = '/api/v1/engine/paycheck';
const owner = () => `emp-${(count += 1)}`;
const rent = { type: 'Rent', amount: 120_000, category: 'FIXED' };
const wage = (employee_id: string, changes: object = {}) => ({
  employee_id,
  gross_pay: 300_000,
  obligations: [rent],
  ...changes,
});
const calculate = (body: unknown, token = key, headers: Record<string, string> = {}) =>
  api.post(`${ENGINE}/calculate`, { token, body, headers });
const simulate = (body: unknown, token = key) => api.post(`${ENGINE}/simulate`, { token, body });
const history = (query: string, token = key) => api.get(`${ENGINE}/history${query}`, { token });
const breakdown = (id: string, token = key) => api.get(`${ENGINE}/${id}/breakdown`, { token });

// A field can have several errors.
const pointersOf = ({ body }: TestAnswer) => [
  ...new Set((body.errors as { pointer: string }[]).map(({ pointer }) => pointer)),
];
const problem = (status: number, code: string) => ({ status, body: { status, code, type: `/problems/${code}` } });

describe('calculatePaycheck', () => {
  describe('201', () => {
    test('the specified fields and our additions, with real balances', async () => {
      const employee_id = owner();
      const answer = await calculate(wage(employee_id, { pay_date: '2026-11-30', include_history: true }));
      expect(answer).toMatchObject({
        status: 201,
        body: {
          employee_id,
          pay_date: '2026-11-30',
          revision: 1,
          gross_income: 300_000,
          locked_for_bills: 120_000,
          locked_buffer: 30_000,
          clean_safe_to_spend: 150_000,
          buffer_rate: '0.10',
          vaults: [rent],
          previous: null,
          comparison: null,
        },
      });
      expect(answer.body.id).toMatch(/^calc_[0-9a-f-]{36}$/);
      expect(answer.body.calculated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const vaults = await api.get(`/api/v1/allocations/vaults/${employee_id}`, { token: key });
      expect(vaults.body).toMatchObject({
        safe_to_spend: 150_000,
        buffer: 30_000,
        vaults: [{ vault_id: answer.body.vaults[0].vault_id, vault_type: 'FIXED', label: 'Rent', balance: 120_000 }],
      });
    });

    test('a second calculation of a pay date is a revision, which lists the changes on request', async () => {
      const employee_id = owner();
      const first = await calculate(wage(employee_id));
      const second = await calculate(wage(employee_id, { gross_pay: 290_000, include_history: true }));
      expect(second.body).toMatchObject({
        revision: 2,
        previous: first.body,
        comparison: { gross_income: -10_000, locked_for_bills: 0, locked_buffer: -1_000, clean_safe_to_spend: -9_000 },
      });
    });

    test('the same Idempotency-Key pays once', async () => {
      const employee_id = owner();
      const headers = { 'idempotency-key': `pay-${employee_id}` };
      const [first, second] = [
        await calculate(wage(employee_id), key, headers),
        await calculate(wage(employee_id), key, headers),
      ];
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(second.body).toEqual(first.body);
      expect((await history(`?employee_id=${employee_id}`)).body.items).toHaveLength(1);
    });

    test('an employee number may contain any printable characters', async () => {
      const employee_id = `Zoë O’Neill / 7 & co. 💷 ${count}`;
      expect((await calculate(wage(employee_id))).body).toMatchObject({ employee_id });
      expect((await history(`?employee_id=${encodeURIComponent(employee_id)}`)).body.items).toHaveLength(1);
      expect(
        (await api.get(`/api/v1/allocations/vaults/${encodeURIComponent(employee_id)}`, { token: key })).body,
      ).toMatchObject({ buffer: 30_000 });
    });

    test('a user calculates their own paycheck, with the buffer rate of their profile', async () => {
      const { userId, token } = await api.registerUser();
      const profile = await api.request('PATCH', '/api/v1/auth/me', { token, body: { buffer_rate: '0.05' } });
      expect(profile.status).toBe(200);
      expect((await calculate(wage(userId), token)).body).toMatchObject({ buffer_rate: '0.05', locked_buffer: 15_000 });
    });

    test('up to 100 obligations and the largest amounts', async () => {
      const obligations = Array.from({ length: 100 }, (_, index) => ({
        ...rent,
        amount: 1_000_000_000,
        type: `Bill ${index}`,
      }));
      const answer = await calculate(wage(owner(), { gross_pay: 100_000_000_000, obligations }));
      expect(answer).toMatchObject({
        status: 201,
        body: { locked_for_bills: 100_000_000_000, locked_buffer: 0, clean_safe_to_spend: 0 },
      });
      expect(answer.body.vaults).toHaveLength(100);
    });
  });

  describe('400', () => {
    test.each<[string, object, string]>([
      ['no employee', { employee_id: undefined }, '/employee_id'],
      ['an empty employee', { employee_id: '' }, '/employee_id'],
      ['an employee of 129 characters', { employee_id: 'x'.repeat(129) }, '/employee_id'],
      ['a NUL in the employee', { employee_id: 'a\u0000b' }, '/employee_id'],
      ['a number as employee', { employee_id: 7 }, '/employee_id'],
      ['no income', { gross_pay: undefined }, '/gross_pay'],
      ['an income of nothing', { gross_pay: 0 }, '/gross_pay'],
      ['a negative income', { gross_pay: -1 }, '/gross_pay'],
      ['half a penny', { gross_pay: 100.5 }, '/gross_pay'],
      ['an income as text', { gross_pay: '300000' }, '/gross_pay'],
      ['an income beyond the limit', { gross_pay: 100_000_000_001 }, '/gross_pay'],
      ['an income beyond all bounds', { gross_pay: 1e308 }, '/gross_pay'],
      ['null as income', { gross_pay: null }, '/gross_pay'],
      ['no obligations', { obligations: undefined }, '/obligations'],
      ['obligations that are no list', { obligations: rent }, '/obligations'],
      ['101 obligations', { obligations: Array.from({ length: 101 }, () => rent) }, '/obligations'],
      ['an obligation of nothing', { obligations: [{ ...rent, amount: 0 }] }, '/obligations/0/amount'],
      ['an obligation of half a penny', { obligations: [rent, { ...rent, amount: 0.5 }] }, '/obligations/1/amount'],
      ['an unknown category', { obligations: [{ ...rent, category: 'fixed' }] }, '/obligations/0/category'],
      ['an empty type', { obligations: [{ ...rent, type: '' }] }, '/obligations/0/type'],
      ['a type of 65 characters', { obligations: [{ ...rent, type: 'x'.repeat(65) }] }, '/obligations/0/type'],
      ['a control character in a type', { obligations: [{ ...rent, type: 'Rent\n' }] }, '/obligations/0/type'],
      ['an unknown field of an obligation', { obligations: [{ ...rent, vault_id: 'x' }] }, '/obligations/0/vault_id'],
      ['a rate as number', { buffer_rate: 0.1 }, '/buffer_rate'],
      ['a rate above 1', { buffer_rate: '1.0001' }, '/buffer_rate'],
      ['a negative rate', { buffer_rate: '-0.1' }, '/buffer_rate'],
      ['a rate of 5 decimals', { buffer_rate: '0.10000' }, '/buffer_rate'],
      ['a rate in another notation', { buffer_rate: '1e-1' }, '/buffer_rate'],
      ['a day that does not exist', { pay_date: '2026-02-29' }, '/pay_date'],
      ['an instant as pay date', { pay_date: '2026-02-28T00:00:00Z' }, '/pay_date'],
      ['a pay date long ago', { pay_date: '1999-01-01' }, '/pay_date'],
      ['text as a switch', { include_history: 'true' }, '/include_history'],
      ['an unknown field', { currency: 'GBP' }, '/currency'],
    ])('%s, in calculate and simulate', async (_name, changes, pointer) => {
      const body = wage(owner(), changes);
      for (const answer of [await calculate(body), await simulate(body)]) {
        expect(answer).toMatchObject(problem(400, 'invalid-request'));
        expect(pointersOf(answer)).toEqual([pointer]);
      }
    });

    test('every fault is named at once', async () => {
      const answer = await calculate({
        employee_id: '',
        gross_pay: -1,
        obligations: [{ type: 'Rent', amount: 1.5, category: 'X' }],
        extra: 1,
      });
      expect(pointersOf(answer).toSorted()).toEqual([
        '/employee_id',
        '/extra',
        '/gross_pay',
        '/obligations/0/amount',
        '/obligations/0/category',
      ]);
    });

    test.each([
      [{}, ['/employee_id', '/gross_pay', '/obligations']],
      [{ employee_id: 'emp', gross_pay: 'x', obligations: [] }, ['/gross_pay']],
      [{ employee_id: '', gross_pay: 1, payslip_doc_id: 'doc_1' }, ['/employee_id', '/obligations', '/payslip_doc_id']],
    ])('also if one field replaces another: %j', async (body, pointers) => {
      for (const answer of [await calculate(body), await simulate(body)]) {
        expect(answer).toMatchObject(problem(400, 'invalid-request'));
        expect(pointersOf(answer).toSorted()).toEqual(pointers);
        expect(answer.body.errors).toHaveLength(pointers.length);
      }
    });
  });

  describe('409', () => {
    test('a revision that no longer covers the spent money, with the figures', async () => {
      const employee_id = owner();
      await calculate(wage(employee_id));
      await api.post('/api/v1/allocations/allocate', {
        token: key,
        body: { user_id: employee_id, vault_type: 'SAVINGS', amount: 100_000 },
      });
      const answer = await calculate(wage(employee_id, { gross_pay: 200_000 }));
      expect(answer).toMatchObject(problem(409, 'paycheck-already-committed'));
      // The owner has already spent 100,000, but the revised paycheck would have 60,000 safe to spend.
      expect(answer.body).toMatchObject({ committed: 100_000, shortfall: 40_000 });
    });
  });

  describe('422', () => {
    test('obligations beyond the income, with the shortfall', async () => {
      for (const answer of [
        await calculate(wage(owner(), { gross_pay: 119_999 })),
        await simulate(wage(owner(), { gross_pay: 119_999 })),
      ]) {
        expect(answer).toMatchObject(problem(422, 'obligations-exceed-income'));
        expect(answer.body).toMatchObject({ shortfall: 1 });
      }
    });
  });
});

describe('simulatePaycheck', () => {
  test('200: the figures of a calculation, without ids, and nothing stored', async () => {
    const employee_id = owner();
    const answer = await simulate(wage(employee_id, { include_history: true, buffer_rate: '0.3333' }));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      ...{
        simulated: true,
        employee_id,
        revision: 1,
        gross_income: 300_000,
        locked_for_bills: 120_000,
        locked_buffer: 99_990,
      },
      ...{ clean_safe_to_spend: 80_010, buffer_rate: '0.3333', vaults: [rent], previous: null, comparison: null },
    });
    expect(answer.body).not.toHaveProperty('id');
    expect(answer.body.vaults[0]).toEqual(rent);
    expect((await history(`?employee_id=${employee_id}`)).body).toEqual({ items: [], next_cursor: null });
  });
});

describe('explainPaycheck', () => {
  test('200: from gross pay to safe to spend', async () => {
    const { body } = await calculate(wage(owner(), { gross_pay: 125_000 }));
    expect(await breakdown(body.id)).toMatchObject({
      status: 200,
      body: {
        calculation: body,
        steps: [
          { label: 'Gross income', amount: 125_000, remaining: 125_000 },
          { label: 'Rent', amount: 120_000, remaining: 5_000 },
          { label: 'Safety buffer', amount: 5_000, remaining: 0 },
        ],
        obligations: [{ ...rent, share_of_income: '0.9600' }],
        buffer: { rate: '0.10', requested: 12_500, locked: 5_000, capped: true },
      },
    });
  });

  test('a user reads their own explanation', async () => {
    const { body } = await calculate(wage(user.userId), user.token);
    expect((await breakdown(body.id, user.token)).body.calculation).toEqual(body);
  });
});

describe('listPaychecks', () => {
  test('200: a user’s own by default; a key names the owner', async () => {
    const { userId, token } = await api.registerUser();
    const { body } = await calculate(wage(userId), token);
    for (const answer of [
      await history('', token),
      await history(`?employee_id=${userId}`, token),
      await history(`?employee_id=${userId}`),
    ]) {
      expect(answer).toMatchObject({ status: 200, body: { items: [body], next_cursor: null } });
    }
  });

  test('200: pages, newest first, within pay dates', async () => {
    const employee_id = owner();
    for (const month of ['01', '02', '03']) await calculate(wage(employee_id, { pay_date: `2026-${month}-28` }));
    const first = await history(`?employee_id=${employee_id}&limit=2`);
    const second = await history(`?employee_id=${employee_id}&limit=2&cursor=${first.body.next_cursor}`);
    const days = [...first.body.items, ...second.body.items].map(({ pay_date }) => pay_date as string);
    expect(days).toEqual(['2026-03-28', '2026-02-28', '2026-01-28']);
    expect(second.body.next_cursor).toBeNull();
    const february = await history(`?employee_id=${employee_id}&from=2026-02-01&to=2026-02-28`);
    expect(february.body.items).toHaveLength(1);
  });

  test.each([
    ['', '/query/employee_id'],
    ['?employee_id=', '/query/employee_id'],
    ['?employee_id=a&from=2026-02-30', '/query/from'],
    ['?employee_id=a&to=tomorrow', '/query/to'],
    ['?employee_id=a&from=0000-01-01', '/query/from'],
    ['?employee_id=a&to=0000-12-31', '/query/to'],
  ])('400: an API key sends %p', async (query, pointer) => {
    const answer = await history(query);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });
});

describe('a paycheck as a chart', () => {
  const asPicture = { headers: { accept: 'image/svg+xml' } };

  test('200: a simulation, with hostile names as text and many bills combined', async () => {
    const evil = { type: '</text><script>alert(1)</script>', amount: 50_000, category: 'FIXED' };
    const others = Array.from({ length: 40 }, (_, index) => ({
      ...rent,
      type: `Bill ${index}`,
      amount: 1_000 + index,
    }));
    const body = wage(owner(), { obligations: [evil, ...others] });
    const { status, headers, text } = await api.post(`${ENGINE}/simulate`, { token: key, body, ...asPicture });
    expect([status, headers['content-type'], headers.vary]).toEqual([200, 'image/svg+xml; charset=utf-8', 'Accept']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toMatch(/^<svg [^>]*role="img"/);
    expect(text).not.toContain('<script');
    for (const words of ['Where the wage goes', '30 other bills', 'Safety buffer', 'Safe to spend', '£300.00'])
      expect(text).toContain(words);
  });

  test('200: a stored calculation, only for its owner', async () => {
    const { body } = await calculate(wage(user.userId), user.token);
    const path = `${ENGINE}/${body.id}/breakdown`;
    const { status, text } = await api.get(path, { token: user.token, ...asPicture });
    expect([status, text.includes('£1,200.00')]).toEqual([200, true]);
    const stranger = await api.registerUser();
    expect((await api.get(path, { token: stranger.token, ...asPicture })).status).toBe(404);
  });
});
