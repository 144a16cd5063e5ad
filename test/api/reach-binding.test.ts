import { disableUser } from '../../activities/auth/accounts.ts';
import { LOGIN_SCOPES } from '../../domain/auth.ts';
import { textQuery } from '../helpers/text-query.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import { accountsOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer, type TestApi, type TestRequest } from '../helpers/api.ts';
import { expectSoundLedger } from '../helpers/money.ts';
import { asOwner, ownerSql } from '../helpers/owner.ts';
import { formOf, pdfOf } from '../helpers/reading.ts';
import { storeWage } from '../helpers/wages.ts';

// This check needs the database, which the API drops.
afterAll(() => expectSoundLedger(api.services));
const api = startApi();

const SCOPES = [...LOGIN_SCOPES, 'read:vault', 'write:vault', 'reveal:vault'] as const;
const PAYEE = { name: 'Landlord', category: 'OTHER', sort_code: '20-00-00', account_number: '55779911' };
const CALCULATE = '/api/v1/engine/paycheck/calculate';
let owners = 0;
let ours: string;
let theirs: string;
let operators: string;

beforeAll(async () => {
  ours = await api.apiKey(SCOPES);
  theirs = await api.apiKey(SCOPES, { app: await api.anotherApplication() });
  operators = await api.apiKey([...SCOPES, 'admin:owners']);
});

const newOwner = () => `employee-${(owners += 1)}`;
const outcomeOf = ({ status, body }: TestAnswer) =>
  body?.code === undefined ? String(status) : `${status} ${body.code}`;
const wage = (owner: string, more: object = {}) => ({
  employee_id: owner,
  gross_pay: 200_000,
  obligations: [{ type: 'Rent', amount: 50_000, category: 'FIXED' }],
  ...more,
});
const plan = (owner: string) => ({
  user_id: owner,
  debts: [{ name: 'Card', balance: 50_000, rate: 1_990, minimum: 2_000 }],
  monthly_budget: 10_000,
});
const pii = (owner: string) => ({ pii_type: 'user_email', owner_id: owner, data: { email: 'who@example.org' } });
const calculate = (token: string, owner: string, more?: object) =>
  api.post(CALCULATE, { token, body: wage(owner, more) });
const vaults = (token: string, owner: string) => api.get(`/api/v1/allocations/vaults/${owner}`, { token });

let payslip: Promise<Buffer> | undefined;

type Place = Pick<TestApi, 'post'>;
// The kinds of request that can be an owner's first write.
const FIRST_WRITES: Record<string, (at: Place, key: string, owner: string, once?: string) => Promise<TestAnswer>> = {
  calculatePaycheck: (at, token, owner, once) =>
    at.post(CALCULATE, { token, body: wage(owner), headers: idempotent(once) }),
  createDebtPlan: (at, token, owner, once) =>
    at.post('/api/v1/engine/debt/plan', { token, body: plan(owner), headers: idempotent(once) }),
  storeVaultRecord: (at, vaultKey, owner, once) =>
    at.post('/api/v1/vault/store', { vaultKey, body: pii(owner), headers: idempotent(once) }),
  async uploadPayslip(at, token, owner, once) {
    const form = await formOf([
      ['file', await (payslip ??= pdfOf())],
      ['user_id', owner],
    ]);
    const headers = { ...form.headers, ...idempotent(once), prefer: 'respond-async' };
    return at.post('/api/v1/legacy/payslip/upload', { token, body: form.body, headers });
  },
};
const firstWrites = Object.entries(FIRST_WRITES);
const idempotent = (once?: string): Record<string, string> => (once === undefined ? {} : { 'idempotency-key': once });

const bindingOf = textQuery<{ app_id: string | null }>(
  'test.binding',
  'select app_id from owner_applications where owner_id = $1',
);
const binding = (owner: string) => api.services.db.many(bindingOf(owner));

