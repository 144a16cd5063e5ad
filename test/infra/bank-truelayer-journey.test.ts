import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import type { Bank, ConsentAccess, Finished } from '../../infra/bank/interface.ts';
import { openBank } from '../../infra/bank/truelayer-v1/index.ts';
import { decideAtBank } from '../helpers/bank-customer.ts';
import { newBankFolder, startSandboxBank } from '../helpers/sandbox-bank.ts';
import { holderOf, TO_READ } from '../helpers/scripted-journey.ts';

/* The real client at the simulator. What goes wrong there is tried through the whole sync. */

const dataDir = await newBankFolder();
const ca = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
const dispatcher = new Agent({ connect: { ca } });
const simulator = await startSandboxBank(dataDir);
const entry = simulator.config.entries.find(({ api }) => api === 'truelayer-v1');
if (entry?.api !== 'truelayer-v1') throw new Error('the sandbox has no aggregator');
const port: Bank = await openBank(entry, simulator.config);

afterAll(async () => {
  await Promise.all([port.close(), dispatcher.destroy()]);
  await simulator.stop();
});

async function sandbox(method: 'GET' | 'POST' | 'PUT', path: string, json?: object) {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const headers = { 'content-type': 'application/json' };
  const answer = await request(`${simulator.config.url}/sandbox/${path}`, { method, headers, dispatcher, ...body });
  const text = await answer.body.text();
  return (text === '' ? null : JSON.parse(text)) as { items: { consent_id: string }[] };
}

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
  const current = accounts[0]!;
  const today = londonDateOf(new Date());
  const read = (days: number) =>
    port.transactions(access, { account: current, from: addDays(today, -days), to: today, cursor: null });
  return { customer, access, accounts, current, read };
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
