import { beginFamily } from '../../activities/auth/tokens.ts';
import { createHouseLink } from '../../activities/bank/house.ts';
import { houseAccess } from '../../activities/payments/house.ts';
import type { Scope } from '../../domain/auth.ts';
import { pence } from '../../domain/money.ts';
import type { JourneyAnswer } from '../../infra/bank/interface.ts';
import { startApi, type TestUser } from '../helpers/api.ts';
import { decideAtBank } from '../helpers/bank-customer.ts';
import { withSandboxBanks } from '../helpers/bank-people.ts';
import { settleJourneys } from '../helpers/connections.ts';
import { newClient, sqlOf } from '../helpers/oauth.ts';
import { newVisitor, signIn, type Visitor } from '../helpers/visitor.ts';

/* Attacks on connecting a bank, with the real client and the real sandbox bank. */

const CONNECTIONS = '/api/v1/bank/connections';
const at = withSandboxBanks();
const api = startApi({ banks: at.banks });
const { services } = api;
const sql = sqlOf(services);

type Who = 'mallory' | 'victim';

interface Person extends TestUser {
  visitor: Visitor;
  connectionId: string;
  sendTo: string;
  /** The person's name at the bank. */
  customer: string;
}

/** A person who is about to decide at the bank. */
async function atBank(customer: string, bank_id: string): Promise<Person> {
  const user = await api.registerUser({ proved: true });
  const { token, userId: user_id } = user;
  const made = await api.post(CONNECTIONS, { token, body: { user_id, bank_id, kind: 'accounts' } });
  const connectionId = made.body.connection_id as string;
  const page = `${CONNECTIONS}/${connectionId}/authorise`;
  const { visitor, shown } = await signIn(api, page, user);
  const went = await visitor.submit(shown, page);
  expect([went.status, went.text]).toEqual([303, '']);
  return { ...user, visitor, connectionId, sendTo: String(went.headers.location), customer };
}