const traces = textQuery<{ rows: number }>(
  'test.traces',
  `select (select count(*) from calculations where owner_id = $1) + (select count(*) from debt_plans where owner_id = $1)
        + (select count(*) from vault_records where owner_id = $1) + (select count(*) from documents where owner_id = $1)
        + (select count(*) from owners where owner_id = $1) as rows`,
);

const keptRefusals = textQuery<{ kept: number }>(
  'test.keptRefusals',
  'select count(*) as kept from idempotency_records where status = 403',
);
/** What `traces` counts after four requests of each kind. Four uploads of one file make one document. */
const MADE: Record<string, number> = { calculatePaycheck: 5, createDebtPlan: 5, storeVaultRecord: 4, uploadPayslip: 1 };

const RESERVED = ['vault', 'master-key', 'credential-key', 'business-clock'];

describe.each(firstWrites)('%s', (operation, write) => {
  test('binds a new owner to the application of the key', async () => {
    const owner = newOwner();
    expect((await write(api, ours, owner)).status).toBeLessThan(300);
    expect(await binding(owner)).toEqual([{ app_id: await api.application() }]);
    expect(outcomeOf(await write(api, theirs, owner))).toBe('403 owner-of-another-application');
    expect((await write(api, await api.apiKey(SCOPES), owner)).status).toBeLessThan(300);
  });

  test('of a key with admin:owners leaves a new owner to keys with admin:owners', async () => {
    const owner = newOwner();
    expect((await write(api, operators, owner)).status).toBeLessThan(300);
    expect(await binding(owner)).toEqual([{ app_id: null }]);
    expect(outcomeOf(await write(api, ours, owner))).toBe('403 owner-of-another-application');
    expect((await write(api, operators, owner)).status).toBeLessThan(300);
  });

  // The service issues ids with these prefixes, and audit events about the service have these subjects.
  test.each([
    ...['usr_', 'calc_', 'vlt_', 'pay_', 'doc_', 'app_', 'inv_', 'sip_', 'client_', 'vault:', 'sign-in:'].map(
      (prefix) => `${prefix}new`,
    ),
    ...RESERVED,
  ])('refuses the new owner %s', async (owner) => {
    for (const key of [ours, operators]) expect(outcomeOf(await write(api, key, owner))).toBe('422 unknown-owner');
    if (RESERVED.includes(owner)) expect((await write(api, ours, `${owner}-1`)).status).toBeLessThan(300);
  });

  test.each([
    ['with Idempotency-Keys', true],
    ['without', false],
  ])(
    'of two applications at once, in two processes, binds to one and stores nothing of the other, %s',
    async (_how, once) => {
      const other = await api.another();
      for (let round = 0; round < 3; round += 1) {
        const owner = newOwner();
        const sent = [api, other, api, other].flatMap((at) => [
          { key: ours, at },
          { key: theirs, at },
        ]);
        const answers = await Promise.all(
          sent.map(async ({ key, at }, index) => ({
            key,
            ...(await write(at, key, owner, once ? `${operation}-${owner}-${index}` : undefined)),
          })),
        );
        const [{ app_id }] = (await binding(owner)) as [{ app_id: string }];
        const [winner, loser] = app_id === (await api.application()) ? [ours, theirs] : [theirs, ours];
        for (const { key, status, body } of answers)
          if (key === loser) expect([status, body.code]).toEqual([403, 'owner-of-another-application']);
          else expect([status < 300, body]).toEqual([true, body]);
        // The service stored no refusal as the response for an Idempotency-Key.
        expect(answers.filter(({ key }) => key === winner)).toHaveLength(4);
        expect((await api.services.db.one(traces(owner))).rows).toBe(MADE[operation]);
        expect((await api.services.db.one(keptRefusals())).kept).toBe(0);
      }
    },
  );
});

