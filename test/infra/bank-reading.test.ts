import type { ServerResponse } from 'node:http';
import type { Bank, BankAccount, BankBalance, BankRow, ConsentAccess, RowsWanted } from '../../infra/bank/interface.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { bankConfig, openSandboxBank } from '../helpers/sandbox-bank.ts';
import { json, startScriptedBank, type ScriptedBank } from '../helpers/scripted-bank.ts';
import { holderOf } from '../helpers/scripted-journey.ts';

const dataDir = testEnvironment().dir;
let scripted: ScriptedBank;
let port: Bank;
let access: ConsentAccess;

beforeAll(async () => {
  scripted = await startScriptedBank(dataDir);
  port = await openSandboxBank({ ...bankConfig(dataDir, scripted.port), unattendedPerDay: 7 });
});
beforeEach(() => {
  scripted.seen = [];
  scripted.onToken = null;
  const secret = holderOf({ access: 'granted', refresh: 'again', goodUntilMs: Date.now() + 3_600_000 });
  access = { kind: 'accounts', consentRef: 'consent-1', secret, present: null };
});
afterAll(async () => {
  await port.close();
  scripted.close();
});

const ACCOUNT = { ref: 'acc-1', kind: 'current', currency: 'GBP' } as const;
const answers = (Data: object, Links: object = {}, Meta: object = {}) => {
  scripted.onRequest = (_seen, res) => json(res, { Data, Links: { Self: 'https://b', ...Links }, Meta });
};
/** A JSON number with these very digits. */
const digits = (text: string) => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
const money = (Amount: unknown, Currency = 'GBP') => ({ Amount, Currency });

describe('accounts', () => {
  const SORT_CODE = 'UK.OBIE.SortCodeAccountNumber';
  const told = { AccountId: 'acc-1', Status: 'Enabled', Currency: 'GBP', AccountTypeCode: 'CACC', Nickname: 'Bills' };
  const numbers = { sortCode: null, accountNumber: null, iban: null, last4: null };
  const read = { ...ACCOUNT, name: 'Bills', ...numbers };
  const idOf = (SchemeName: string, Identification: string) => ({ SchemeName, Identification, Name: 'A Holder' });
  const by = (...Account: object[]) => ({ Account });
  const iban = (digits: string) => idOf('UK.OBIE.IBAN', `GB29${digits}`);
  const both = [iban(' NWBK 6016 1331 9268 19'), idOf(SORT_CODE, '60161331926819')];
  const card = { Nickname: ' ', AccountTypeCode: 'CARD', ...by(idOf('UK.OBIE.PAN', '************4242')) };
  const savings = { Nickname: undefined, AccountTypeCode: 'SVGS', Description: 'Cash ISA' };
  const number = (sortCode: string, accountNumber: string) => ({ sortCode, accountNumber });
  test.each<[string, object, Partial<BankAccount> | null]>([
    ['with its number', by(idOf(SORT_CODE, '20000055779911')), number('200000', '55779911')],
    ['with a masked number', by(idOf(SORT_CODE, '200000****9911')), {}],
    ['with an IBAN, and a number', by(...both), { iban: 'GB29NWBK60161331926819', ...number('601613', '31926819') }],
    ['with an IBAN of a wrong digit', by(iban('NWBK60161331926818')), {}],
    ['of a masked card without a nickname', card, { kind: 'card', name: 'A Holder', last4: '4242' }],
    ['of savings, by its description', savings, { kind: 'savings', name: 'Cash ISA' }],
    ['of a loan, without a name', { Nickname: undefined, AccountTypeCode: 'LOAN' }, { kind: 'other', name: 'Account' }],
    ['closed', { Status: 'Disabled' }, null],
    ['switched to another bank', { Currency: undefined }, null],
  ])('%s', async (_what, change, expected) => {
    answers({ Account: [{ ...told, ...change }] });
    expect(await port.accounts(access)).toEqual(expected === null ? [] : [{ ...read, ...expected }]);
  });

  test('of all pages are read, each once, and a list at a foreign address is refused', async () => {
    const base = `https://localhost:${scripted.port}/open-banking/v4.0`;
    scripted.onRequest = ({ path }, res) => {
      const [, page = 1] = path.split('page=');
      const Next = Number(page) < 3 ? `${base}/aisp/accounts?page=${Number(page) + 1}` : undefined;
      json(res, { Data: { Account: [{ ...told, AccountId: page === 1 ? 'acc-1' : 'acc-2' }] }, Links: { Next } });
    };
    expect((await port.accounts(access)).map(({ ref }) => ref)).toEqual(['acc-1', 'acc-2']);
    for (const Next of ['https://localhost/open-banking/v4.0/aisp/accounts?page=2', `${base}/aisp/accounts`]) {
      answers({ Account: [told] }, { Next });
      await expect(port.accounts(access)).rejects.toMatchObject({ kind: 'away' });
    }
  });
});

