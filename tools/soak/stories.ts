import { FormData } from 'undici';
import { makeDocument, SETS } from '../payslips/index.ts';
import type { Ask, Caller } from './caller.ts';

export interface Cast {
  caller: Caller;
  key: string;
  people: { email: string; password: string }[];
  /** PDFs with a text layer. */
  documents: Uint8Array<ArrayBuffer>[];
}

/** Related requests, mostly for one new owner. They cost the same however long the test has run. */
type Story = (cast: Cast, ownerId: string) => Promise<void>;

const PASSWORD = 'a long enough passphrase';
const PEOPLE = 10;
const DOCUMENTS = 12;

export async function makeCast(caller: Caller, key: string): Promise<Cast> {
  const layouts = SETS.development.filter(({ type }) => type === 'payslip');
  const documents: Uint8Array<ArrayBuffer>[] = [];
  for (let seed = 0; seed < DOCUMENTS; seed += 1) {
    const layout = layouts[seed % layouts.length]!.name;
    documents.push(new Uint8Array((await makeDocument({ layout, seed, form: 'text' })).bytes));
  }
  const people = Array.from({ length: PEOPLE }, (_, number) => ({
    email: `soak-${number}@example.test`,
    password: PASSWORD,
  }));
  for (const body of people)
    await caller.ask('register', { method: 'POST', path: '/api/v1/auth/register', body, expect: [201] });
  return { caller, key, people, documents };
}

