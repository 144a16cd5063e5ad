import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import type { Bank, BankError, ConsentAccess, Finished } from '../../infra/bank/interface.ts';
import { openBank } from '../../infra/bank/truelayer-v1/index.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { switchesBody } from '../../programs/sandbox-bank/truelayer/switches.ts';
import { decideAtBank } from '../helpers/bank-customer.ts';
import { startSandboxBank } from '../helpers/sandbox-bank.ts';
import { holderOf, TO_READ } from '../helpers/scripted-journey.ts';

/* The real client at the simulator, which can do all that goes wrong at the provider. */

const dataDir = mkdtempSync(join(tmpdir(), 'bank-switches-'));
await ensurePki(join(dataDir, 'pki'));
const ca = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
const dispatcher = new Agent({ connect: { ca } });
const simulator = await startSandboxBank(dataDir);
const entry = simulator.config.entries.find(({ api }) => api === 'truelayer-v1');
if (entry?.api !== 'truelayer-v1') throw new Error('the sandbox has no aggregator');
const port: Bank = await openBank(entry, simulator.config);

afterAll(async () => {
  await Promise.all([port.close(), dispatcher.destroy()]);
  await simulator.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function sandbox(method: 'GET' | 'POST' | 'PUT', path: string, json?: object) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const headers = { 'content-type': 'application/json' };
  const answer = await request(`${simulator.config.url}/sandbox/${path}`, { method, headers, dispatcher, ...body });
  const text = await answer.body.text();
  return (text === '' ? null : JSON.parse(text)) as { items: { consent_id: string }[] };
}
const switchOn = (owner_id: string, switches: object) => sandbox('PUT', 'switches', { owner_id, switches });

async function journey(customer: string, decision: 'approve' | 'refuse' = 'approve'): Promise<Finished> {
  const order = { ...TO_READ, state: randomUUID() };
  const { sendTo, secret } = await port.begin(order);
  const came = await decideAtBank(new URL(sendTo), { customer, decision, ca });
  const fields = came instanceof URL ? came.searchParams : new URLSearchParams(await came.text());
  return port.finish({ order, answer: Object.fromEntries(fields), secret });
}

async function connected(customer: string) {
  const finished = await journey(customer);
  if (finished.kind !== 'authorised') throw new Error(JSON.stringify(finished));
  const { consentRef, secret } = finished;
  const holder = holderOf(JSON.parse(secret) as object);
  const access: ConsentAccess = { kind: 'accounts', consentRef, secret: holder, present: null };
  const accounts = await port.accounts(access);
  const [current, savings] = [accounts[0]!, accounts[1]!];
  const today = londonDateOf(new Date());
  const read = (days: number) =>
    port.transactions(access, { account: current, from: addDays(today, -days), to: today, cursor: null });
  const ids = async (of?: number) =>
    (await read(30)).items.filter(({ amount }) => amount === (of ?? amount)).map(({ stableId }) => stableId);
  const amounts = async () => {
    const { items, refused } = await read(30);
    return [...items.map(({ amount }) => amount).sort((a, b) => a - b), `${refused} refused`];
  };
  return { customer, access, accounts, current, savings, read, ids, amounts };
}
type Connected = Awaited<ReturnType<typeof connected>>;

/** With a credit of 2,500 pence, and a debit of 300. */
async function withRows(): Promise<Connected> {
  const owner_id = `usr_${randomUUID()}`;
  await sandbox('POST', 'credits', { owner_id, amount: 2_500, payer: 'ACME', reference: 'PAY' });
  await sandbox('POST', 'credits', {
    ...{ owner_id, amount: 300, account: 'savings', from_account: 'current', reference: 'SAVE' },
  });
  return connected(owner_id);
}
const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: unknown) => (error as BankError).kind,
  );
const twice = async <T>(work: () => Promise<T>) => [await work(), await work()];
const revoke = async ({ customer }: Connected) => {
  const { items } = await sandbox('GET', `consents?owner_id=${customer}`);
  await sandbox('POST', `consents/${items[0]!.consent_id}/revoke`);
};

test('a person connects, is read, is looked at, and ends it', async () => {
  const { customer, access, accounts, current, read } = await withRows();
  expect(accounts.map(({ kind, currency, name }) => [kind, currency, name])).toEqual([
    ['current', 'GBP', 'Current account'],
    ['savings', 'GBP', 'Savings account'],
    ['current', 'EUR', 'Euro account'],
    ['card', 'GBP', 'Credit card'],
  ]);
  const figures = accounts.map(async (account) => {
    const { current: owned, available, creditLine } = await port.balance(access, account);
    return [owned, available, creditLine];
  });
  expect(await Promise.all(figures)).toEqual([
    [102_200, 152_200, 50_000],
    [50_300, 50_300, 0],
    [7_777, 7_777, 0],
    [-12_345, 87_655, 100_000],
  ]);
  expect(current).toMatchObject({ sortCode: '009901', accountNumber: expect.stringMatching(/^\d{8}$/) as unknown });
  const credit = { amount: 2_500, payer: 'ACME', counterparty: 'ACME', reference: 'PAY' };
  expect((await read(396)).items).toEqual(expect.arrayContaining([expect.objectContaining(credit)]));
  expect([await port.look(access), await port.end(access), await port.end(access)]).toEqual([
    'authorised',
    'done',
    'already',
  ]);
  expect([await port.look(access), await journey(customer, 'refuse')]).toEqual(['reauthorise', { kind: 'refused' }]);
});

