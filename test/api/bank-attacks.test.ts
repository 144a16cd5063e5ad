import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHouseLink } from '../../activities/bank/house.ts';
import { endConsent } from '../../activities/bank/end.ts';
import { bankJourneyActivities } from '../../activities/bank/settle.ts';
import { houseAccess, paidBy } from '../../activities/payments/house.ts';
import { pence } from '../../domain/money.ts';
import { openBanks } from '../../infra/bank/banks.ts';
import type { JourneyAnswer } from '../../infra/bank/interface.ts';
import { ensurePki } from '../../infra/keys/pki.ts';
import { startApi, type TestUser } from '../helpers/api.ts';
import { bankClient, decideAtBank } from '../helpers/bank-customer.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { startSandboxBank } from '../helpers/sandbox-bank.ts';
import { newVisitor, type Visitor } from '../helpers/visitor.ts';

/* Attacks on connecting a bank, with the real client and the real sandbox bank. */

const CONNECTIONS = '/api/v1/bank/connections';
const dataDir = mkdtempSync(join(tmpdir(), 'bank-attacks-'));
await ensurePki(join(dataDir, 'pki'));
const ca = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
const bank = await startSandboxBank(dataDir);
const banks = await openBanks(bank.config);
const customers = await bankClient(dataDir, bank.config.url);
const api = startApi({ banks });
const { services } = api;
const sql = sqlOf(services);
const { settleJourney } = bankJourneyActivities(services);

