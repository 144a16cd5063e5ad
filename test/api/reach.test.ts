import { LOGIN_SCOPES, type Scope } from '../../domain/auth.ts';
import { readContract } from '../../api/http/contract.ts';
import type { OperationId } from '../../api/http/handlers.ts';
import { paymentActivities } from '../../activities/payments/index.ts';
import { insertConnection } from '../../infra/db/queries/bank.ts';
import { endFamilies } from '../../infra/db/queries/sign-in.ts';
import { credentialsOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer, type TestRequest } from '../helpers/api.ts';
import { payBill } from '../helpers/credential.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { storeAccount, storeTransactions } from '../helpers/read-accounts.ts';
import { formOf, pdfOf } from '../helpers/reading.ts';

/* Tests who can call each operation for whom. */

const bank = playedBank();
const api = startApi({ bank });

interface Owned {
  owner: string;
  calculation: string;
  allocation: string;
  bills: string;
  payment: string;
  plan: string;
  credential: string;
  document: string;
  connection: string;
  credit: string;
  erasable: string;
  record: string;
  erasableRecord: string;
}

type Request = [method: string, path: string, more?: TestRequest];

interface Row {
  /** By the owner's id, by a resource, or by a record of the PII vault. */
  by: 'name' | 'resource' | 'record';
  request: (of: Owned) => Request | Promise<Request>;
  /** For a caller with access: the status, followed by the error's code if there is one. */
  gets: string;
  /** What the person gets, if not the same. */
  toPerson?: string;
  /** For a resource that does not exist. The default is `404 not-found`. */
  unknown?: string;
  /** A scope for API keys only. The scopes that a person granted do not matter: any live grant is enough. */
  keysOnly?: true;
}

const BILL = { amount: 100, currency: 'GBP', provider_id: 'prov_sandbox_instant' };
const DEBT = { name: 'Card', balance: 50_000, rate: 1_990, minimum: 2_000 };
const wage = (owner: string) => ({
  employee_id: owner,
  gross_pay: 400_000,
  pay_date: '2026-11-20',
  obligations: [{ type: 'Rent', amount: 100_000, category: 'FIXED' }],
});
const pii = (owner: string) => ({ pii_type: 'user_email', owner_id: owner, data: { email: 'who@example.org' } });
const plan = (owner: string) => ({ user_id: owner, debts: [DEBT], monthly_budget: 10_000 });
const upload = async (owner: string, line = 'Payslip'): Promise<TestRequest> => {
  const { body, headers } = await formOf([
    ['file', await pdfOf([line])],
    ['user_id', owner],
  ]);
  return { body, headers: { ...headers, prefer: 'respond-async' } };
};

const named = (gets: string, request: Row['request']): Row => ({ by: 'name', gets, request });
const resource = (gets: string, request: Row['request'], unknown?: string): Row => ({
  by: 'resource',
  gets,
  request,
  ...(unknown === undefined ? {} : { unknown }),
});
const record = (gets: string, request: Row['request'], unknown?: string): Row => ({
  ...resource(gets, request, unknown),
  by: 'record',
  keysOnly: true,
});

const get = (path: string): Request => ['GET', `/api/v1${path}`];
const post = (path: string, body?: object): Request => ['POST', `/api/v1${path}`, { body }];