describe('nothing is bound', () => {
  test('by a read, a simulation or a check', async () => {
    const owner = newOwner();
    expect((await vaults(ours, owner)).status).toBe(200);
    const simulated = await api.post('/api/v1/engine/paycheck/simulate', { token: ours, body: wage(owner) });
    expect(simulated.status).toBe(200);
    expect((await api.get(`/api/v1/payments?user_id=${owner}`, { token: ours })).status).toBe(200);
    expect(await binding(owner)).toEqual([]);
    expect((await calculate(theirs, owner)).status).toBe(201);
  });

  test('by a write that is refused, with an Idempotency-Key and without', async () => {
    for (const headers of [idempotent(), idempotent('refused-first')]) {
      const owner = newOwner();
      const body = wage(owner, { obligations: [{ type: 'Rent', amount: 900_000, category: 'FIXED' }] });
      expect(outcomeOf(await api.post(CALCULATE, { token: ours, body, headers }))).toBe(
        '422 obligations-exceed-income',
      );
      expect(await binding(owner)).toEqual([]);
      expect((await api.services.db.one(traces(owner))).rows).toBe(0);
    }
  });

  test('of a person, whose money their own token moves', async () => {
    const person = await api.registerUser({ granted: false });
    expect((await calculate(person.token, person.userId)).status).toBe(201);
    await api.grant(person.userId, LOGIN_SCOPES);
    expect((await calculate(ours, person.userId)).status).toBe(201);
    expect(await binding(person.userId)).toEqual([]);
  });
});

describe('an id that nobody has', () => {
  test('is empty for an application that may use it', async () => {
    expect((await vaults(ours, newOwner())).body.vaults).toEqual([]);
  });

  test("in the form of a person's id is refused to a key, and a key with admin:owners finds nothing", async () => {
    expect(outcomeOf(await vaults(ours, 'usr_nobody'))).toBe('403 owner-of-another-application');
    expect((await vaults(operators, 'usr_nobody')).body.vaults).toEqual([]);
  });

  test('of a form that only the service issues cannot get an allocation', async () => {
    const body = { user_id: 'usr_nobody', vault_type: 'SAVINGS', amount: 1 };
    expect(outcomeOf(await api.post('/api/v1/allocations/allocate', { token: ours, body }))).toBe('422 unknown-owner');
  });
});

describe('an application with an owner prefix', () => {
  let prefixed: string;

  beforeAll(async () => {
    const app = await api.anotherApplication();
    await ownerSql(api.services, `update applications set owner_prefix = 'acme-' where app_id = $1`, [app]);
    prefixed = await api.apiKey(SCOPES, { app });
  });

  test('gets ids with this prefix, and no others', async () => {
    expect((await calculate(prefixed, 'acme-1')).status).toBe(201);
    expect((await vaults(prefixed, 'acme-2')).status).toBe(200);
    expect(outcomeOf(await calculate(prefixed, newOwner()))).toBe('403 owner-of-another-application');
    expect(outcomeOf(await vaults(prefixed, newOwner()))).toBe('403 owner-of-another-application');
  });

  test('keeps other applications from these ids', async () => {
    expect(outcomeOf(await calculate(ours, 'acme-3'))).toBe('403 owner-of-another-application');
    expect(outcomeOf(await vaults(ours, 'acme-3'))).toBe('403 owner-of-another-application');
    expect((await calculate(prefixed, 'acme-3')).status).toBe(201);
  });

  test('does not change an owner that is already bound', async () => {
    const owner = newOwner();
    await calculate(ours, owner);
    const rebind = textQuery('test.rebind', 'update owner_applications set owner_id = $2 where owner_id = $1');
    await api.services.db.run(rebind(owner, 'acme-of-before'));
    expect((await vaults(ours, 'acme-of-before')).status).toBe(200);
    expect(outcomeOf(await vaults(prefixed, 'acme-of-before'))).toBe('403 owner-of-another-application');
  });
});