test('institutions are those of the United Kingdom but for the mock, and a diagnosis ends at a wrong secret', async () => {
  expect(await port.institutions()).toEqual([{ institutionId: 'ob-sandbox', name: 'Sandbox Bank', country: 'GB' }]);
  const client_secret_file = join(dataDir, 'wrong');
  writeFileSync(client_secret_file, 'wrong');
  const stranger = await openBank({ ...entry, client_secret_file }, simulator.config);
  const steps = [await stepsOf(port), await stepsOf(stranger)];
  await stranger.close();
  expect(steps).toEqual([
    ['institutions: true', 'client secret: true', 'dry request for accounts: true'],
    ['institutions: true', 'client secret: false'],
  ]);
});

async function stepsOf(bank: Bank, steps: string[] = []): Promise<string[]> {
  for await (const { step, ok } of bank.diagnose()) steps.push(`${step}: ${ok}`);
  return steps;
}

const USUAL = [-300, 2_500];
const none = '0 refused';

test.each<[name: string, value: true | number, look: (given: Connected) => Promise<unknown>, seen: unknown]>([
  ['error_without_state', true, ({ customer }) => journey(customer), { kind: 'failed', reason: 'state-mismatch' }],
  ['query_answer', true, async ({ customer }) => (await journey(customer)).kind, 'authorised'],
  ['lost_refresh', 1, ({ amounts }) => amounts(), [...USUAL, none]],
  ['lost_refresh', 2, ({ read }) => twice(() => kindOf(read(30))), ['away', 'reauthorise']],
  [
    'stale_me',
    true,
    async (given) => {
      await revoke(given);
      return [await port.look(given.access), await kindOf(port.accounts(given.access))];
    },
    ['reauthorise', 'reauthorise'],
  ],
  ['no_stable_id', true, ({ ids }) => ids(), [null, null]],
  ['late_stable_id', true, ({ ids }) => twice(() => ids(1_111)), [[null], [expect.any(String)]]],
  ['shuffle', true, async ({ ids }) => new Set((await twice(() => ids())).map((each) => each.sort().join())).size, 1],
  ['same_twice', true, async ({ ids }) => new Set(await ids()).size, 4],
  [
    'changed_row',
    true,
    async ({ ids }) => {
      const seen = [await ids(1_111), await ids(2_222)].flat();
      return [seen.length, new Set(seen).size];
    },
    [2, 1],
  ],
  ['no_day', true, ({ amounts }) => amounts(), [...USUAL, '1 refused']],
  ['exponent', true, ({ amounts }) => amounts(), [...USUAL, 123_450, 123_450, none]],
  ['float_trap', true, ({ amounts }) => amounts(), [...USUAL, '2 refused']],
  ['credit_negative', true, ({ amounts }) => amounts(), [...USUAL, '1 refused']],
  ['foreign_row', true, ({ amounts }) => amounts(), [...USUAL, '1 refused']],
  ['positive_debit', true, ({ amounts }) => amounts(), [...USUAL, none]],
  ['sca', true, ({ read }) => Promise.all([kindOf(read(91)), kindOf(read(90))]), ['range', 'ok']],
  ['throttle', 1, ({ read }) => twice(() => kindOf(read(30))), ['wait', 'ok']],
  ['failed_status', true, ({ access, current }) => kindOf(port.balance(access, current)), 'not-final'],
  [
    'account_error',
    true,
    ({ access, current, savings }) => Promise.all([current, savings].map((each) => kindOf(port.balance(access, each)))),
    ['ok', 'away'],
  ],
  [
    'shared_number',
    true,
    async ({ access }) => new Set((await port.accounts(access)).map(({ accountNumber }) => accountNumber)).size,
    2,
  ],
  [
    'masked_number',
    true,
    async ({ access }) => (await port.accounts(access)).map(({ sortCode, accountNumber }) => sortCode ?? accountNumber),
    [null, null, null, null],
  ],
  ['new_ids', true, async ({ customer, current }) => (await connected(customer)).current.ref === current.ref, false],
  ['pending_twin', true, ({ amounts }) => amounts(), [-300, 1_111, 2_500, none]],
])('%s %j', async (name, value, look, seen) => {
  const given = await withRows();
  await switchOn(given.customer, { [name]: value });
  expect(await look(given)).toEqual(seen);
});

test('with all switches on, the usable rows are read, and the others are counted', async () => {
  const given = await withRows();
  const all = Object.keys(switchesBody.shape.switches.shape).map((name) => [name, true]);
  await switchOn(given.customer, { ...Object.fromEntries(all), lost_refresh: 1, throttle: 1 });
  expect(await twice(() => kindOf(given.read(30)))).toEqual(['wait', 'ok']);
  const usable = [-300, 1_111, 1_111, 2_222, 2_500, 123_450, 123_450];
  expect(await given.amounts()).toEqual([...usable.flatMap((amount) => [amount, amount]), '10 refused']);
});