const ROWS: { readonly [Op in OperationId]?: Row } = {
  calculatePaycheck: named('201', ({ owner }) =>
    post('/engine/paycheck/calculate', { ...wage(owner), pay_date: '2026-11-21' }),
  ),
  simulatePaycheck: named('200', ({ owner }) => post('/engine/paycheck/simulate', wage(owner))),
  listPaydays: named('200', ({ owner }) => get(`/engine/paycheck/paydays?user_id=${owner}`)),
  listPaychecks: named('200', ({ owner }) => get(`/engine/paycheck/history?employee_id=${owner}`)),
  setStandingSplit: named('200', ({ owner }) => [
    'PUT',
    `/api/v1/engine/standing-split/${owner}`,
    { body: { obligations: [] } },
  ]),
  readStandingSplit: named('200', ({ owner }) => get(`/engine/standing-split/${owner}`)),
  deleteStandingSplit: named('204', ({ owner }) => ['DELETE', `/api/v1/engine/standing-split/${owner}`]),
  explainPaycheck: resource('200', (of) => get(`/engine/paycheck/${of.calculation}/breakdown`)),
  allocate: named('201', ({ owner }) =>
    post('/allocations/allocate', { user_id: owner, vault_type: 'SAVINGS', amount: 1_000 }),
  ),
  withdraw: named('201', (of) => post('/allocations/withdraw', { user_id: of.owner, vault_id: of.bills, amount: 100 })),
  transferBetweenVaults: named('201', (of) =>
    post('/allocations/transfer', {
      ...{ user_id: of.owner, from_vault_id: of.bills, to_vault_type: 'SAVINGS', amount: 100 },
    }),
  ),
  listAllocationHistory: named('200', ({ owner }) => get(`/allocations/history/${owner}`)),
  listVaults: named('200', ({ owner }) => get(`/allocations/vaults/${owner}`)),
  renameVault: resource('200', (of) => ['PATCH', `/api/v1/allocations/vault/${of.bills}`, { body: { label: 'Ours' } }]),
  closeVault: resource('409 vault-not-empty', (of) => ['DELETE', `/api/v1/allocations/vault/${of.bills}`]),
  simulateAffordability: named('200', ({ owner }) =>
    post('/engine/affordability/simulate', { user_id: owner, proposed_amount: 1_000, frequency: 'MONTHLY' }),
  ),
  readAffordabilityScore: named('200', ({ owner }) => get(`/engine/affordability/score/${owner}`)),
  readOutlook: named('200', ({ owner }) => get(`/engine/affordability/outlook/${owner}`)),
  listAffordabilityChecks: named('200', ({ owner }) => get(`/engine/affordability/history/${owner}`)),
  createDebtPlan: named('201', ({ owner }) => post('/engine/debt/plan', plan(owner))),
  listDebtPlans: named('200', ({ owner }) => get(`/engine/debt/plans?user_id=${owner}`)),
  getDebtPlan: resource('200', (of) => get(`/engine/debt/${of.plan}`)),
  changeDebtPlan: resource('200', (of) => ['PATCH', `/api/v1/engine/debt/${of.plan}`, { body: { name: 'Ours' } }]),
  readDebtProgress: resource('200', (of) => get(`/engine/debt/${of.plan}/progress`)),
  recordDebtPayment: resource('422 unknown-debt', (of) =>
    post(`/engine/debt/${of.plan}/payments`, { debt: 'Loan', amount: 1_000, paid_on: '2026-11-24' }),
  ),
  closeDebtPlan: resource('204', (of) => ['DELETE', `/api/v1/engine/debt/${of.plan}`]),
  accrueYield: { ...resource('200', (of) => post('/engine/yield/accrue', { vault_id: of.bills })), keysOnly: true },
  aggregateYield: named('200', ({ owner }) => get(`/engine/yield/aggregate/${owner}`)),
  getVaultYield: resource('200', (of) => get(`/engine/yield/vault/${of.bills}`)),
  forecastYield: named('200', ({ owner }) => post('/engine/yield/forecast', { user_id: owner, horizon_months: 3 })),
  executePayment: resource(
    '201',
    (of) => post('/payments/execute', { ...BILL, vault_allocation_id: of.allocation }),
    '422 unknown-allocation',
  ),
  listPayments: named('200', ({ owner }) => get(`/payments?user_id=${owner}&from=2026-01-01&to=2026-12-31`)),
  getPayment: resource('200', (of) => get(`/payments/${of.payment}`)),
  retryPayment: resource('409 payment-not-failed', (of) => post(`/payments/${of.payment}/retry`)),
  cancelPayment: resource('409 payment-not-pending', (of) => post(`/payments/${of.payment}/cancel`)),
  connectBank: named('422 unknown-bank', ({ owner }) =>
    post('/bank/connections', { user_id: owner, bank_id: 'nowhere', kind: 'accounts' }),
  ),
  listConnections: named('200', ({ owner }) => get(`/bank/connections?user_id=${owner}`)),
  getConnection: resource('200', (of) => get(`/bank/connections/${of.connection}`)),
  reauthoriseConnection: resource('409 bank-not-connected', (of) =>
    post(`/bank/connections/${of.connection}/reauthorise`),
  ),
  reconfirmConnection: {
    ...resource('403 own-sign-in-required', (of) => post(`/bank/connections/${of.connection}/reconfirm`)),
    toPerson: '409 bank-not-connected',
  },
  syncConnection: resource('409 bank-not-connected', (of) => post(`/bank/connections/${of.connection}/sync`)),
  listTransactions: named('200', ({ owner }) => get(`/bank/transactions?user_id=${owner}`)),
  listWages: named('200', ({ owner }) => get(`/bank/wages?user_id=${owner}`)),
  confirmWage: {
    ...resource(
      '403 own-sign-in-required',
      (of) => post('/bank/wages', { transaction_id: of.credit }),
      '422 unknown-transaction',
    ),
    toPerson: '201',
  },
  getBacking: named('409 bank-not-connected', ({ owner }) => get(`/bank/backing/${owner}`)),
  disconnectBank: resource('204', (of) => ['DELETE', `/api/v1/bank/connections/${of.connection}`]),
  uploadPayslip: named('202', async (of) => ['POST', '/api/v1/legacy/payslip/upload', await upload(of.owner)]),
  getPayslip: resource('200', (of) => get(`/legacy/payslip/${of.document}`)),
  deletePayslip: resource('204', (of) => ['DELETE', `/api/v1/legacy/payslip/${of.erasable}`]),
  getTaxHistory: named('200', ({ owner }) => get(`/legacy/tax-history/${owner}`)),
  generateCredential: named('422 no-payment-history', ({ owner }) =>
    post('/credential/generate', { user_id: owner, scope: ['CREDIT'] }),
  ),
  exportCredential: resource('200', (of) => get(`/credential/${of.credential}/export?format=json`)),
  revokeCredential: resource('204', (of) => post(`/credential/${of.credential}/revoke`)),
  storeVaultRecord: { ...named('201', ({ owner }) => post('/vault/store', pii(owner))), keysOnly: true },
  getVaultRecord: record('200', (of) => get(`/vault/${of.record}`)),
  getMaskedVaultRecord: record('200', (of) => get(`/vault/${of.record}/masked`)),
  verifyVaultField: record('200', (of) =>
    post(`/vault/${of.record}/verify`, { field: 'email', value: 'who@example.org' }),
  ),
  batchRetrieveVaultRecords: record(
    '200',
    (of) => post('/vault/batch-retrieve', { vault_refs: [of.record] }),
    '200 not-found',
  ),
  eraseVaultRecord: record('204', (of) => ['DELETE', `/api/v1/vault/${of.erasableRecord}`]),
};