afterAll(async () => {
  await customers.close();
  await banks.close();
  await bank.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Person extends TestUser {
  visitor: Visitor;
  connectionId: string;
  page: string;
  sendTo: string;
  /** The person's name at the bank. */
  customer: string;
}

async function paysOf({ token }: TestUser) {
  const payee = { name: 'Flat & Sons', category: 'HOUSING', sort_code: '12-34-56', account_number: '87654321' };
  const { provider_id } = (await api.post('/api/v1/payments/providers', { token, body: payee })).body;
  return { provider_id, limits: { per_payment: 5_000, per_month: 20_000 } };
}

/** A person who is about to decide at the bank. */
async function atBank(
  customer: string,
  { kind = 'accounts', bank_id = 'sandbox' }: { kind?: 'accounts' | 'payments'; bank_id?: string } = {},
): Promise<Person> {
  const user = await api.registerUser({ proved: true });
  const body = { user_id: user.userId, bank_id, kind, ...(kind === 'payments' && (await paysOf(user))) };
  const made = await api.post(CONNECTIONS, { token: user.token, body });
  expect([made.status, made.body]).toEqual([201, expect.objectContaining({ status: 'awaiting_authorisation' })]);
  const connectionId = made.body.connection_id as string;
  const page = `${CONNECTIONS}/${connectionId}/authorise`;
  const visitor = newVisitor(api);
  const { email, password } = user;
  await visitor.submit(await visitor.get(page), '/api/v1/auth/sign-in', { email, password });
  const limits: Record<string, string> = kind === 'payments' ? { per_payment: '50', per_month: '200' } : {};
  const went = await visitor.submit(await visitor.get(page), page, limits);
  expect([went.status, went.text]).toEqual([303, '']);
  return { ...user, visitor, connectionId, page, sendTo: String(went.headers.location), customer };
}

/** What the bank sends back with the browser in which somebody approved. */
async function approved({ sendTo }: Person, customer: string): Promise<Record<string, string>> {
  const back = await decideAtBank(new URL(sendTo), { customer, ca });
  return Object.fromEntries(new URLSearchParams(back instanceof URL ? back.hash.slice(1) : await back.text()));
}

async function bring(visitor: Visitor, answer: JourneyAnswer): Promise<string> {
  const kept = await visitor.post('/api/v1/bank/callback', { ...answer });
  const page = kept.status === 303 ? await visitor.get(String(kept.headers.location)) : kept;
  return /<main>[^]*<\/main>/.exec(page.text)![0];
}

const statusOf = async ({ connectionId, token }: Person) =>
  (await api.get(`${CONNECTIONS}/${connectionId}`, { token })).body.status as string;

const consentsOf = async (customer: string) =>
  ((await customers.sandbox('GET', `consents?owner_id=${customer}`)) as { items: { status: string }[] }).items.map(
    ({ status }) => status,
  );

/** Does the work of the workflows. */
async function settle(): Promise<void> {
  for (const journey of await sql.many<{ journey_id: string }>('select journey_id from bank_journeys'))
    await settleJourney(journey);
  const left = await sql.many<{ consent_id: string }>(
    'select consent_id from bank_consents where end_requested_at is not null and ended_at is null',
  );
  for (const consent of left) await endConsent(services, consent);
}

test.each([
  ['accounts', 'sandbox'],
  ['payments', 'sandbox'],
  ['accounts', 'sandbox-truelayer'],
] as const)('a connection for %s is granted at the bank %s, and ended there and here', async (kind, bank_id) => {
  const person = await atBank(`honest-${kind}-${bank_id}`, { kind, bank_id });
  expect(await bring(person.visitor, await approved(person, person.customer))).toContain('Your bank is connected');
  expect([await statusOf(person), await consentsOf(person.customer)]).toEqual(['authorised', ['AUTH']]);
  expect((await api.request('DELETE', `${CONNECTIONS}/${person.connectionId}`, { token: person.token })).status).toBe(
    204,
  );
  expect([await statusOf(person), await consentsOf(person.customer)]).toEqual(['revoked', []]);
});

let attacks = 0;

/** What reaches Mallory's and Victim's browsers, after each has gone to the bank with a connection of their own. */
test.each<[string, (mallory: Person, victim: Person) => Promise<string>]>([
  [
    'Mallory’s way to the bank, approved by Victim, and finished by Victim’s browser',
    async (mallory, victim) => bring(victim.visitor, await approved(mallory, victim.customer)),
  ],
  [
    'Mallory’s way to the bank, approved by Victim, with Victim’s state',
    async (mallory, victim) => {
      const { state } = await approved(victim, victim.customer);
      return bring(victim.visitor, { ...(await approved(mallory, victim.customer)), state: state! });
    },
  ],
  [
    'Victim’s answer in Mallory’s browser',
    async (mallory, victim) => bring(mallory.visitor, await approved(victim, victim.customer)),
  ],
  [
    'Victim’s answer in Mallory’s browser, with Mallory’s state',
    async (mallory, victim) => {
      const { state } = await approved(mallory, mallory.customer);
      return bring(mallory.visitor, { ...(await approved(victim, victim.customer)), state: state! });
    },
  ],
  [
    'Victim’s code in Mallory’s own answer',
    async (mallory, victim) => {
      const { code } = await approved(victim, victim.customer);
      return bring(mallory.visitor, { ...(await approved(mallory, mallory.customer)), code: code! });
    },
  ],
  [
    'Victim’s code and ID token in Mallory’s own answer',
    async (mallory, victim) => {
      const { code, id_token } = await approved(victim, victim.customer);
      const own = await approved(mallory, mallory.customer);
      return bring(mallory.visitor, { ...own, code: code!, id_token: id_token! });
    },
  ],
])('%s connects nothing of Victim’s, and Victim’s bank keeps no permission', async (_what, attack) => {
  for (const bank_id of ['sandbox', 'sandbox-truelayer']) await expectNothing(attack, bank_id);
});

async function expectNothing(attack: (mallory: Person, victim: Person) => Promise<string>, bank_id: string) {
  attacks += 1;
  const mallory = await atBank(`mallory-${attacks}`, { bank_id });
  const victim = await atBank(`victim-${attacks}`, { bank_id });
  expect(await attack(mallory, victim)).toContain('Your bank was not connected');
  await sql.run(`update bank_journeys set begun_at = begun_at - interval '18 minutes'`);
  await settle();
  expect(await statusOf(mallory)).not.toBe('authorised');
  expect(await statusOf(victim)).not.toBe('authorised');
  expect(await consentsOf(victim.customer)).toEqual([]);
  expect(await sql.many('select secret_sealed from bank_consents where secret_sealed is not null')).toEqual([]);
}

test('an error that nobody signed ends nothing: with the state of a journey it is checked at the bank, without it refused', async () => {
  const person = await atBank('slandered');
  const { state } = await approved(person, person.customer);
  for (const given of [{}, { state: 'guessed' }] as Record<string, string>[])
    expect(await bring(newVisitor(api), { error: 'access_denied', ...given })).toContain(
      'belongs to nothing that was started here',
    );
  expect(await bring(person.visitor, { error: 'access_denied', state: state! })).toContain(
    'Your bank was not connected',
  );
  expect(await statusOf(person)).toBe('awaiting_authorisation');
});

test('a stolen token makes no consent: it gets a link, at which only Victim can go on', async () => {
  const victim = await api.registerUser({ proved: true });
  const body = { user_id: victim.userId, bank_id: 'sandbox', kind: 'accounts' };
  const made = await api.post(CONNECTIONS, { token: victim.token, body });
  const page = `${CONNECTIONS}/${String(made.body.connection_id)}/authorise`;
  const thief = newVisitor(api);
  const shown = await thief.get(page);
  expect(shown.text).toContain('Sign in');
  expect((await thief.post(page, { csrf: 'guessed' })).headers.location).toBe(page);
  const { email, password } = await api.registerUser();
  await thief.submit(shown, '/api/v1/auth/sign-in', { email, password });
  expect((await thief.get(page)).text).toContain('This connection is not yours');
  const id = [made.body.connection_id];
  expect(await sql.many('select 1 from bank_journeys where connection_id = $1', id)).toEqual([]);
});

test('an operator grants the house account at the bank, which then pays with its token', async () => {
  const { url } = await createHouseLink({ ...services, operator: 'operator:ada' }, { bank_id: 'sandbox' });
  const visitor = newVisitor(api);
  const page = '/api/v1/bank/house-account';
  const went = await visitor.submit(await visitor.get(url.slice(url.indexOf(page))), page);
  const operator = { visitor, sendTo: String(went.headers.location) } as Person;
  expect(await bring(visitor, await approved(operator, 'the-house'))).toContain('The house account is connected');
  const access = await houseAccess(services);
  expect(access.secret).not.toBeNull();
  const payee = { name: 'Flat & Sons', sortCode: '123456', accountNumber: '87654321' };
  const amount = { amount: pence(1_000), currency: 'GBP', reference: 'RENT', payee } as const;
  const paid = await paidBy(services).pay(access, { paymentId: services.newId('pay'), attempt: 1, ...amount });
  expect(paid).toMatchObject({ kind: 'accepted' });
});
