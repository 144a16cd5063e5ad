import { bankClient, PAYING, READING, specFaults, type Way } from '../helpers/bank-customer.ts';
import { newBankFolder, startSandboxBank, type SandboxBankProcess } from '../helpers/sandbox-bank.ts';
import { until } from '../helpers/until.ts';

type Client = Awaited<ReturnType<typeof bankClient>>;
type Scope = 'accounts' | 'payments';

const env = { SANDBOX_BANK_INSTANT_MS: '0', SANDBOX_BANK_RETURN_MS: '50' };
const dataDir = await newBankFolder();
let bank: SandboxBankProcess;
let client: Client;
let tlsClient: Client;

beforeAll(async () => {
  bank = await startSandboxBank(dataDir, { env });
  client = await bankClient(dataDir, bank.config.url);
  tlsClient = await bankClient(dataDir, bank.config.url, { tls: true });
});
afterAll(async () => {
  await Promise.all([client, tlsClient].map(({ close }) => close()));
  await bank.stop();
});

const PATHS = { accounts: '/account-access-consents', payments: '/domestic-vrp-consents' };
let customers = 0;
const newCustomer = () => `usr_${(customers += 1)}`;

async function newConsent(scope: Scope, body: object = scope === 'accounts' ? READING : PAYING, by = client) {
  const own = await by.token(scope);
  const made = await by.call('POST', PATHS[scope], own, body);
  expect(made).toMatchObject({ status: 201, body: { Data: { Status: 'AWAU' } } });
  const consentId = made.body.Data.ConsentId as string;
  const look = async () => {
    const { status, body: now } = await by.call('GET', `${PATHS[scope]}/${consentId}`, own);
    return status === 200 ? (now.Data.Status as string) : (now.Errors[0].ErrorCode as string);
  };
  return { scope, consentId, own, look };
}

async function authorised(scope: Scope, body?: object) {
  const consent = await newConsent(scope, body);
  const customer = newCustomer();
  const { access_token: token, refresh_token: refresh } = await client.authorise({ ...consent, customer });
  return { ...consent, customer, token, refresh: refresh! };
}

let ordered = 0;
/** OBDomesticVRPRequest, as `PAYING` allows it. */
function order(consentId: string, { amount = '10.00', payee = '00000001' }: { amount?: string; payee?: string } = {}) {
  const attempt = `${(ordered += 1)}`.padStart(32, '0');
  const { CreditorAccount } = PAYING.Data.Initiation;
  return {
    Data: {
      ConsentId: consentId,
      PSUAuthenticationMethod: 'UK.OBIE.SCANotRequired',
      PSUInteractionType: 'OffSession',
      VRPType: 'UK.OBIE.VRPType.Other',
      Initiation: PAYING.Data.Initiation,
      Instruction: {
        InstructionIdentification: `${attempt}-1`,
        EndToEndIdentification: `E${ordered}`,
        RemittanceInformation: { Structured: [{ CreditorReferenceInformation: { Reference: 'INV 42' } }] },
        LocalInstrument: 'UK.OBIE.FPS',
        InstructedAmount: { Amount: amount, Currency: 'GBP' },
        CreditorAccount: { ...CreditorAccount, Identification: `009900${payee}` },
      },
    },
    Risk: PAYING.Risk,
  };
}

const errorOf = ({ status, body }: { status: number; body: { Errors: { ErrorCode: string }[] } }) =>
  `${status} ${body.Errors[0]!.ErrorCode}`;