/** The operations that concern no owner. */
const NO_OWNER = `
  simulateDebts listBanks addProvider listProviders renameProvider removeProvider listAuditEvents readHealth readClock moveClock
  registerUser showCreateAccount createAccount login refreshTokens getProfile updateProfile logout changePassword
  authorize signIn answerConsent signOut showForgotPassword forgotPassword showResetPassword resetPassword
  showVerifyEmail verifyEmail sendVerificationMail showLinkProvider linkProvider signInWithProvider
  completeProviderSignIn showBankAuthorisation continueToBank showReconfirmation keepReading showConnectedAccounts showWage confirmWageByForm
  readAccountsNow receiveBankAnswer postBankAnswer finishBankJourney showHouseAccount connectHouseAccount exchangeToken revokeToken introspectToken readAuthorizationServer
  verifyCredential verifyPresentedCredential readStatusList readCredentialType readCredentialKeys readCredentialIssuer
  checkLive checkReady readContract listProblems explainProblem`.match(/\w+/g)!;

const operations = Object.entries(ROWS);

const KEY_SCOPES: readonly Scope[] = [...LOGIN_SCOPES, 'write:yield', 'read:vault', 'write:vault', 'reveal:vault'];

interface Case {
  who: string;
  owner: 'bound' | 'person';
  /** `token` is the person's token, if the owner is a person. */
  caller: (owner: string, token: string | undefined) => Promise<string>;
  expected: (row: Row) => string;
  /** Every request is refused, so the owner stays as it was for other cases. */
  isRefused?: true;
}

const through = ({ gets }: Row) => gets;
// `other` is the result if the request gives the owner's id.
const refused = (row: Row, other = '403 owner-of-another-application') =>
  row.by === 'name' ? other : (row.unknown ?? '404 not-found');