/** What the bank sends back with the browser in which somebody approved. */
async function approved({ sendTo, customer }: Person, by = customer): Promise<Record<string, string>> {
  const back = await decideAtBank(new URL(sendTo), { customer: by, ca: at.ca() });
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
  ((await at.sandbox('GET', `consents?owner_id=${customer}`)) as { items: { status: string }[] }).items.map(
    ({ status }) => status,
  );

const BANKS = ['sandbox', 'sandbox-truelayer'];

test.each(BANKS)('a connection is granted at the bank %s, and ended there and here', async (bank_id) => {
  const person = await atBank(`honest-${bank_id}`, bank_id);
  expect(await bring(person.visitor, await approved(person))).toContain('Your bank is connected');
  expect([await statusOf(person), await consentsOf(person.customer)]).toEqual(['authorised', ['AUTH']]);
  const ended = await api.request('DELETE', `${CONNECTIONS}/${person.connectionId}`, { token: person.token });
  expect(ended.status).toBe(204);
  expect([await statusOf(person), await consentsOf(person.customer)]).toEqual(['revoked', []]);
});

let attacks = 0;

/** Whose browser it is, who began the journey, who approves it, and which parts of the answers are swapped. */
test.each<[string, Who, Who, Who, string[]]>([
  ['Mallory’s way to the bank, approved by Victim, in Victim’s browser', 'victim', 'mallory', 'victim', []],
  ['Mallory’s way to the bank, approved by Victim, with Victim’s state', 'victim', 'mallory', 'victim', ['state']],
  ['Victim’s answer in Mallory’s browser', 'mallory', 'victim', 'victim', []],
  ['Victim’s answer in Mallory’s browser, with Mallory’s state', 'mallory', 'victim', 'victim', ['state']],
  ['Victim’s code in Mallory’s own answer', 'mallory', 'mallory', 'mallory', ['code']],
  ['Victim’s code and ID token in Mallory’s own answer', 'mallory', 'mallory', 'mallory', ['code', 'id_token']],
])(
  '%s connects nothing of Victim’s, and Victim’s bank keeps no permission',
  async (_what, browser, way, by, swapped) => {
    for (const bank_id of BANKS) {
      attacks += 1;
      const mallory = await atBank(`mallory-${attacks}`, bank_id);
      const victim = await atBank(`victim-${attacks}`, bank_id);
      const people = { mallory, victim };
      const others = swapped.length > 0 ? await approved(way === 'mallory' ? victim : mallory) : {};
      const parts = Object.entries(others).filter(([name]) => swapped.includes(name));
      const answer = { ...(await approved(people[way], people[by].customer)), ...Object.fromEntries(parts) };
      expect(await bring(people[browser].visitor, answer)).toContain('Your bank was not connected');
      await sql.run(`update bank_journeys set begun_at = begun_at - interval '18 minutes'`);
      await settleJourneys(services);
      for (const person of [mallory, victim]) expect(await statusOf(person)).not.toBe('authorised');
      expect(await consentsOf(victim.customer)).toEqual([]);
      expect(await sql.many('select secret_sealed from bank_consents where secret_sealed is not null')).toEqual([]);
    }
  },
);

/** An access token that the person gave an application. */
async function clientToken(user_id: string, scopes: readonly Scope[]): Promise<string> {
  const { clientId: client_id } = await newClient(services);
  const grant = { user_id, client_id, session_hash: null, scopes };
  const { tokens } = await services.db.transaction((tx) => beginFamily(tx, services, grant, new Date()));
  return tokens.access_token;
}

test.each(['a stolen API key', 'a stolen OAuth client'])(
  '%s pays no new payee: it takes the person on our page and at the bank',
  async (thief) => {
    const [victim, mallory] = [await api.registerUser({ proved: true }), await api.registerUser({ proved: true })];
    const scopes = ['write:bank', 'write:payments', 'write:paycheck', 'read:payments'] as const;
    const token = thief.endsWith('key') ? await api.apiKey(scopes) : await clientToken(victim.userId, scopes);
    const obligations = [{ type: 'Bills', amount: 90_000, category: 'FIXED' }];
    const wage = { employee_id: victim.userId, gross_pay: 90_000, obligations };
    const paycheck = await api.post('/api/v1/engine/paycheck/calculate', { token, body: wage });
    const account = { name: 'Mallory', category: 'HOUSING', sort_code: '200000', account_number: '55779911' };
    const payee = await api.post('/api/v1/payments/providers', { token, body: account });
    const provider_id = payee.body.provider_id as string;
    const limits = { per_payment: 90_000, per_month: 90_000 };
    const wanted = { user_id: victim.userId, bank_id: 'sandbox', kind: 'payments', provider_id, limits };
    const made = await api.post(CONNECTIONS, { token, body: wanted });
    const { vaults } = paycheck.body as { vaults: { allocation_id: string }[] };
    const order = { vault_allocation_id: vaults[0]!.allocation_id, amount: 90_000, currency: 'GBP', provider_id };
    const page = `${CONNECTIONS}/${String(made.body.connection_id)}/authorise`;
    expect((await signIn(api, page, mallory)).shown.status).toBe(403);
    const paid = await api.post('/api/v1/payments/execute', { token, body: order });
    expect(paid).toMatchObject({ status: 409, body: { code: 'bank-not-connected' } });
    const { items } = (await at.sandbox('GET', 'movements')) as { items: { account: string }[] };
    expect(items.filter((movement) => movement.account === '20000055779911')).toEqual([]);
  },
);

test('an operator grants the house account at the bank, which then pays with its token', async () => {
  const { url } = await createHouseLink({ ...services, operator: 'operator:ada' }, { bank_id: 'sandbox' });
  const visitor = newVisitor(api);
  const page = '/api/v1/bank/house-account';
  const went = await visitor.submit(await visitor.get(url.slice(url.indexOf(page))), page);
  const operator = { sendTo: String(went.headers.location), customer: 'the-house' } as Person;
  expect(await bring(visitor, await approved(operator))).toContain('The house account is connected');
  const access = await houseAccess(services);
  expect(access.secret).not.toBeNull();
  const payee = { name: 'Flat & Sons', sortCode: '123456', accountNumber: '87654321' };
  const amount = { amount: pence(1_000), currency: 'GBP', reference: 'RENT', payee, agreed: null } as const;
  const order = { paymentId: services.newId('pay'), attempt: 1, ...amount };
  const paid = await services.banks.house!.bank.port.pay(access, order);
  expect(paid).toMatchObject({ kind: 'accepted' });
});