describe('a balance', () => {
  const of = (Type: string, amount: string, more: object = {}) => ({
    ...{ AccountId: 'acc-1', Type, DateTime: '2026-06-10T09:00:00+01:00', CreditDebitIndicator: 'Credit' },
    ...{ Amount: money(amount), ...more },
  });
  const line = (Type: string, amount: string | null, Included = true) => {
    return { Type, Included, ...(amount !== null && { Amount: money(amount) }) };
  };
  const booked = of('ITBD', '1000.00');
  const overdrawn = of('ITBD', '1000.00', { CreditDebitIndicator: 'Debit' });
  const lent = (...CreditLine: object[]) => [booked, of('ITAV', '1500.00', { CreditLine })];
  const both = { current: 100_000, available: 150_000 };
  const closing = (more: object = {}) => [booked, of('CLAV', '7.00', more)];
  const before = '2026-06-09T00:00:00Z';
  const agreed = line('Pre-Agreed', '500.00');
  test.each<[string, object[], Partial<BankBalance>]>([
    ['of both figures', [of('ITAV', '900.5'), booked], { available: 90_050, creditLine: 0 }],
    ['that is overdrawn', [overdrawn], { current: -100_000 }],
    ['of the last day', [...closing(), of('OPAV', '8.00')], { available: 700, creditLine: 0 }],
    ['of expected money only', [booked, of('FWAV', '9.00')], {}],
    ['with an overdraft', lent(agreed, line('Emergency', '20.00')), { ...both, creditLine: 52_000 }],
    ['with an overdraft beside it', lent(line('Pre-Agreed', '500.00', false)), { ...both, creditLine: 0 }],
    ['with what is left to borrow', lent(agreed, line('Available', '300.00')), { ...both, creditLine: 50_000 }],
    ['with an overdraft of unknown size', lent(line('Pre-Agreed', null)), { ...both, creditLine: null }],
    ['in another currency', [of('ITAV', '5.00', { Amount: money('5.00', 'EUR') }), booked], {}],
    ['with a fraction of a penny', [of('ITAV', '5.001'), booked], {}],
    ['of an older day', closing({ DateTime: before }), { available: 700, creditLine: 0, asOf: new Date(before) }],
  ])('%s', async (_what, Balance, expected) => {
    answers({ Balance });
    const usual = { current: 100_000, available: null, creditLine: null, asOf: new Date('2026-06-10T08:00:00Z') };
    expect(await port.balance(access, ACCOUNT)).toEqual({ ...usual, ...expected });
  });

  test('has the minor units of its currency', async () => {
    answers({ Balance: [of('ITBD', '', { Amount: money('1000', 'JPY') })] });
    expect(await port.balance(access, { ...ACCOUNT, currency: 'JPY' })).toMatchObject({ current: 1_000 });
  });
});