// People have no vault keys, and cannot have the scopes that are only for API keys.
const asPerson = (row: Row, otherwise: string) => {
  if (!row.keysOnly) return otherwise;
  return isOfVault(row) ? '401 invalid-token' : '403 insufficient-scope';
};
const isOfVault = (row: Row) => row.by === 'record' || row === ROWS.storeVaultRecord;

const ownKey = () => api.apiKey(KEY_SCOPES);
const grantAnd = async (owner: string, scopes: readonly Scope[]) => {
  const family = await api.grant(owner, scopes);
  return { family, key: await ownKey() };
};

const CASES: Case[] = [
  { who: 'the key of its application', owner: 'bound', caller: ownKey, expected: through },
  {
    who: 'the key of another application',
    owner: 'bound',
    caller: async () => api.apiKey(KEY_SCOPES, { app: await api.anotherApplication() }),
    expected: (row) => refused(row),
    isRefused: true,
  },
  {
    who: 'a person',
    owner: 'bound',
    caller: async () => (await api.registerUser()).token,
    expected: (row) => asPerson(row, refused(row, '403 other-owner')),
    isRefused: true,
  },
  {
    who: 'a key with admin:owners',
    owner: 'bound',
    caller: async () => api.apiKey([...KEY_SCOPES, 'admin:owners'], { app: await api.anotherApplication() }),
    expected: through,
  },
  {
    who: 'that person',
    owner: 'person',
    caller: (_owner, token) => Promise.resolve(token!),
    expected: (row) => asPerson(row, row.toPerson ?? through(row)),
  },
  {
    who: 'another person',
    owner: 'person',
    caller: async () => (await api.registerUser()).token,
    expected: (row) => asPerson(row, refused(row, '403 other-owner')),
    isRefused: true,
  },
  {
    who: 'a key whose application has a live grant',
    owner: 'person',
    caller: async (owner) => (await grantAnd(owner, LOGIN_SCOPES)).key,
    expected: through,
  },
  {
    who: 'a key whose application has a grant of too little',
    owner: 'person',
    caller: async (owner) => (await grantAnd(owner, ['read:profile'])).key,
    expected: (row) => (row.keysOnly ? through(row) : refused(row)),
  },
  {
    who: 'a key whose grant has ended',
    owner: 'person',
    async caller(owner) {
      const { family, key } = await grantAnd(owner, LOGIN_SCOPES);
      await api.services.db.run(endFamilies({ family_id: family }, new Date(), 'test'));
      return key;
    },
    expected: (row) => (row.by === 'record' ? through(row) : refused(row)),
  },
  {
    who: 'the key of an application without a grant',
    owner: 'person',
    caller: async (owner) => {
      await api.grant(owner, LOGIN_SCOPES);
      return api.apiKey(KEY_SCOPES, { app: await api.anotherApplication() });
    },
    expected: (row) => refused(row),
    isRefused: true,
  },
  {
    who: 'a key with admin:owners',
    owner: 'person',
    caller: async () => api.apiKey([...KEY_SCOPES, 'admin:owners'], { app: await api.anotherApplication() }),
    expected: through,
  },
];

test('every operation of the contract has its row, or concerns no owner', () => {
  const ids = readContract('sandbox').operations.map(({ id }) => id);
  expect([...Object.keys(ROWS), ...NO_OWNER].sort()).toEqual([...ids].sort());
});

beforeAll(() => paymentActivities(api.services).ensureSandboxPayees());

async function newOwner(kind: Case['owner']) {
  const person = kind === 'person' ? await api.registerUser({ granted: false }) : undefined;
  const of = await everythingOf(person?.userId ?? `employee-${(employees += 1)}`);
  return { of, token: person?.token };
}

const untouched = new Map<Case['owner'], ReturnType<typeof newOwner>>();
function untouchedOwner(kind: Case['owner']) {
  const owner = untouched.get(kind) ?? newOwner(kind);
  untouched.set(kind, owner);
  return owner;
}