describe('a journey', () => {
  test.each<[string, Scope, boolean, Way]>([
    ['private_key_jwt, pushed, as fragment', 'accounts', false, { push: true, mode: 'fragment' }],
    ['private_key_jwt, in the URL, as form_post', 'payments', false, { push: false, mode: 'form_post' }],
    ['tls_client_auth, pushed, as form_post', 'payments', true, { push: true, mode: 'form_post' }],
    ['tls_client_auth, in the URL, as fragment', 'accounts', true, { push: false, mode: 'fragment' }],
  ])('with %s leads to tokens that rotate and an ID token that names the consent', async (_how, scope, tls, way) => {
    const us = tls ? tlsClient : client;
    const { consentId, look } = await newConsent(scope, undefined, us);
    const first = await us.authorise({ consentId, scope, customer: newCustomer(), way });
    expect(first.claims()).toMatchObject({ openbanking_intent_id: consentId });
    expect(await look()).toBe('AUTH');
    const second = await us.refresh(first.refresh_token!);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await us.refresh(second.refresh_token!);
    await expect(us.refresh(first.refresh_token!)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('that the customer refuses brings back access_denied, and the consent is rejected for good', async () => {
    const consent = await newConsent('payments');
    const refusal = { ...consent, customer: newCustomer(), decision: 'refuse' } as const;
    await expect(client.authorise(refusal)).rejects.toMatchObject({ error: 'access_denied' });
    expect(await consent.look()).toBe('RJCT');
    await expect(client.authorise(refusal)).rejects.toMatchObject({ error: 'invalid_request' });
  });

  test('renews a consent for its own customer alone, and ends the tokens of before', async () => {
    const { refresh, token, look, ...consent } = await authorised('accounts');
    await expect(client.authorise({ ...consent, decision: 'refuse' })).rejects.toThrow();
    expect(await look()).toBe('AUTH');
    await expect(client.authorise({ ...consent, customer: newCustomer() })).rejects.toThrow();
    expect((await client.call('GET', '/accounts', token)).status).toBe(200);
    const renewed = await client.authorise(consent);
    expect((await client.call('GET', '/accounts', renewed.access_token)).status).toBe(200);
    expect((await client.call('GET', '/accounts', token)).status).toBe(401);
    await expect(client.refresh(refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

describe('a consent to payments', () => {
  let consent: Awaited<ReturnType<typeof authorised>>;
  beforeAll(async () => {
    consent = await authorised('payments');
  });
  const pay = (body: object, token = consent.token) => client.call('POST', '/domestic-vrps', token, body);

  test.each<[string, object, string, object?]>([
    ['another payee', { Instruction: order('', { payee: '00000002' }).Data.Instruction }, '400 U008'],
    ['another initiation', { Initiation: {} }, '400 U008'],
    ['another type', { VRPType: 'UK.OBIE.VRPType.Sweeping' }, '400 U008'],
    ['another risk', {}, '400 U008', {}],
    ['a penny too much', { Instruction: order('', { amount: '100.01' }).Data.Instruction }, '400 U014'],
  ])('refuses %s', async (_what, changed, refusal, Risk = PAYING.Risk) => {
    const { Data } = order(consent.consentId);
    expect(errorOf(await pay({ Data: { ...Data, ...changed }, Risk }))).toBe(refusal);
  });

  test('takes only the token that its payer granted', async () => {
    const { own, consentId } = consent;
    expect(errorOf(await pay(order(consentId), own))).toBe('403 U028');
    expect(errorOf(await pay(order((await newConsent('payments')).consentId)))).toBe('400 U008');
    expect((await pay(order(consentId), (await authorised('accounts')).token)).status).toBe(403);
    expect((await client.call('GET', '/accounts', consent.token)).status).toBe(403);
  });

  test('pays at most its month, from the account that the payer chose', async () => {
    const paid = await authorised('payments');
    const first = await pay(order(paid.consentId, { amount: '100.00' }), paid.token);
    expect(first).toMatchObject({ status: 201, body: { Data: { Status: 'ACCC' } } });
    expect(errorOf(await pay(order(paid.consentId, { amount: '50.01' }), paid.token))).toBe('400 U014');
    expect((await pay(order(paid.consentId, { amount: '50.00' }), paid.token)).status).toBe(201);
    const { items } = await client.sandbox('GET', `accounts?owner_id=${paid.customer}`);
    expect(items.map(({ balance }: { balance: number }) => balance)).toEqual([7_777, -12_345, 50_000, 85_000]);
    const moved = (await bank.movements()).filter(({ consent_id: by }) => by === paid.consentId);
    expect(moved).toMatchObject([{ amount: 10_000, direction: 'out' }, { amount: 5_000 }]);
  });

  test('is over when it was valid until, and an account that is closed pays nothing', async () => {
    const control = { ...PAYING.Data.ControlParameters, ValidToDateTime: '2100-01-01T00:00:00Z' };
    const ends = await authorised('payments', { ...PAYING, Data: { ...PAYING.Data, ControlParameters: control } });
    const { items } = await client.sandbox('GET', `accounts?owner_id=${ends.customer}`);
    const current = items.find(({ kind }: { kind: string }) => kind === 'current').account_id as string;
    await client.sandbox('POST', `accounts/${current}/close`);
    expect((await pay(order(ends.consentId), ends.token)).body.Data).toMatchObject({ Status: 'RJCT' });
    await client.sandbox('PUT', 'clock', { offset_ms: Date.parse('2100-01-02') - Date.now() });
    expect(await ends.look()).toBe('EXPD');
    expect(errorOf(await pay(order(ends.consentId), ends.token))).toBe('400 U009');
    await client.sandbox('PUT', 'clock', { offset_ms: 0 });
    expect(await ends.look()).toBe('AUTH');
  });
});

describe('a consent to reading', () => {
  test('shows payments and their returns as transactions, and those between two times', async () => {
    const { customer, token } = await authorised('accounts');
    const Initiation = { CreditorAccount: order('', { payee: '00000008' }).Data.Instruction.CreditorAccount };
    const paying = await newConsent('payments', { ...PAYING, Data: { ...PAYING.Data, Initiation } });
    const payer = await client.authorise({ ...paying, customer });
    const { Data, Risk } = order(paying.consentId, { amount: '3.00', payee: '00000008' });
    await client.call('POST', '/domestic-vrps', payer.access_token, { Data: { ...Data, Initiation }, Risk });
    const [current] = (await client.call('GET', '/accounts', token)).body.Data.Account;
    const list = async (query = '') =>
      (await client.call('GET', `/accounts/${current.AccountId}/transactions${query}`, token)).body.Data.Transaction;
    await until(async () => (await list()).length === 2, 'the returned payment');
    expect(await list()).toMatchObject([
      { CreditDebitIndicator: 'Debit', TransactionInformation: 'INV 42', ...Initiation },
      { CreditDebitIndicator: 'Credit', Amount: { Amount: '3.00', Currency: 'GBP' } },
    ]);
    const credit = { owner_id: customer, amount: 2_500, payer: 'ACME', reference: 'DAY' };
    for (const booked_on of ['2026-01-31', '2026-02-01'])
      await client.sandbox('POST', 'credits', { ...credit, booked_on });
    const february = await list('?fromBookingDateTime=2026-02-01&toBookingDateTime=2026-02-02T00:00:00');
    expect(february).toMatchObject([{ Amount: { Amount: '25.00' }, DebtorAccount: { Name: 'ACME' } }]);
  });

  test('that its customer revokes, the client deletes, or whose token it revokes, gives no access', async () => {
    const all = [await authorised('accounts'), await authorised('accounts'), await authorised('accounts')] as const;
    const [{ token, refresh, consentId, customer }, deleted, revoked] = all;
    const attended = { 'x-fapi-customer-ip-address': '192.0.2.1' };
    await client.call('GET', '/accounts', token, undefined, attended);
    const { items: calls } = await client.sandbox('GET', `calls?owner_id=${customer}`);
    expect(calls).toMatchObject([{ api: 'obie-4.0', method: 'GET', path: '/accounts', status: 200, attended: true }]);
    const listed = async () => (await client.sandbox('GET', `consents?owner_id=${customer}`)).items;
    expect(await listed()).toMatchObject([{ consent_id: consentId, kind: 'accounts', status: 'AUTH' }]);
    await client.sandbox('POST', `consents/${consentId}/revoke`);
    await client.call('DELETE', `/account-access-consents/${deleted.consentId}`, deleted.own);
    await client.revoke(revoked.refresh);
    expect(await Promise.all(all.map(({ look }) => look()))).toEqual(['U011', 'U011', 'AUTH']);
    const reads = await Promise.all(all.map((one) => client.call('GET', '/accounts', one.token)));
    expect(reads.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await listed()).toEqual([]);
    await expect(client.refresh(refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

test('after kill -9 consents, tokens, accounts and the moved clock are as before', async () => {
  const payments = await authorised('payments');
  const accounts = await authorised('accounts');
  await client.call('POST', '/domestic-vrps', payments.token, order(payments.consentId));
  await client.sandbox('PUT', 'clock', { offset_ms: 86_400_000 });
  const lists = ['accounts', 'consents', 'calls'].map((list) => `${list}?owner_id=${payments.customer}`);
  const state = () => Promise.all(lists.map((list) => client.sandbox('GET', list)));
  const before = await state();
  await bank.kill();
  bank = await startSandboxBank(dataDir, { env, port: bank.port });
  expect(await state()).toEqual(before);
  expect((await client.call('GET', '/accounts', accounts.token)).status).toBe(200);
  const { access_token: renewed } = await client.refresh(payments.refresh);
  const { body } = await client.call('POST', '/domestic-vrps', renewed, order(payments.consentId));
  expect(Date.parse(body.Data.CreationDateTime) - Date.now()).toBeGreaterThan(86_000_000);
  await client.sandbox('PUT', 'clock', { offset_ms: 0 });
});

test('a bank that is set to answer few requests a minute answers the others with 429', async () => {
  await bank.stop();
  bank = await startSandboxBank(dataDir, { env: { SANDBOX_BANK_REQUESTS_PER_MINUTE: '1' }, port: bank.port });
  const own = await client.token('accounts');
  const asks = Array.from({ length: 3 }, () => client.call('GET', '/account-access-consents/none', own));
  expect((await Promise.all(asks)).map(({ status }) => status)).toContain(429);
});

if (process.env.OB_SPECS !== undefined) {
  test('all of this traffic is valid by the official files', () => {
    expect(specFaults).toEqual([]);
  });
}