const get = (path: string, headers: Record<string, string>, expect: readonly number[] = [200]): Ask => {
  return { method: 'GET', path: `/api/v1${path}`, headers, expect };
};
const post = (
  path: string,
  body: object | undefined,
  headers: Record<string, string>,
  expect: readonly number[] = [201],
): Ask => {
  const named = { ...headers, 'idempotency-key': crypto.randomUUID() };
  return { method: 'POST', path: `/api/v1${path}`, headers: named, ...(body && { body }), expect };
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const oneOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;

const signIn: Story = async ({ caller, people }) => {
  const plain = { 'content-type': 'application/json' };
  const login: Ask = { ...post('/auth/login', oneOf(people), plain, [200]) };
  const { access_token, refresh_token } = await caller.ask<{ access_token: string; refresh_token: string }>(
    'sign in',
    login,
  );
  const me = await caller.ask<{ user_id: string }>('auth/me', get('/auth/me', bearer(access_token)));
  await caller.ask('vaults', get(`/allocations/vaults/${me.user_id}`, bearer(access_token)));
  const renewed = await caller.ask<{ access_token: string }>(
    'refresh',
    post('/auth/refresh', { refresh_token }, {}, [200]),
  );
  await caller.ask('sign out', post('/auth/logout', undefined, bearer(renewed.access_token), [204]));
};

interface Paycheck {
  vaults: { vault_id: string; allocation_id: string }[];
}

async function calculate({ caller, key }: Cast, employee_id: string): Promise<Paycheck> {
  const obligations = [
    { type: 'Rent', amount: 80_000, category: 'FIXED' },
    { type: 'Reserve', amount: 20_000, category: 'SAVINGS' },
  ];
  return caller.ask(
    'calculate',
    post('/engine/paycheck/calculate', { employee_id, gross_pay: 300_000, obligations }, bearer(key)),
  );
}

async function pay(
  { caller, key }: Cast,
  vault_allocation_id: string,
  provider_id: string,
): Promise<{ status: string }> {
  const body = { vault_allocation_id, amount: 12_34, currency: 'GBP', provider_id, reference: 'SOAK' };
  let payment = await caller.ask<{ payment_id: string; status: string }>(
    'execute',
    post('/payments/execute', body, bearer(key)),
  );
  while (payment.status === 'processing' || payment.status === 'pending') {
    const headers = { ...bearer(key), prefer: 'wait=20' };
    payment = await caller.ask('poll payment', get(`/payments/${payment.payment_id}`, headers));
  }
  return payment;
}

const payday: Story = async (cast, user_id) => {
  const { caller, key } = cast;
  const { vaults } = await calculate(cast, user_id);
  const body = { user_id, vault_type: 'SAVINGS', amount: 5_000, label: 'Holiday' };
  const { vault_id } = await caller.ask<{ vault_id: string }>(
    'allocate',
    post('/allocations/allocate', body, bearer(key)),
  );
  await caller.ask('withdraw', post('/allocations/withdraw', { user_id, vault_id, amount: 1_000 }, bearer(key)));
  const payee = oneOf(['prov_sandbox_instant', 'prov_sandbox_slow', 'prov_sandbox_reject', 'prov_sandbox_lost_reply']);
  await Promise.all([
    pay(cast, vaults[0]!.allocation_id, 'prov_sandbox_instant'),
    pay(cast, vaults[0]!.allocation_id, payee),
  ]);
  await caller.ask('history', get(`/allocations/history/${encodeURIComponent(user_id)}`, bearer(key)));
  await caller.ask('list payments', get(`/payments?user_id=${encodeURIComponent(user_id)}`, bearer(key)));
};

const prove: Story = async (cast, user_id) => {
  const { caller, key } = cast;
  const { vaults } = await calculate(cast, user_id);
  await pay(cast, vaults[0]!.allocation_id, 'prov_sandbox_instant');
  const { credential_id } = await caller.ask<{ credential_id: string }>(
    'generate credential',
    post('/credential/generate', { user_id }, bearer(key)),
  );
  await caller.ask('verify credential', get(`/credential/${credential_id}/verify`, {}));
  await caller.ask('export PDF', get(`/credential/${credential_id}/export?format=pdf`, bearer(key)));
  await caller.ask('revoke', post(`/credential/${credential_id}/revoke`, undefined, bearer(key), [204]));
};

const keepSafe: Story = async ({ caller, key }, owner_id) => {
  const data = { sort_code: '401276', account_number: '12345678', account_holder_name: 'A Person' };
  const vault = { 'x-vault-api-key': key };
  const { vault_ref } = await caller.ask<{ vault_ref: string }>(
    'vault store',
    post('/vault/store', { pii_type: 'employee_bank', owner_id, data }, vault),
  );
  const path = `/vault/${encodeURIComponent(vault_ref)}`;
  await caller.ask('vault get', get(path, vault));
  await caller.ask('vault masked', get(`${path}/masked`, vault));
  await caller.ask(
    'vault verify',
    post(`${path}/verify`, { field: 'account_number', value: '12345678' }, vault, [200]),
  );
  await caller.ask('vault batch', post('/vault/batch-retrieve', { vault_refs: [vault_ref] }, vault, [200]));
  await caller.ask('vault erase', { method: 'DELETE', path: `/api/v1${path}`, headers: vault, expect: [204] });
};

const sendIn: Story = async ({ caller, key, documents }, user_id) => {
  const body = new FormData();
  body.set('user_id', user_id);
  body.set('file', new File([oneOf(documents)], 'payslip.pdf'));
  let document = await caller.ask<{ doc_id: string; status: string }>(
    'upload',
    post('/legacy/payslip/upload', body, bearer(key), [201, 202]),
  );
  const path = `/legacy/payslip/${document.doc_id}`;
  while (document.status === 'processing')
    document = await caller.ask('poll document', get(path, { ...bearer(key), prefer: 'wait=20' }));
  if (document.status !== 'parsed') throw new Error(`a document ended as ${document.status}`);
  await caller.ask('tax history', get(`/legacy/tax-history/${encodeURIComponent(user_id)}`, bearer(key)));
  await caller.ask('erase document', {
    method: 'DELETE',
    path: `/api/v1${path}`,
    headers: bearer(key),
    expect: [204],
  });
};

const plan: Story = async (cast, user_id) => {
  const { caller, key } = cast;
  const { vaults } = await calculate(cast, user_id);
  const debts = [
    { name: 'Card', balance: 250_000, rate: 2_190, minimum: 5_000 },
    { name: 'Loan', balance: 900_000, rate: 690, minimum: 18_000 },
  ];
  await caller.ask(
    'simulate debts',
    post('/engine/debt/simulate', { debts, monthly_budget: 60_000 }, bearer(key), [200]),
  );
  const purchase = { user_id, proposed_amount: 4_500, frequency: 'MONTHLY', category: 'SUBSCRIPTIONS' };
  await caller.ask('affordability', post('/engine/affordability/simulate', purchase, bearer(key), [200]));
  await caller.ask('forecast', post('/engine/yield/forecast', { user_id, horizon_months: 12 }, bearer(key), [200]));
  await caller.ask(
    'accrue',
    post('/engine/yield/accrue', { vault_id: vaults[1]!.vault_id }, bearer(key), [200, 201, 409, 422]),
  );
  await caller.ask('breakdown of health', get('/admin/health', bearer(key)));
};

export const STORIES: readonly Story[] = [
  signIn,
  signIn,
  payday,
  payday,
  payday,
  prove,
  keepSafe,
  keepSafe,
  sendIn,
  plan,
];
export const REQUESTS_A_STORY = 7;