describe('reach is checked again', () => {
  const ended = (family: string) => api.services.db.run(endFamilies({ family_id: family }, new Date(), 'test'));

  test('before a stored response is repeated', async () => {
    const person = await api.registerUser({ granted: false });
    const family = await api.grant(person.userId, LOGIN_SCOPES);
    const request: TestRequest = { token: ours, body: wage(person.userId), headers: idempotent('given once more') };
    expect((await api.post(CALCULATE, request)).status).toBe(201);
    expect((await api.post(CALCULATE, request)).headers['idempotent-replayed']).toBe('true');
    await ended(family);
    expect(outcomeOf(await api.post(CALCULATE, request))).toBe('403 owner-of-another-application');
    await api.grant(person.userId, LOGIN_SCOPES);
    expect((await api.post(CALCULATE, request)).headers['idempotent-replayed']).toBe('true');
  });

  test('when a request has waited', async () => {
    const person = await api.registerUser({ granted: false });
    const family = await api.grant(person.userId, LOGIN_SCOPES);
    const uploaded = await FIRST_WRITES.uploadPayslip!(api, person.token, person.userId);
    const path = `/api/v1/legacy/payslip/${uploaded.body.doc_id}`;
    const accounts = accountsOf(api.services);
    const revoked = await accounts.issueApiKey({ app_id: await api.application(), scopes: ['read:documents'] });
    const held = [ours, person.token, revoked.key].map((token) =>
      api.get(path, { token, headers: { prefer: 'wait=2' } }),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    await ended(family);
    await disableUser(api.services, { user_id: person.userId });
    await accounts.revokeApiKey({ key_id: revoked.key_id });
    const outcomes = (await Promise.all(held)).map(outcomeOf);
    expect(outcomes).toEqual(['404 not-found', '401 invalid-token', '401 invalid-token']);
  });

  test('for an id that another application gets during the request', async () => {
    const owner = newOwner();
    const app = await api.anotherApplication();
    const db = await asOwner(api.services);
    let reading: Promise<TestAnswer> | undefined;
    await db.transaction(async (tx) => {
      await tx.run(textQuery('test.lockBalances', 'lock table ledger_accounts in access exclusive mode')());
      await tx.run(textQuery('test.bindMeanwhile', 'select owner_bind($1, $2)')(owner, app));
      reading = vaults(ours, owner);
      await new Promise((resolve) => setTimeout(resolve, 500));
    });
    expect(outcomeOf(await reading!)).toBe('403 owner-of-another-application');
  });

  test("for a person's document from which a key takes an income", async () => {
    const person = await api.registerUser({ granted: false });
    const uploaded = await FIRST_WRITES.uploadPayslip!(api, person.token, person.userId);
    await api.grant(person.userId, ['write:paycheck']);
    const body = { employee_id: person.userId, payslip_doc_id: uploaded.body.doc_id, obligations: [] };
    expect(outcomeOf(await api.post(CALCULATE, { token: ours, body }))).toBe('403 owner-of-another-application');
    await api.grant(person.userId, ['read:documents']);
    expect(outcomeOf(await api.post(CALCULATE, { token: ours, body }))).toBe('409 document-not-parsed');
  });
});

describe('a wage in a request', () => {
  test('needs the scope of the bank from the caller and from the person, and is no other person’s', async () => {
    const person = await api.registerUser({ granted: false });
    const wage_id = await storeWage(api.services, person.userId, { amount: 1_000, received_on: '2026-11-20' });
    const asked = async (token: string, more: object = {}) => {
      const body = { employee_id: person.userId, wage_id, obligations: [], ...more };
      return outcomeOf(await api.post(CALCULATE, { token, body }));
    };
    await api.grant(person.userId, ['write:paycheck', 'read:documents']);
    expect(await asked(ours)).toBe('403 owner-of-another-application');
    await api.grant(person.userId, ['read:bank']);
    expect(await asked(await api.apiKey(['write:paycheck', 'read:documents']))).toBe('403 insufficient-scope');
    const other = await api.registerUser();
    expect(await asked(other.token, { employee_id: other.userId })).toBe('422 unknown-wage');
    for (const more of [{ gross_pay: 1 }, { payslip_doc_id: 'doc_1' }, { pay_date: '2026-11-21' }])
      expect(await asked(ours, more)).toBe('400 invalid-request');
    expect(await asked(ours)).toBe('201');
    expect(await asked(person.token)).toBe('409 wage-already-calculated');
  });
});

describe('a resource in a request', () => {
  test('must belong to the request’s owner, or it is not found', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    await calculate(ours, owner);
    const { body: calculation } = await calculate(theirs, other);
    const [{ vault_id }] = calculation.vaults;
    const post = async (path: string, body: object) => outcomeOf(await api.post(path, { token: ours, body }));
    expect(await post('/api/v1/allocations/withdraw', { user_id: owner, vault_id, amount: 1 })).toBe('404 not-found');
    const history = await api.get(`/api/v1/allocations/history/${owner}?vault_id=${vault_id}`, { token: ours });
    expect(history.body.items).toEqual([]);
    const uploaded = await FIRST_WRITES.uploadPayslip!(api, theirs, other);
    const income = { employee_id: owner, payslip_doc_id: uploaded.body.doc_id, obligations: [] };
    expect(await post(CALCULATE, income)).toBe('404 not-found');
    await api.request('DELETE', `/api/v1/legacy/payslip/${uploaded.body.doc_id}`, { token: theirs });
    expect(await post(CALCULATE, income)).toBe('404 not-found');
  });

  test('can be a payee of the application, which others neither see nor pay', async () => {
    const { provider_id } = (await api.post('/api/v1/payments/providers', { token: ours, body: PAYEE })).body;
    const seen = async (token: string) =>
      (await api.get('/api/v1/payments/providers', { token })).body.items.some(
        (one: { provider_id: string }) => one.provider_id === provider_id,
      );
    expect([await seen(ours), await seen(theirs)]).toEqual([true, false]);
    const { body: calculation } = await calculate(theirs, newOwner());
    const [{ allocation_id: vault_allocation_id }] = calculation.vaults;
    const bill = { vault_allocation_id, amount: 1, currency: 'GBP', provider_id };
    expect(outcomeOf(await api.post('/api/v1/payments/execute', { token: theirs, body: bill }))).toBe(
      '422 unknown-provider',
    );
    const debts = plan('any').debts.map((debt) => ({ ...debt, provider_id }));
    const body = { ...plan(newOwner()), debts };
    expect(outcomeOf(await api.post('/api/v1/engine/debt/plan', { token: theirs, body }))).toBe('422 unknown-provider');
  });
});

describe('a list of payments without an owner', () => {
  test("covers the application's owners; for a key with admin:owners all", async () => {
    const payments = async (token: string) => {
      const { body } = await api.get('/api/v1/payments?limit=100', { token });
      return (body.items as { user_id: string }[]).map(({ user_id }) => user_id);
    };
    const person = await api.registerUser();
    const [mine, foreign] = [newOwner(), newOwner()];
    for (const [token, owner] of [
      [ours, mine],
      [theirs, foreign],
      [ours, person.userId],
    ] as const) {
      const { provider_id } = (await api.post('/api/v1/payments/providers', { token, body: PAYEE })).body;
      const { body: calculation } = await calculate(token, owner);
      const [{ allocation_id: vault_allocation_id }] = calculation.vaults;
      const bill = { vault_allocation_id, amount: 1, currency: 'GBP', provider_id };
      expect((await api.post('/api/v1/payments/execute', { token, body: bill })).status).toBe(201);
    }
    expect(await payments(ours)).toEqual([mine]);
    expect(await payments(theirs)).toEqual([foreign]);
    expect((await payments(operators)).sort()).toEqual([mine, foreign, person.userId].sort());
    expect(await payments(person.token)).toEqual([person.userId]);
  });
});