describe.each(CASES)('$who, for an owner that is $owner', ({ owner, caller, expected, isRefused }) => {
  let of: Owned;
  let credential: string;

  beforeAll(async () => {
    const made = await (isRefused ? untouchedOwner(owner) : newOwner(owner));
    ({ of } = made);
    credential = await caller(of.owner, made.token);
  });

  test.each(operations)('%s', async (_id, row) => {
    const [method, path, more = {}] = await row.request(of);
    const shown = isOfVault(row) ? { vaultKey: credential } : { token: credential };
    expect(outcomeOf(await api.request(method, path, { ...more, ...shown }))).toBe(expected(row));
  });
});

describe('a resource of another application', () => {
  let of: Owned;
  let credential: string;
  beforeAll(async () => {
    ({ of } = await untouchedOwner('bound'));
    credential = await api.apiKey(KEY_SCOPES, { app: await api.anotherApplication() });
  });

  const unnamed = operations.filter(([, { by }]) => by !== 'name');
  test.each(unnamed)('%s: is refused in the same words as an unknown resource', async (_id, row) => {
    const nothing = Object.entries(of).map(([what, id]: [string, string]) => [what, id.replace(/[^_:]+$/, 'nowhere')]);
    const words = async (owned: Owned) => {
      const [method, path, more = {}] = await row.request(owned);
      const shown = isOfVault(row) ? { vaultKey: credential } : { token: credential };
      const answer = await api.request(method, path, { ...more, ...shown });
      return [outcomeOf(answer), answer.body.detail];
    };
    expect(await words(of)).toEqual(await words(Object.fromEntries(nothing) as Owned));
  });
});

let employees = 0;

// If the owner is a person, the function ends the owner's grant last.
async function everythingOf(owner: string): Promise<Owned> {
  const key = await ownKey();
  const family = owner.startsWith('usr_') ? await api.grant(owner, LOGIN_SCOPES) : undefined;
  const send = async (path: string, more: TestRequest) => {
    const { status, body } = await api.post(path, { token: key, ...more });
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const calculation = await send('/api/v1/engine/paycheck/calculate', { body: wage(owner) });
  const [{ vault_id: bills, allocation_id: allocation }] = calculation.vaults;
  const store = async () => (await send('/api/v1/vault/store', { vaultKey: key, body: pii(owner) })).vault_ref;
  const uploaded = async (text: string) =>
    (await send('/api/v1/legacy/payslip/upload', await upload(owner, text))).doc_id;
  await send('/api/v1/engine/yield/accrue', { body: { vault_id: bills } });
  await payBill(api.services, bank, { owner });
  const credentials = credentialsOf(api.services);
  const principal = {
    kind: 'user',
    userId: owner,
    familyId: 'fam_test',
    clientId: null,
    scopes: LOGIN_SCOPES,
  } as const;
  const { credential_id: credential } = await credentials.beginCredential({ principal, user_id: owner });
  await credentials.issueCredential({ credential_id: credential });
  const made: Owned = {
    owner,
    calculation: calculation.id,
    allocation,
    bills,
    payment: (await send('/api/v1/payments/execute', { body: { ...BILL, vault_allocation_id: allocation } }))
      .payment_id,
    plan: (await send('/api/v1/engine/debt/plan', { body: plan(owner) })).plan_id,
    credential,
    document: await uploaded('one'),
    erasable: await uploaded('two'),
    ...(await readBank(owner)),
    record: await store(),
    erasableRecord: await store(),
  };
  if (family !== undefined) await api.services.db.run(endFamilies({ family_id: family }, new Date(), 'test'));
  return made;
}

/** Also of an owner who cannot have one, because the rules are the same. */
async function readBank(owner_id: string): Promise<Pick<Owned, 'connection' | 'credit'>> {
  const connection_id = api.services.newId('conn');
  const row = { connection_id, owner_id, bank_id: 'sandbox', kind: 'accounts' } as const;
  await api.services.db.run(insertConnection({ ...row, created_at: new Date().toISOString() }, 30));
  const account = await storeAccount(api.services, { ownerId: owner_id, connections: [connection_id] });
  const [credit] = await storeTransactions(api.services, account, [['2026-11-27', 200_000]]);
  return { connection: connection_id, credit: credit! };
}

// For a batch, the code is that of the first error.
function outcomeOf({ status, body }: TestAnswer): string {
  const code = body?.code ?? body?.errors?.[0]?.code;
  return code === undefined ? String(status) : `${status} ${code}`;
}
