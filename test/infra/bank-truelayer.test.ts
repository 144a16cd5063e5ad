import { addDays, londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import type { Bank, BankError, ConsentAccess, JourneyAnswer } from '../../infra/bank/interface.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { holderOf, TO_PAY, TO_READ } from '../helpers/scripted-journey.ts';
import {
  startScriptedProvider,
  succeeded,
  TOKEN,
  tokens,
  type Reply,
  type Script,
} from '../helpers/scripted-provider.ts';

const provider = await startScriptedProvider(testEnvironment().dir);
const port: Bank = await provider.open();

afterEach(() => {
  provider.script = {};
  provider.seen = [];
});
afterAll(() => port.close().then(() => provider.close()));

const HOUR_MS = 3_600_000;
const ME = 'GET /api/data/v1/me';
const LIST = 'GET /api/data/v1/accounts';
const DELETE = 'DELETE /auth/api/delete';
const ROWS = `${LIST}/a-1/transactions`;
const inDays = (days: number) => `${addDays(londonDateOf(new Date()), days)}T12:00:00Z`;
const me = (days = 89) => succeeded({ credentials_id: 'consent-1', consent_expires_at: inDays(days) });
const failure = (status: number, error: string, headers = {}): Reply => ({ status, headers, body: { error } });
const NO_TOKEN = failure(401, 'invalid_token');
const held = (changes: object = {}) => ({
  ...{ access: 'access-0', refresh: 'refresh-0', goodUntilMs: Date.now() + HOUR_MS },
  ...changes,
});
const accessBy = (changes: Partial<ConsentAccess> = {}): ConsentAccess => ({
  ...{ kind: 'accounts', consentRef: 'consent-1', secret: holderOf(held()), present: null },
  ...changes,
});
const CURRENT = { ref: 'a-1', kind: 'current', currency: 'GBP' } as const;
const paths = () => provider.seen.map(({ method, path }) => `${method} ${path}`);
const tokensUsed = () => provider.seen.map(({ headers, form }) => headers.authorization ?? form.get('refresh_token'));
const kindIn = (error: unknown) => (error as BankError).kind;
const kindOf = (work: Promise<unknown>) => work.then(() => 'no error', kindIn);

test('the link asks to read, with spaces as %20, for one institution or any', async () => {
  const { sendTo, consentRef } = await port.begin({ ...TO_READ, institutionId: 'ob-monzo' });
  expect(consentRef).toBeUndefined();
  const { origin, pathname, search, searchParams } = new URL(sendTo);
  expect(origin + pathname).toBe(`https://localhost:${provider.port}/auth/`);
  expect(search).toContain('scope=accounts%20balance%20transactions%20offline_access&');
  const { code_challenge, ...asked } = Object.fromEntries(searchParams);
  expect(code_challenge).toMatch(/^[\w-]{43}$/);
  expect(asked).toEqual({
    ...{ response_type: 'code', response_mode: 'form_post', client_id: 'ringfence', code_challenge_method: 'S256' },
    ...{ redirect_uri: TO_READ.redirectUri, state: TO_READ.state, providers: 'uk-ob-all', provider_id: 'ob-monzo' },
    scope: 'accounts balance transactions offline_access',
  });
});

test('it makes no payments and tells of no events', async () => {
  const [order, access] = [TO_PAY, accessBy()];
  const refusals = [port.begin(order), port.pay(access, {} as never), port.payment('1')].map(kindOf);
  expect(await Promise.all(refusals)).toEqual(['configuration', 'configuration', 'configuration']);
  expect(await port.events({ acknowledge: [], limit: 1, waitMs: 0 })).toEqual([]);
});

const GOOD: Script = { [TOKEN]: tokens(1), [ME]: me(), [DELETE]: { body: '{}' } };

async function finished(script: Script, answer: JourneyAnswer = {}) {
  const { secret } = await port.begin(TO_READ);
  provider.script = { ...GOOD, ...script };
  return port.finish({ order: TO_READ, answer: { state: TO_READ.state, ...answer }, secret });
}

test('reading goes on for 90 days at most', async () => {
  for (const days of [89, 200]) {
    const result = await finished({ [ME]: me(days) }, { code: 'code-1', scope: 'accounts' });
    const reconfirmBy = addDays(londonDateOf(new Date()), Math.min(days, 90));
    // With an end of its own, the connection would expire, and could not be authorised again.
    expect(result).toMatchObject({ kind: 'authorised', consentRef: 'consent-1', validUntil: null, reconfirmBy });
  }
});

test.each<[what: string, answer: JourneyAnswer, script: Script, outcome: string, asked: string[]]>([
  ['a refusal', { error: 'access_denied' }, {}, 'refused', []],
  ['another error', { error: 'provider_error' }, {}, 'bank-answered-provider-error', []],
  ['the state of another journey', { state: 'another', code: 'c' }, {}, 'state-mismatch', []],
  ['another issuer', { iss: 'https://another.example', code: 'c' }, {}, 'issuer-mismatch', []],
  ['no code', {}, {}, 'code-missing', []],
  ['a used code', { code: 'c' }, { [TOKEN]: failure(400, 'invalid_grant') }, 'code-refused-invalid-grant', [TOKEN]],
  ['a lost redemption', { code: 'c' }, { [TOKEN]: 'lost' }, 'redemption-away', [TOKEN]],
  ['a redemption that fails', { code: 'c' }, { [TOKEN]: { status: 502 } }, 'redemption-away', [TOKEN]],
  ['no tokens', { code: 'c' }, { [TOKEN]: { body: '<p>' } }, 'answer-invalid', [TOKEN]],
  ['a consent that is not told', { code: 'c' }, { [ME]: { status: 500 } }, 'consent-unread', [TOKEN, ME, DELETE]],
  ['a consent without an id', { code: 'c' }, { [ME]: succeeded({}) }, 'consent-unread', [TOKEN, ME, DELETE]],
])('%s ends a journey without a token', async (_what, answer, script, outcome, asked) => {
  const result = await finished(script, answer);
  expect('reason' in result ? result.reason : result.kind).toBe(outcome);
  expect(paths()).toEqual(asked);
});

const NOT_FINAL = { body: { results: [{ timestamp: inDays(0) }], status: 'Failed' } };

test.each<[answer: Reply, kind: string, of?: string]>([
  [failure(403, 'access_denied'), 'reauthorise', LIST],
  [failure(403, 'access_denied'), 'away'],
  [failure(400, 'invalid_client'), 'configuration'],
  [failure(400, 'unauthorized_client'), 'configuration'],
  [failure(400, 'invalid_request'), 'configuration'],
  [failure(400, 'validation_error'), 'configuration'],
  [failure(400, 'invalid_date_range'), 'range'],
  [failure(403, 'sca_exceeded'), 'range'],
  [failure(404, 'account_not_found'), 'account-gone'],
  [failure(404, 'not_found'), 'away'],
  [failure(501, 'endpoint_not_supported'), 'no error'],
  [failure(501, 'endpoint_not_supported'), 'no error', LIST],
  [failure(429, 'provider_too_many_requests'), 'wait'],
  [{ status: 202, body: {} }, 'not-final'],
  [NOT_FINAL, 'not-final'],
  [failure(503, 'provider_error'), 'away'],
  [NO_TOKEN, 'away'],
  [{ status: 302, headers: { location: '/' } }, 'away'],
  [{ body: '<p>' }, 'away'],
  ['lost', 'away'],
])('%j is %s', async (answer, kind, of = ROWS) => {
  provider.script = { [TOKEN]: tokens(1), [of]: answer };
  const access = accessBy();
  const wanted = { account: CURRENT, from: '2026-11-01', to: '2026-11-28', cursor: null };
  expect(await kindOf(of === LIST ? port.accounts(access) : port.transactions(access, wanted))).toBe(kind);
});

test('the provider says how long to wait, else it is an hour, or the next day after the unattended reads', async () => {
  const minutesOf = async (error: string, headers = {}) => {
    provider.script = { [LIST]: failure(429, error, headers) };
    const { until } = (await port.accounts(accessBy()).catch((thrown: unknown) => thrown)) as BankError;
    return Math.floor((until!.getTime() - now) / 60_000);
  };
  const now = Date.now();
  const tomorrow = startOfLondonDay(addDays(londonDateOf(new Date()), 1)).getTime();
  const waits = [await minutesOf('provider_too_many_requests', { 'retry-after': '2' }), await minutesOf('anything')];
  expect(waits).toEqual([0, 60]);
  const daily = await minutesOf('unattended_calls_limit_exceeded');
  expect(daily).toBeGreaterThanOrEqual(Math.floor((tomorrow - now) / 60_000));
});

test.each<[what: string, secret: object, script: Script, used: string[], outcome: string]>([
  ['good', {}, {}, ['Bearer access-0'], 'no error'],
  ['over', { goodUntilMs: 0 }, {}, ['refresh-0', 'Bearer access-1'], 'no error'],
  ['refused', {}, { [LIST]: [NO_TOKEN, succeeded()] }, ['Bearer access-0', 'refresh-0', 'Bearer access-1'], 'no error'],
  ['of an ended grant', { goodUntilMs: 0 }, { [TOKEN]: failure(400, 'invalid_grant') }, ['refresh-0'], 'reauthorise'],
  ['over, and alone', { goodUntilMs: 0, refresh: undefined }, {}, [], 'reauthorise'],
])('a token that is %s', async (_what, secret, script, used, outcome) => {
  provider.script = { [TOKEN]: tokens(1), [LIST]: succeeded(), ...script };
  expect(await kindOf(port.accounts(accessBy({ secret: holderOf(held(secret)) })))).toBe(outcome);
  expect(tokensUsed()).toEqual(used);
});

test.each<[what: string, script: Script, state: string]>([
  ['a good one', {}, 'authorised'],
  ['one that is over', { [ME]: me(-1) }, 'reauthorise'],
  ['one that the provider no longer shows', { [ME]: failure(403, 'access_denied') }, 'reauthorise'],
  ['another one', { [ME]: succeeded({ credentials_id: 'another' }) }, 'away'],
  ['an unreachable one', { [ME]: { status: 503 } }, 'away'],
])('a look at a consent tells of %s', async (_what, script, state) => {
  provider.script = { ...GOOD, ...script };
  expect(await port.look(accessBy()).catch(kindIn)).toBe(state);
});

test.each<[what: string, script: Script, outcome: string]>([
  ['a good one', {}, 'done'],
  ['one whose token is over', { [DELETE]: [NO_TOKEN, {}] }, 'done'],
  ['one without a grant', { [DELETE]: { status: 401 }, [TOKEN]: failure(400, 'invalid_grant') }, 'already'],
  ['one at a provider that fails', { [DELETE]: { status: 500 } }, 'away'],
])('the end of a consent: %s', async (_what, script, outcome) => {
  provider.script = { ...GOOD, ...script };
  expect(await port.end(accessBy()).catch(kindIn)).toBe(outcome);
});

test('accounts and cards are listed, and what a bank leaves out or masks is null', async () => {
  const account = (account_id: string, rest: object) => ({ account_id, currency: 'GBP', ...rest });
  const account_number = { sort_code: '04-00-04', number: '12345678', iban: 'GB33 BUKB 2020 1555 5555 55' };
  provider.script = {
    [LIST]: succeeded(
      account('a-1', { account_type: 'TRANSACTION', display_name: ' Mine\u0007 ', account_number }),
      account('a-2', { account_type: 'SAVINGS', account_number: { number: '****5678', iban: '****' } }),
      account('a-3', { account_type: 'ISA', currency: 'pounds' }),
      { account_type: 'SAVINGS' },
      [],
    ),
    'GET /api/data/v1/cards': succeeded(account('c-1', { display_name: 'Gold', partial_card_number: '**** 0044' })),
  };
  const withCards = await provider.open({ cards: true });
  const listed = await withCards.accounts(accessBy({ present: { ip: '192.0.2.7', userAgent: 'a', language: 'en' } }));
  await withCards.close();
  const no = { sortCode: null, accountNumber: null, iban: null, last4: null, currency: 'GBP' };
  const numbers = { sortCode: '040004', accountNumber: '12345678', iban: 'GB33BUKB20201555555555' };
  expect(listed).toEqual([
    { ...no, ref: 'a-1', kind: 'current', name: 'Mine', ...numbers },
    { ...no, ref: 'a-2', kind: 'savings', name: 'Account' },
    { ...no, ref: 'a-3', kind: 'other', name: 'Account', currency: 'XXX' },
    { ...no, ref: 'c-1', kind: 'card', name: 'Gold', last4: '0044' },
  ]);
  expect(provider.seen.map(({ headers }) => headers['x-psu-ip'])).toEqual(['192.0.2.7', '192.0.2.7']);
});

const AT = '2026-11-28T10:00:00Z';
test.each<[what: string, currency: string, told: string, figures: unknown[], kind?: 'card']>([
  ['pounds', 'GBP', '"current": 2, "available": 3.5, "overdraft": 1.5, "currency": "GBP"', [200, 350, 150]],
  ['a card', 'GBP', '"current": 1, "available": 2, "credit_limit": 3, "currency": "GBP"', [-100, 200, 300], 'card'],
  ['yen', 'JPY', '"current": 7777, "currency": "JPY"', [7_777, null, null]],
  ['another currency', 'GBP', '"current": 1, "available": 2, "currency": "EUR"', [null, null, null]],
  ['a fraction', 'GBP', '"current": 1.005, "available": "2.00", "currency": "GBP"', [null, null, null]],
])('the balance of %s', async (_what, currency, told, figures, kind: 'current' | 'card' = 'current') => {
  const body = `{"status": "Succeeded", "results": [{${told}, "update_timestamp": "${AT}"}]}`;
  provider.script = { [kind === 'card' ? 'GET /api/data/v1/cards/a-1/balance' : `${LIST}/a-1/balance`]: { body } };
  const { current, available, creditLine, asOf } = await port.balance(accessBy(), { ...CURRENT, kind, currency });
  expect([current, available, creditLine, asOf]).toEqual([...figures, new Date(AT)]);
});

const DEBIT = { transaction_type: 'DEBIT' };
const refused = null;
const none = { stableId: null, counterparty: null };
const blankMeta = { counter_party_preferred_name: '', provider_reference: '\t' };
const blank = { merchant_name: ' ', meta: blankMeta, description: ' BACS ' };
const nothing = { merchant_name: null, meta: null, description: null, normalised_provider_transaction_id: undefined };
test.each<[what: string, amount: string, row: object, read: object | null, kind?: 'card']>([
  ['a credit', '1234.50', {}, { amount: 123_450, bookedOn: '2026-11-28', stableId: 'n-1' }],
  ['a debit', '-12.30', DEBIT, { amount: -1_230, payer: null }],
  ['a debit of a card', '12.30', DEBIT, { amount: -1_230 }, 'card'],
  ['a credit of a card', '-12.30', {}, { amount: 1_230 }, 'card'],
  ['a penny that a double would lose', '1.00999999999999999999999999999999999999999999', {}, refused],
  ['an amount beyond all money', '1e400', {}, refused],
  ['an amount as text', '"12.30"', {}, refused],
  ['no type', '12.30', { transaction_type: undefined }, refused],
  ['a day that does not exist', '12.30', { timestamp: '2026-11-31T10:00:00Z' }, refused],
  ['midnight in summer', '1', { timestamp: '2026-06-30T23:30:00Z' }, { bookedOn: '2026-07-01' }],
  ['midnight in winter', '1', { timestamp: '2026-11-27T23:59:59.999Z' }, { bookedOn: '2026-11-27' }],
  ['another zone', '1', { timestamp: '2026-11-27T19:30:00-05:00' }, { bookedOn: '2026-11-28' }],
  ['no zone', '1', { timestamp: '2026-06-30T23:30:00' }, { bookedOn: '2026-07-01' }],
  ['all texts', '1', {}, { counterparty: 'Shop', payer: 'Employer', reference: 'REF' }],
  ['blank texts', '1', blank, { counterparty: 'BACS', payer: null, reference: 'BACS' }],
  ['no texts or stable id', '1', nothing, { ...none, payer: null, debtorAccount: null, reference: null }],
])('a row with %s', async (_what, amount, changes, read, kind: 'current' | 'card' = 'current') => {
  const row = {
    ...{ timestamp: AT, amount: 'AMOUNT', currency: 'GBP', transaction_type: 'CREDIT', transaction_id: 't-9' },
    ...{ normalised_provider_transaction_id: 'n-1', merchant_name: 'Shop', description: 'FASTER PAYMENT' },
    meta: { counter_party_preferred_name: 'Employer', provider_reference: 'REF' },
    ...changes,
  };
  const body = JSON.stringify(succeeded(row).body).replace('"AMOUNT"', amount);
  provider.script = { [kind === 'card' ? 'GET /api/data/v1/cards/a-1/transactions' : ROWS]: { body } };
  const account = { ...CURRENT, kind };
  const wanted = { account, from: '2026-06-30', to: '2026-11-28', cursor: null };
  expect(await port.transactions(accessBy(), wanted)).toMatchObject({
    items: read === refused ? [] : [read],
    ...{ refused: read === refused ? 1 : 0, cursor: null, complete: true },
  });
  expect(paths()[0]).toMatch(/transactions\?from=2026-06-30&to=2026-11-28$/);
});

test('rows of other days than asked are left out, and what is no row is counted', async () => {
  const row = { timestamp: AT, amount: 5, currency: 'GBP', transaction_type: 'CREDIT' };
  provider.script = { [ROWS]: succeeded(row, { ...row, timestamp: '2026-11-26T10:00:00Z' }, [], null) };
  const wanted = { account: CURRENT, from: '2026-11-27', to: '2026-11-28', cursor: null };
  const { items, refused: count } = await port.transactions(accessBy(), wanted);
  expect([items.map(({ bookedOn }) => bookedOn), count]).toEqual([['2026-11-28'], 2]);
});
