import { createPublicKey, randomUUIDv7, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import type { BankInstruction } from '../../domain/bank/payments.ts';
import { pence } from '../../domain/money.ts';
import type { Bank, BeginOrder, ConsentAccess, Finished } from '../../infra/bank/interface.ts';
import type { BankEntryOf } from '../../infra/config/index.ts';
import { bankClient, decideAtBank } from '../helpers/bank-customer.ts';
import { obSpecs } from '../helpers/ob-specs.ts';
import { runPython } from '../helpers/python.ts';
import { newBankFolder, openSandboxBank, startSandboxBank, type SandboxBankProcess } from '../helpers/sandbox-bank.ts';
import { holderOf, TO_PAY, TO_READ } from '../helpers/scripted-journey.ts';
import { recordTraffic } from '../helpers/traffic.ts';

const STANDARD = '/open-banking/v4.0';
const dataDir = await newBankFolder();
const pki = (file: string) => readFileSync(join(dataDir, 'pki', file), 'utf8');
const traffic = recordTraffic(STANDARD);
const opened: Bank[] = [];
let bank: SandboxBankProcess;

beforeAll(async () => {
  bank = await startSandboxBank(dataDir, { env: { SANDBOX_BANK_INSTANT_MS: '0' } });
});
afterAll(async () => {
  traffic.stop();
  await Promise.all(opened.map((port) => port.close()));
  await bank.stop();
});

async function connect(changes: Partial<BankEntryOf<'obie-4.0'>> = {}): Promise<Bank> {
  const port = await openSandboxBank(bank.config, changes);
  opened.push(port);
  return port;
}

async function journey(port: Bank, order: BeginOrder, decision: 'approve' | 'refuse' = 'approve'): Promise<Finished> {
  const { sendTo, secret } = await port.begin(order);
  const back = await decideAtBank(new URL(sendTo), { customer: 'usr_1', decision, ca: pki('ca.crt') });
  const text = back instanceof URL ? back.hash.slice(1) || back.search : await back.text();
  return port.finish({ order, answer: Object.fromEntries(new URLSearchParams(text)), secret });
}

const today = londonDateOf(new Date());
const validUntil = addDays(today, 100);
const limits = { perPayment: pence(90_000), perMonth: pence(120_050), validUntil };
const paying: BeginOrder = { ...TO_PAY, payments: { ...TO_PAY.payments!, limits, from: today } };

test.each<[string, Partial<BankEntryOf<'obie-4.0'>>]>([
  ['private_key_jwt', {}],
  ['tls_client_auth', { client_id: 'ringfence-tls', client_auth: 'tls_client_auth' }],
])('by %s, a person grants, renews and ends consents at the sandbox bank', async (_way, changes) => {
  const port = await connect(changes);
  const account = expect.stringMatching(/^\d{8}$/) as unknown;
  for (const order of [TO_READ, paying]) {
    const finished = await journey(port, order);
    const pays = order.kind === 'payments';
    expect(finished).toMatchObject({
      kind: 'authorised',
      ...{ validUntil: pays ? validUntil : null, reconfirmBy: pays ? null : addDays(today, 90) },
      ...(pays && { payee: TO_PAY.payments!.payee, limits, payingAccount: { accountNumber: account } }),
    });
    const { consentRef, secret } = finished as Extract<Finished, { kind: 'authorised' }>;
    const granted = holderOf(JSON.parse(secret) as object);
    const access: ConsentAccess = { kind: order.kind, consentRef, secret: granted, present: null };
    expect([await port.look(access), await port.look(access)]).toEqual(['authorised', 'authorised']);
    expect(granted.current).not.toBe(secret);
    const again = await journey(port, { ...order, consentRef });
    expect(again).toMatchObject({ kind: 'authorised', consentRef });
    const renewed = holderOf(JSON.parse((again as { secret: string }).secret) as object);
    expect(await port.look({ ...access, secret: renewed })).toBe('authorised');
    if (pays) await payOver(port, { ...access, secret: renewed });
    expect(await port.end({ ...access, secret: renewed })).toBe('done');
    const refused = { kind: 'no-consent' };
    if (pays) expect(await port.pay({ ...access, secret: renewed }, orderOf(1))).toMatchObject(refused);
    expect([await port.look(access), await port.end(access)]).toEqual(['revoked', 'already']);
  }
  expect(await journey(port, paying, 'refuse')).toEqual({ kind: 'refused' });
});

const { payee } = TO_PAY.payments!;
const orderOf = (amount: number, vrpType: 'other' | 'sweeping' = 'other'): BankInstruction => ({
  paymentId: `pay_${randomUUIDv7()}`,
  attempt: 1,
  amount: pence(amount),
  currency: 'GBP',
  reference: 'RENT 42',
  payee: { ...payee, name: 'Renamed since' },
  agreed: { payee, vrpType },
});

/** Pays within the limits once, and then beyond each, as another type, and to another account. */
async function payOver(port: Bank, access: ConsentAccess): Promise<void> {
  const order = orderOf(90_000);
  expect(await port.pay(access, order)).toMatchObject({ kind: 'accepted', status: 'ACCC' });
  const out = { account: payee.sortCode + payee.accountNumber, amount: 90_000, direction: 'out', provider_id: null };
  expect(await bank.movements(order.paymentId)).toMatchObject([{ ...out, consent_id: access.consentRef }]);
  const elsewhere = { ...payee, accountNumber: '87654321' };
  const wrong: [BankInstruction, string][] = [
    [orderOf(90_001), 'over-limit'],
    [orderOf(30_051), 'over-limit'],
    [orderOf(1, 'sweeping'), 'no-consent'],
    [{ ...orderOf(1), agreed: { payee: elsewhere, vrpType: 'other' } }, 'no-consent'],
  ];
  for (const [one, kind] of wrong) {
    expect(await port.pay(access, one)).toMatchObject({ kind });
    expect(await bank.movements(one.paymentId)).toEqual([]);
  }
}

test('accounts are read to the last page until the person takes them back, and the bank reports each change', async () => {
  const [port, atBank] = [await connect(), await bankClient(dataDir, bank.config.url)];
  const { consentRef, secret } = (await journey(port, TO_READ)) as Extract<Finished, { kind: 'authorised' }>;
  const access: ConsentAccess = {
    ...TO_READ,
    consentRef,
    secret: holderOf(JSON.parse(secret) as object),
    present: null,
  };
  const [current, savings, euro, ...more] = await port.accounts(access);
  const digits = { sortCode: '009901', accountNumber: expect.stringMatching(/^\d{8}$/) as unknown };
  const iban = { sortCode: null, accountNumber: null, iban: expect.stringMatching(/^GB\d\dSAND/) as unknown };
  expect([current, savings, euro, more]).toMatchObject([
    { kind: 'current', name: 'Current account', currency: 'GBP', ...digits },
    { kind: 'savings', currency: 'GBP', ...digits },
    { kind: 'current', currency: 'EUR', ...iban },
    [],
  ]);
  const book = (amount: number, more: object) =>
    atBank.sandbox('POST', 'credits', { owner_id: 'usr_1', amount, reference: `REF ${amount}`, ...more });
  for (let amount = 1; amount <= 101; amount += 1) await book(amount, { payer: 'Employer Ltd' });
  await book(2_000, { account: 'current', from_account: 'savings' });
  // Both journeys before have paid from here.
  const figures = { current: -72_849, available: -22_849, creditLine: 50_000, asOf: expect.any(Date) as unknown };
  expect(await port.balance(access, current!)).toEqual(figures);
  const wanted = { account: current!, from: today, to: addDays(today, 1) };
  const first = await port.transactions(access, { ...wanted, cursor: null });
  const { items, ...rest } = await port.transactions(access, { ...wanted, cursor: first.cursor });
  expect([first.items.length, items.length, rest]).toEqual([100, 4, { refused: 0, cursor: null, complete: true }]);
  const { sortCode, accountNumber } = savings!;
  const paid = { amount: -90_000, counterparty: payee.name, reference: 'RENT 42' };
  expect(first.items.slice(0, 2)).toMatchObject([paid, paid]);
  expect([...first.items, ...items].slice(2).map(({ amount }) => amount)).toEqual(
    [...Array(101).keys()].map((n) => n + 1).concat(2_000),
  );
  expect(items.slice(2)).toMatchObject([
    { payer: 'Employer Ltd', counterparty: 'Employer Ltd', reference: 'REF 101' },
    { debtorAccount: { sortCode, accountNumber } },
  ]);
  await atBank.sandbox('POST', `accounts/${euro!.ref}/close`);
  await expect(port.balance(access, euro!)).rejects.toMatchObject({ kind: 'account-gone' });
  expect(await port.accounts(access)).toHaveLength(2);
  await atBank.sandbox('POST', `consents/${consentRef}/revoke`);
  await expect(port.accounts(access)).rejects.toMatchObject({ kind: 'reauthorise' });
  const events = await port.events({ acknowledge: [], limit: 100, waitMs: 0 });
  expect(events.filter((event) => event.kind === 'consent' && event.consentRef === consentRef)).toMatchObject([
    { what: 'accounts-changed' },
    { what: 'revoked' },
  ]);
  await atBank.close();
});

test('the house account pays, and a diagnosis finds nothing wrong', async () => {
  const port = await connect();
  const house: ConsentAccess = { kind: 'payments', consentRef: 'sandbox-consent', secret: null, present: null };
  const energy = { name: 'Sandbox Instant Energy', sortCode: '009900', accountNumber: '00000001' };
  const order = { paymentId: `pay_${randomUUIDv7()}`, attempt: 1, amount: pence(1_234), currency: 'GBP' as const };
  const paid = await port.pay(house, { ...order, reference: 'INV 42', payee: energy, agreed: null });
  expect(paid).toMatchObject({ kind: 'accepted' });
  await port.payment((paid as { bankPaymentId: string }).bankPaymentId);
  await port.events({ acknowledge: [], limit: 10, waitMs: 0 });
  for await (const step of port.diagnose()) expect(step).toMatchObject({ ok: true });
});

test('jwcrypto accepts every signature of this traffic', async () => {
  const jwk = (pem: string, kid: string) => {
    return {
      ...createPublicKey(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'pem' })).export({
        format: 'jwk',
      }),
      kid,
    };
  };
  const keys = [jwk(pki('bank-signing.crt'), 'ringfence-signing'), jwk(pki('bank-server-signing.crt'), 'sandbox-bank')];
  const messages = traffic.all().flatMap(({ sent, answer }) =>
    [sent, answer].flatMap(({ headers, body }) => {
      const signature = headers.get('x-jws-signature');
      return signature === undefined ? [] : [{ signature, body }];
    }),
  );
  const input = JSON.stringify({ keys, messages });
  const printed = await runPython('jws_verify.py', { library: 'jwcrypto', version: '1.5.6', args: [], input });
  const results = JSON.parse(printed) as { issuer?: string; error?: string }[];
  expect(results.length).toBeGreaterThan(20);
  expect(results.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(new Set(results.map(({ issuer }) => issuer))).toContain('ringfence/sandbox');
});

const specs = obSpecs();
// Without the official files, nothing is judged, and nothing passes.
if (specs === undefined) process.stdout.write('OB_SPECS is not set, so the traffic is not judged by the standard.\n');
else {
  test('the official files accept every request and response of this traffic', () => {
    const faults = traffic.all().flatMap(({ method, path, sent, status, answer }) => {
      const resource = path
        .slice(STANDARD.length)
        .replace(/^\/[ap]isp/, '')
        .replace(/\?.*$/, '');
      const read = (body: string): unknown => (body === '' ? '' : JSON.parse(body));
      const request = sent.body === '' ? [] : specs(method, resource, ['requestBody'], read(sent.body));
      return [...request, ...specs(method, resource, ['responses', String(status)], read(answer.body))];
    });
    expect(faults).toEqual([]);
    expect(traffic.all().length).toBeGreaterThan(30);
  });
}
