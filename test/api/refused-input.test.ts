import { SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { pointersOf, problem } from '../helpers/problem.ts';

/* Tests that the contract refuses hostile values of each field, and names the field. */

const api = startApi();
let token = '';
beforeAll(async () => {
  token = await api.apiKey(SCOPES);
});

type Json = Record<string, unknown>;

/** The values that each field refuses, by the field's pointer. `undefined` leaves the field out. */
interface Operation {
  path: string;
  method?: 'PATCH';
  good: Json;
  refuses: Record<string, readonly unknown[]>;
}

const BEYOND = 100_000_000_001;
const ID = ['', 'x'.repeat(129), 'a\u0000b', 'a\u0007', 7];
const NAME = ['', 'x'.repeat(65), 'a\tb', 'a\u0000', 7];
const AMOUNT = [undefined, null, 0, -1, 0.5, '1', BEYOND, 1e300];
const DAY = ['2026-02-29', '2026-02-28T00:00:00Z', '21/11/2026'];
const UNKNOWN = ['GBP'];
const owner = 'emp-refused';

const DEBT = { name: 'A', balance: 300_000, rate: 2_490, minimum: 9_000 };
const debts = [DEBT, { ...DEBT, name: 'B' }];
const manyDebts = Array.from({ length: 51 }, (_, index) => ({ ...DEBT, name: String(index) }));
const simulation = { debts, monthly_budget: 30_000 };
const debtsRefuse = {
  '/debts': [undefined, [], manyDebts, DEBT],
  '/debts/0/name': [undefined, ...NAME],
  '/debts/1/name': ['A'],
  '/debts/0/balance': AMOUNT,
  '/debts/0/rate': [undefined, -1, 100_001, 19.5, '0.199'],
  '/debts/0/minimum': [undefined, null, -1],
  '/debts/0/apr': UNKNOWN,
  '/monthly_budget': AMOUNT,
  '/strategy': ['Avalanche', null],
  '/currency': UNKNOWN,
};

const RENT = { type: 'Rent', amount: 120_000, category: 'FIXED' };
const wage = { employee_id: owner, gross_pay: 300_000, obligations: [RENT, RENT] };
const wageRefuses = {
  '/employee_id': [undefined, ...ID],
  '/gross_pay': AMOUNT,
  '/obligations': [undefined, RENT, Array.from({ length: 101 }, () => RENT)],
  '/obligations/1/amount': AMOUNT,
  '/obligations/0/category': ['fixed'],
  '/obligations/0/type': NAME,
  '/obligations/0/vault_id': UNKNOWN,
  '/buffer_rate': [0.1, '1.0001', '-0.1', '0.10000', '1e-1'],
  '/pay_date': [...DAY, '1999-01-01'],
  '/include_history': ['true'],
  '/currency': UNKNOWN,
};

const moved = { '/user_id': [undefined, ...ID], '/amount': AMOUNT, '/currency': UNKNOWN };

const OPERATIONS: Record<string, Operation> = {
  simulateDebts: { path: '/engine/debt/simulate', good: simulation, refuses: debtsRefuse },
  createDebtPlan: {
    path: '/engine/debt/plan',
    good: { ...simulation, user_id: owner },
    refuses: {
      ...debtsRefuse,
      '/user_id': [undefined, ''],
      '/name': ['', 'x'.repeat(65)],
      '/start_date': ['2026-02-30', '2020-01-01', '2099-01-01'],
      '/debts/0/provider_id': [''],
      '/status': ['completed'],
    },
  },
  changeDebtPlan: {
    path: '/engine/debt/plan_unknown',
    method: 'PATCH',
    good: {
      debts: [
        { name: 'A', rate: 1 },
        { name: 'B', rate: 2 },
      ],
    },
    refuses: {
      '': [{}],
      '/name': [''],
      '/strategy': ['fastest'],
      '/monthly_budget': [0],
      '/debts': [[]],
      '/debts/0': [{ name: 'C' }],
      '/debts/0/name': ['x'.repeat(65)],
      '/debts/1/name': ['A'],
      '/debts/0/balance': [-1],
      '/debts/0/provider_id': ['prov_sandbox_instant'],
      '/user_id': ['emp-y'],
      '/start_date': ['2026-11-21'],
    },
  },
  recordDebtPayment: {
    path: '/engine/debt/plan_unknown/payments',
    good: { debt: 'A', amount: 1_000, paid_on: '2026-11-21' },
    refuses: {
      '/debt': [undefined, ''],
      '/amount': AMOUNT,
      '/paid_on': [undefined, ...DAY],
      '/separate': ['yes', 1, null],
      '/note': UNKNOWN,
    },
  },
  calculatePaycheck: { path: '/engine/paycheck/calculate', good: wage, refuses: wageRefuses },
  simulatePaycheck: { path: '/engine/paycheck/simulate', good: wage, refuses: wageRefuses },
  allocate: {
    path: '/allocations/allocate',
    good: { user_id: owner, vault_type: 'FIXED', amount: 1 },
    refuses: { ...moved, '/vault_type': ['BILLS'], '/label': NAME },
  },
  withdraw: {
    path: '/allocations/withdraw',
    good: { user_id: owner, vault_id: 'vlt_1', amount: 1 },
    refuses: { ...moved, '/vault_id': [undefined, ['vlt_1']], '/allocation_id': [null] },
  },
  transferBetweenVaults: {
    path: '/allocations/transfer',
    good: { user_id: owner, from_vault_id: 'vlt_1', to_vault_id: 'vlt_2', amount: 1 },
    refuses: { ...moved, '/from_vault_id': [undefined], '/to_vault_id': [undefined, 5] },
  },
  renameVault: {
    path: '/allocations/vault/vlt_1',
    method: 'PATCH',
    good: { label: 'Home' },
    refuses: { '/label': [undefined, ...NAME], '/vault_type': ['SAVINGS'] },
  },
  renameProvider: {
    path: '/payments/providers/prov_1',
    method: 'PATCH',
    good: { name: 'Northern Energy plc' },
    refuses: { '/name': [undefined, null, ' ', 'x'.repeat(141)], '/sort_code': ['401276'] },
  },
  simulateAffordability: {
    path: '/engine/affordability/simulate',
    good: { user_id: owner, proposed_amount: 4_500, frequency: 'MONTHLY' },
    refuses: {
      '/proposed_amount': AMOUNT,
      '/frequency': ['DAILY', 'monthly', undefined],
      '/category': ['LUXURY', null],
      '/user_id': ID,
      '/note': UNKNOWN,
    },
  },
  accrueYield: {
    path: '/engine/yield/accrue',
    good: { vault_id: 'vlt_1' },
    refuses: {
      '': [[]],
      '/vault_id': [undefined, '', 7, 'vlt_\u0000'],
      '/as_of': ['2026-02-29', '2026-11-21T00:00:00Z', null],
      '/rate': UNKNOWN,
    },
  },
  forecastYield: {
    path: '/engine/yield/forecast',
    good: { user_id: owner, horizon_months: 12 },
    refuses: {
      '/horizon_months': [undefined, 0, 61, 1.5, '12'],
      '/user_id': [undefined, ''],
      '/include_reinvestment': ['yes'],
      '/rate': UNKNOWN,
    },
  },
};

const send = ({ method = 'POST', path }: { method?: string; path: string }, body: unknown) =>
  api.request(method, `/api/v1${path}`, { token, body });

/** A copy in which one field has another value. */
function withValue(body: unknown, pointer: string, value: unknown): unknown {
  const [, name, ...rest] = pointer.split('/');
  if (name === undefined) return value;
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as Json) }) as Json;
  copy[name] = withValue(copy[name], rest.map((part) => `/${part}`).join(''), value);
  return copy;
}