const read = (more: Partial<RowsWanted> = {}) =>
  port.transactions(access, { account: ACCOUNT, from: '2026-06-10', to: '2026-06-12', cursor: null, ...more });

describe('transactions', () => {
  const NOON = '2026-06-11T12:00:00+01:00';
  const credit = {
    ...{ AccountId: 'acc-1', TransactionId: 'txn-1', CreditDebitIndicator: 'Credit', Status: 'BOOK' },
    ...{ TransactionMutability: 'Immutable', BookingDateTime: NOON, Amount: money('10.00') },
  };
  const row: BankRow = {
    ...{ stableId: 'txn-1', amount: 1_000, bookedOn: '2026-06-11', counterparty: null },
    ...{ payer: null, debtorAccount: null, reference: null },
  };
  const EMPLOYER = { SchemeName: 'UK.OBIE.SortCodeAccountNumber', Name: ' Employer\u0000 Ltd\u202e ' };
  const paidBy = (Identification: string, more: object = {}) => ({
    DebtorAccount: { ...EMPLOYER, Identification, ...more },
    TransactionInformation: 'SALARY',
  });
  const employer = {
    ...{ payer: 'Employer  Ltd', counterparty: 'Employer  Ltd', reference: 'SALARY' },
    debtorAccount: { sortCode: '200000', accountNumber: '55779911' },
  };
  const payee = { CreditorAccount: { Name: 'Landlord' }, DebtorAccount: { Name: 'Me' } };
  const shop = { DebtorAccount: { Name: ' ' }, MerchantDetails: { MerchantName: 'Shop' } };
  const x = (length: number) => 'x'.repeat(length);
  const at = (BookingDateTime: string) => ({ BookingDateTime });
  const debit = { CreditDebitIndicator: 'Debit' };
  const amountOf = (value: unknown) => ({ Amount: money(value) });
  test.each<[string, object, Partial<BankRow> | 'refused' | 'left out']>([
    ['a debit', debit, { amount: -1_000 }],
    ['an amount with trailing zeros', amountOf('1234.5000'), { amount: 123_450 }],
    ['a fraction of a penny', amountOf('1.005'), 'refused'],
    ['an amount with an exponent', amountOf('1e3'), 'refused'],
    ['an amount that no account holds', amountOf('99999999999999'), 'refused'],
    ['a number', amountOf(digits('0.29')), { amount: 29 }],
    ['a number that a float rounds', amountOf(digits('0.30000000000000004')), 'refused'],
    ['a number that a float cannot hold', amountOf(digits('9007199254740993.01')), 'refused'],
    ['a negative credit', amountOf('-10.00'), 'refused'],
    ['a negative debit', { ...debit, ...amountOf('-10.00') }, { amount: -1_000 }],
    ['neither a credit nor a debit', { CreditDebitIndicator: 'credit' }, 'refused'],
    ['another currency', { Amount: money('10.00', 'USD') }, 'refused'],
    ['another account', { AccountId: 'acc-2' }, 'refused'],
    ['no id', { TransactionId: undefined, TransactionReference: 'ref-1' }, { stableId: null }],
    ['no day', { BookingDateTime: undefined, ValueDateTime: NOON }, 'refused'],
    ['a day that does not exist', at('2026-06-31T12:00:00Z'), 'refused'],
    ['an hour before midnight in UTC, in London', at('2026-06-11T23:30:00Z'), { bookedOn: '2026-06-12' }],
    ['midnight of another zone', at('2026-06-11T00:30:00+02:00'), { bookedOn: '2026-06-10' }],
    ['a time without a zone', at('2026-06-11T23:30:00'), { bookedOn: '2026-06-11' }],
    ['the first instant of the days', at('2026-06-09T23:00:00Z'), { bookedOn: '2026-06-10' }],
    ['the instant before the days', at('2026-06-09T22:59:59Z'), 'left out'],
    ['the instant after the days', at('2026-06-12T23:00:00Z'), 'left out'],
    ['a pending row', { Status: 'PDNG' }, 'left out'],
    ['a mutable row', { TransactionMutability: 'Mutable' }, 'left out'],
    ['no word on mutability', { TransactionMutability: undefined }, {}],
    ['a payer', paidBy('20000055779911'), employer],
    ['a masked payer', paidBy('200000****9911', { Name: '' }), { counterparty: 'SALARY', reference: 'SALARY' }],
    ['a payee', { ...debit, ...payee }, { amount: -1_000, counterparty: 'Landlord' }],
    ['a merchant', { ...shop, TransactionInformation: 'CARD' }, { counterparty: 'Shop', reference: 'CARD' }],
    ['a long text', { TransactionInformation: x(501) }, { counterparty: x(500), reference: x(500) }],
  ])('%s', async (_what, change, expected) => {
    answers({ Transaction: [{ ...credit, ...change }] });
    const items = typeof expected === 'string' ? [] : [{ ...row, ...expected }];
    expect(await read()).toEqual({ items, refused: expected === 'refused' ? 1 : 0, cursor: null, complete: true });
  });

  test.each([
    ['2026-06-10', '2026-06-12', '2026-06-09T23:00:00', '2026-06-12T23:59:59'],
    ['2026-03-29', '2026-03-29', '2026-03-29T00:00:00', '2026-03-29T23:59:59'],
    ['2026-10-26', '2026-10-26', '2026-10-26T00:00:00', '2026-10-26T23:59:59'],
  ])('of %s to %s are asked for by any clock of a bank', async (from, to, first, last) => {
    answers({});
    expect(await read({ from, to })).toMatchObject({ items: [], complete: true });
    const days = new URLSearchParams({ fromBookingDateTime: first, toBookingDateTime: last });
    expect(scripted.seen[0]!.path).toBe(`/accounts/acc-1/transactions?${String(days)}`);
  });

  const own = '/open-banking/v4.0/aisp/accounts/acc-1/transactions?page=2';
  test.each<[string, string, { cursor: unknown; complete: boolean }]>([
    ['of the bank', `https://localhost:PORT${own}`, { cursor: expect.any(String), complete: true }],
    ['of another host', `https://elsewhere.example:PORT${own}`, { cursor: null, complete: false }],
    ['without TLS', `http://localhost:PORT${own}`, { cursor: null, complete: false }],
    ['of another API', 'https://localhost:PORT/open-banking/v4.0evil/aisp', { cursor: null, complete: false }],
    ['that climbs out', 'https://localhost:PORT/open-banking/v4.0/../../token', { cursor: null, complete: false }],
    ['that is no address', own, { cursor: null, complete: false }],
  ])('of a next page %s: the token goes to the bank alone', async (_what, link, expected) => {
    answers({ Transaction: [credit] }, { Next: link.replace('PORT', String(scripted.port)) });
    expect(await read()).toEqual({ items: [row], refused: 0, ...expected });
  });

  test('go on at the cursor, and a page that repeats itself repeats its cursor', async () => {
    const Next = `https://localhost:${scripted.port}${own}`;
    answers({ Transaction: [{ ...credit, TransactionId: 'txn-2' }, credit] }, { Next }, { TotalPages: 2 });
    const first = await read();
    const second = await read({ cursor: first.cursor });
    expect(first.items.map(({ stableId }) => stableId)).toEqual(['txn-2', 'txn-1']);
    expect(second).toEqual(first);
    expect(scripted.seen.map(({ path }) => path)[1]).toBe('/accounts/acc-1/transactions?page=2');
    await expect(read({ cursor: '/../../../token' })).rejects.toMatchObject({ kind: 'away' });
    answers({ Transaction: [credit] }, {}, { TotalPages: 2 });
    expect([(await read()).complete, (await read({ cursor: first.cursor })).complete]).toEqual([false, true]);
  });

  test('of a page of 10,000 are read, and a larger one is refused', async () => {
    const long = { ...credit, TransactionInformation: 'y'.repeat(400) };
    const page = Array.from({ length: 10_000 }, (_, index) => ({ ...long, TransactionId: `txn-${index}` }));
    answers({ Transaction: page });
    expect((await read()).items).toHaveLength(10_000);
    answers({ Transaction: Array.from({ length: 100 }, () => 'z'.repeat(200_000)) });
    await expect(read()).rejects.toMatchObject({ kind: 'away' });
  });
});

describe('a refusal', () => {
  const fault = (status: number, ErrorCode: string, Path?: string) => (res: ServerResponse) =>
    json(res, { Code: '400', Id: '1', Message: 'no', Errors: [{ ErrorCode, Path }] }, status);
  const calls = { accounts: () => port.accounts(access), balance: () => port.balance(access, ACCOUNT), rows: read };
  const later = () => read({ cursor: '/aisp/accounts/acc-1/transactions?page=2' });
  test.each<[string, keyof typeof calls | 'later', (res: ServerResponse) => void, string]>([
    ['an unknown account', 'balance', fault(400, 'U011'), 'account-gone'],
    ['an unknown account, as 404', 'rows', fault(404, 'U011'), 'account-gone'],
    ['an unknown consent', 'accounts', fault(400, 'U011'), 'reauthorise'],
    ['404 of a gateway', 'balance', (res) => res.writeHead(404).end('<html>'), 'away'],
    ['403 without a reason', 'rows', (res) => res.writeHead(403).end(), 'away'],
    ['a consent that is not authorised', 'rows', fault(400, 'U009'), 'reauthorise'],
    ['a person who must authenticate', 'accounts', fault(403, 'U028'), 'reauthorise'],
    ['the days', 'rows', fault(400, 'U003'), 'range'],
    ['the field of the days', 'rows', fault(400, 'U002', 'fromBookingDateTime'), 'range'],
    ['a page', 'later', fault(400, 'U002', 'fromBookingDateTime'), 'away'],
    ['every token', 'accounts', (res) => res.writeHead(401).end(), 'reauthorise'],
    ['a page of HTML', 'accounts', (res) => res.writeHead(200).end('<html>'), 'away'],
    ['JSON of something else', 'rows', (res) => json(res, { Data: { Transaction: {} } }), 'away'],
    ['nothing at all', 'balance', (res) => void res.socket?.destroy(), 'away'],
  ])('of %s when asked for %s', async (_what, call, respond, kind) => {
    scripted.onRequest = (_seen, res) => respond(res);
    await expect(call === 'later' ? later() : calls[call]()).rejects.toMatchObject({ name: 'BankError', kind });
  });

  test('of too many requests says until when to wait', async () => {
    scripted.onRequest = (_seen, res) => void res.writeHead(429, { 'retry-after': '120' }).end();
    const before = Date.now();
    const { kind, until } = (await read().catch((caught: unknown) => caught)) as { kind: string; until: Date };
    expect([kind, until.getTime() >= before + 120_000]).toEqual(['wait', true]);
  });

  test('to a consent of the service itself comes before any request', () =>
    expect(port.accounts({ ...access, secret: null })).rejects.toMatchObject({ kind: 'configuration' }));
});

test('only a person who is there is named to the bank', async () => {
  answers({ Balance: [] });
  await port.balance(access, ACCOUNT);
  await port.balance({ ...access, present: { ip: '203.0.113.9', userAgent: 'Browser/1', language: 'en' } }, ACCOUNT);
  const named = ['x-fapi-customer-ip-address', 'x-customer-user-agent'].map((name) =>
    scripted.seen.map(({ headers }) => headers[name]),
  );
  expect(named.flat()).toEqual([undefined, '203.0.113.9', undefined, 'Browser/1']);
  expect(port.traits).toMatchObject({ reads: true, unattendedPerDay: 7, laterDays: 90 });
});