describe.each(Object.entries(OPERATIONS))('%s', (_id, operation) => {
  test('does not refuse the valid request', async () => {
    expect((await send(operation, operation.good)).status).not.toBe(400);
  });

  test.each(Object.entries(operation.refuses))('names %j, and refuses each of %j', async (pointer, values) => {
    for (const value of values) {
      const answer = await send(operation, withValue(operation.good, pointer, value));
      expect({ value, ...answer }).toMatchObject({ value, ...problem(400, 'invalid-request') });
      expect({ value, pointers: pointersOf(answer) }).toEqual({ value, pointers: [pointer] });
    }
  });
});

describe('a body beyond the limits is refused before a look at its items, with', () => {
  const empty = Array.from({ length: 1_990 }, () => ({}));
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`m${place}`, {}]));
  const [unknown, calculate] = ['is not a field of this request', '/engine/paycheck/calculate'];
  test.each([
    ['one fault for a long list', calculate, { obligations: empty }, 1, 'must have at most 100 items'],
    ['100 faults for many members', calculate, members(1_900), 100, unknown],
    ['the unknown members of an item', '/engine/debt/simulate', { debts: [members(9)] }, 9, unknown],
    ['one fault for a long text', '/allocations/withdraw', { user_id: 'a'.repeat(900_000) }, 1, 'must be 1 to 128'],
  ])('%s', async (_what, path, body, count, detail) => {
    const answer = await api.post(`/api/v1${path}`, { token, body });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    const { errors } = answer.body as { errors: { detail: string }[] };
    expect(errors).toHaveLength(count);
    expect(errors[0]!.detail).toContain(detail);
  });

  test('one fault for an open object', async () => {
    const answer = await api.post('/api/v1/auth/introspect', { body: members(101) });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});

describe('every fault is named at once', () => {
  const { calculatePaycheck, simulatePaycheck, transferBetweenVaults, simulateDebts, createDebtPlan } = OPERATIONS;
  const transfer = { user_id: owner, from_vault_id: 'vlt_2', amount: 1 };

  test.each<[string, readonly Operation[], unknown, string[]]>([
    [
      'of debts',
      [simulateDebts!],
      {
        debts: [
          { ...DEBT, rate: -1 },
          { ...DEBT, name: 'B', balance: 0 },
        ],
        monthly_budget: 'x',
        extra: 1,
      },
      ['/debts/0/rate', '/debts/1/balance', '/extra', '/monthly_budget'],
    ],
    [
      'of a paycheck',
      [calculatePaycheck!],
      { employee_id: '', gross_pay: -1, obligations: [{ type: 'Rent', amount: 1.5, category: 'X' }], extra: 1 },
      ['/employee_id', '/extra', '/gross_pay', '/obligations/0/amount', '/obligations/0/category'],
    ],
    [
      'of a paycheck without fields',
      [calculatePaycheck!, simulatePaycheck!],
      {},
      ['/employee_id', '/gross_pay', '/obligations'],
    ],
    [
      'of a paycheck whose document replaces its income',
      [calculatePaycheck!, simulatePaycheck!],
      { employee_id: '', gross_pay: 1, payslip_doc_id: 'doc_1' },
      ['/employee_id', '/obligations', '/payslip_doc_id'],
    ],
    ['of a transfer', [transferBetweenVaults!], {}, ['/amount', '/from_vault_id', '/to_vault_id', '/user_id']],
    [
      'of a transfer with two destinations',
      [transferBetweenVaults!],
      { ...transfer, amount: 0, to_vault_id: 5, to_label: 'Trip' },
      ['/amount', '/to_label', '/to_vault_id'],
    ],
    [
      'of a destination by id and type',
      [transferBetweenVaults!],
      { ...transfer, to_vault_id: 'vlt_1', to_vault_type: 'SAVINGS' },
      ['/to_vault_type'],
    ],
    ['of a destination by label alone', [transferBetweenVaults!], { ...transfer, to_label: 'Trip' }, ['/to_vault_id']],
    ['of an unknown type', [transferBetweenVaults!], { ...transfer, to_vault_type: 'TRIP' }, ['/to_vault_type']],
  ])('%s', async (_name, operations, body, pointers) => {
    for (const operation of operations) {
      const answer = await send(operation, body);
      expect(answer).toMatchObject(problem(400, 'invalid-request'));
      expect(answer.body.errors).toHaveLength(pointers.length);
      expect(pointersOf(answer)).toEqual(pointers);
    }
  });

  test('two debts with one name are reported with the other faults', async () => {
    const given = { debts: [DEBT, { ...DEBT, balance: 0 }, 7, { name: 7 }, { name: 7 }] };
    for (const operation of [simulateDebts!, createDebtPlan!]) {
      const answer = await send(operation, { ...given, ...(operation === createDebtPlan && { user_id: owner }) });
      expect(pointersOf(answer)).toEqual(
        expect.arrayContaining(['/monthly_budget', '/debts/1/balance', '/debts/1/name']),
      );
      expect(answer.text).not.toContain('must differ from that of /debts/3');
    }
  });
});

describe('a query', () => {
  test.each([
    ['/engine/debt/plans', '/query/user_id'],
    ['/engine/debt/plans?user_id=', '/query/user_id'],
    ['/engine/paycheck/history', '/query/employee_id'],
    ['/engine/paycheck/history?employee_id=', '/query/employee_id'],
    ...['from=2026-02-30', 'to=tomorrow', 'from=0000-01-01', 'to=0000-12-31'].map((query) => [
      `/engine/paycheck/history?employee_id=a&${query}`,
      `/query/${query.split('=')[0]}`,
    ]),
    ...[
      'kind=salary',
      'from=2026-02-29',
      'from=0000-01-01',
      'from=yesterday',
      'to=2026-02-30T10:00:00Z',
      'to=2026-01-01T25:00:00Z',
      'to=2026-01-01T10:00:00',
      'cursor=MA',
    ].map((query) => [`/allocations/history/${owner}?${query}`, `/query/${query.split('=')[0]}`]),
  ])('%s is refused at %s', async (path, pointer) => {
    const answer = await api.get(`/api/v1${path}`, { token });
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([pointer]);
  });
});
