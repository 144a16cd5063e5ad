import { confirmPayee } from '../../activities/payments/confirm-payee.ts';
import { removeProvider } from '../../activities/payments/payee-changes.ts';
import type { Principal } from '../../domain/auth.ts';
import type { PayeeRequest } from '../../openapi/types.ts';
import { credentialsOf, debtsOf, paymentsOf } from '../helpers/activities.ts';
import { playedAccount, withReaders } from '../helpers/bank-books.ts';
import { withHouse } from '../helpers/banks.ts';
import { authorise } from '../helpers/connections.ts';
import { payBill } from '../helpers/credential.ts';
import { anyKey, expectSoundLedger, storeAnyKey, userOf } from '../helpers/money.ts';
import { codeOf, refusal } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import type { PlayedAccount } from '../helpers/played-banks.ts';

const { banks, local, journey, services, bank, sql, syncs, person } = withReaders();
const [payments, credentials, debts] = [paymentsOf(services), credentialsOf(services), debtsOf(services)];
const house = playedBank();
Object.assign(banks, withHouse(banks, house));

beforeAll(() => Promise.all([payments.ensureSandboxPayees(), storeAnyKey(services)]));
beforeEach(() => {
  const pays = { OTHER: 'other', HOUSING: 'commercial', OWN_ACCOUNT: 'sweeping' } as const;
  local.traits = { ...local.traits, pays };
});
afterEach(() => expectSoundLedger(services));

const NUMBER = '55667788';
const IBAN = `GB33BUKB401276${NUMBER}`;
const LIMITS = { per_payment: 5_000, per_month: 50_000 };

/** A person whose bank lists these accounts. */
async function reader(...accounts: Partial<PlayedAccount>[]) {
  local.accountList = accounts.map((account) => playedAccount({ accountNumber: NUMBER, ...account }));
  const who = await person();
  const connection_id = await who.connect();
  await syncs.sync(connection_id);
  const listAgain = async (change: Partial<PlayedAccount>[]) => {
    local.accountList = change.map((account, index) => ({
      ...(local.accountList[index] ?? playedAccount()),
      ...account,
    }));
    await sql.run('update bank_connections set accounts_listed_at = null where connection_id = $1', [connection_id]);
    await syncs.sync(connection_id);
  };
  const end = () => bank.disconnectBank({ connection_id, principal: who.principal });
  const put = (set: string) => sql.run(`update bank_connections set ${set} where connection_id = $1`, [connection_id]);
  return { ...who, connection_id, listAgain, end, put };
}
type Reader = Awaited<ReturnType<typeof reader>>;

const add = (principal: Principal, more: Partial<PayeeRequest> = {}) =>
  payments.addProvider({
    ...{ principal, name: 'Savings', category: 'OTHER', sort_code: '40-12-76', account_number: NUMBER, ...more },
  });
const shown = async (principal: Principal, provider_id: string) => {
  const { items } = await payments.listProviders({ principal, limit: 100 });
  return items.find((payee) => payee.provider_id === provider_id)?.own_account;
};
const confirm = (provider_id: string, own_account_of?: string) =>
  confirmPayee(services, { provider_id, own_account_of, actor: 'operator' });
const connectTo = (provider_id: string, user_id: string, principal: Principal = userOf(user_id)) =>
  bank.connectBank({ user_id, bank_id: 'played-local', kind: 'payments', provider_id, limits: LIMITS, principal });
/** Registered, with a proved address. */
const provedReader = async (...accounts: Partial<PlayedAccount>[]) => {
  const who = await reader(...accounts);
  await sql.run('update users set email_verified_at = now() where user_id = $1', [who.user_id]);
  return who;
};

describe('a payee with the number of an account', () => {
  const masked = { sortCode: null, accountNumber: null };
  test.each<[string, (who: Reader) => unknown, boolean]>([
    ['that an authorised connection reads is own', () => undefined, true],
    ['that stays in the next list is own', ({ listAgain }) => listAgain([{ name: 'Rainy day' }]), true],
    ['of a connection that the person ended is not', ({ end }) => end(), false],
    [
      'of a connection that needs the person again is not',
      ({ put }) => put(`status = 'reauthorisation_needed'`),
      false,
    ],
    ['of a connection that is over is not', ({ put }) => put(`valid_until = '2026-11-28'`), false],
    ['that the bank no longer lists is not', ({ listAgain }) => listAgain([]), false],
    [
      'that the bank no longer lists, while another bank waits for the person, is not',
      async ({ connect, listAgain }) => {
        const other = await connect('played-journey');
        journey.accountList = local.accountList;
        await syncs.sync(other);
        await sql.run(`update bank_connections set status = 'reauthorisation_needed' where connection_id = $1`, [
          other,
        ]);
        await listAgain([]);
      },
      false,
    ],
    ['that the bank now masks is not', ({ listAgain }) => listAgain([masked]), false],
    ['that only an IBAN names is not', ({ listAgain }) => listAgain([{ ...masked, iban: IBAN }]), false],
    ['that two accounts have is not', ({ listAgain }) => listAgain([{}, { accountNumber: NUMBER }]), false],
  ])('%s, and nobody can vouch for it', async (_title, change, expected) => {
    const who = await reader({});
    const { provider_id, own_account, vouched_by } = await add(who.principal);
    expect([own_account, vouched_by]).toEqual([true, null]);
    await change(who);
    expect(await shown(who.principal, provider_id)).toBe(expected);
    expect((await add(who.principal)).own_account).toBe(expected);
    expect(await codeOf(confirm(provider_id))).toBe('payee-may-be-own');
  });

  test('that only an IBAN ever named is not own, and nobody can vouch for it', async () => {
    const who = await reader({ ...masked, iban: IBAN.replace(/(.{4})/g, '$1 ') });
    const { provider_id, own_account } = await add(who.principal);
    expect([own_account, await codeOf(confirm(provider_id))]).toEqual([false, 'payee-may-be-own']);
  });

  test('of somebody else is not own, and an application’s never is', async () => {
    await reader({});
    const other = await person();
    for (const principal of [other.principal, anyKey]) {
      const { provider_id, own_account } = await add(principal);
      expect(own_account).toBe(false);
      expect((await confirm(provider_id)).vouched_by).toBe(principal === anyKey ? 'application' : 'operator');
    }
  });
});

describe('a connection that pays', () => {
  test('the person’s own account sweeps, whoever added it, and keeps its type when the account is no longer own', async () => {
    const who = await provedReader({});
    const { provider_id } = await add(who.principal);
    const { connection_id, vrp_type } = await connectTo(provider_id, who.user_id);
    const byKey = await connectTo((await add(anyKey)).provider_id, who.user_id, anyKey);
    expect([vrp_type, byKey.vrp_type]).toEqual(['sweeping', 'sweeping']);
    await who.end();
    await authorise(services, banks, connection_id);
    await bank.reauthoriseConnection({ connection_id, principal: who.principal });
    expect(await bank.getConnection({ connection_id })).toMatchObject({ connection: { vrp_type: 'sweeping' } });
    expect((await connectTo(provider_id, who.user_id)).vrp_type).toBe('other');
  });

  test.each<[string, (userId: string) => Principal]>([
    ['the person', userOf],
    ['an application that acts for the person', (userId) => ({ ...userOf(userId), clientId: 'client_1' }) as Principal],
    ['a key with the right to vouch', () => anyKey],
  ])('a landlord, added by %s, never sweeps', async (_who, principalOf) => {
    const who = await provedReader({});
    const principal = principalOf(who.user_id);
    const landlord = await add(principal, { category: 'HOUSING', account_number: '99887766' });
    const { vrp_type } = await connectTo(landlord.provider_id, who.user_id, principal);
    expect([landlord.own_account, vrp_type]).toEqual([false, 'commercial']);
  });
});

describe('an operator who says whose own account it is', () => {
  test('makes it own for this person alone, once in the audit log, and ends vouching', async () => {
    const [who, other] = [await provedReader({}), await provedReader({})];
    const payee = await add(anyKey, { account_number: '11223344' });
    const { provider_id } = payee;
    expect(await confirm(provider_id, who.user_id)).toEqual({ ...payee, own_account: true });
    await confirm(provider_id, who.user_id);
    const audited = `select data from audit_events where subject = $1 and kind = 'payee.own-account'`;
    expect(await sql.many(audited, [provider_id])).toEqual([{ data: { owner_id: who.user_id } }]);
    const types = [who, other].map(async ({ user_id }) => (await connectTo(provider_id, user_id, anyKey)).vrp_type);
    expect(await Promise.all(types)).toEqual(['sweeping', 'other']);
    expect(await codeOf(confirm(provider_id))).toBe('payee-may-be-own');
  });

  test('is refused for an unknown person, for the payee of somebody else or of all, and for a removed payee', async () => {
    const [who, other] = [await person(), await person()];
    const [theirs, gone] = [await add(other.principal), await add(who.principal)];
    await removeProvider(services, { principal: who.principal, provider_id: gone.provider_id });
    for (const [provider_id, userId, code] of [
      [theirs.provider_id, 'usr_none', 'not-found'],
      [theirs.provider_id, who.user_id, 'other-owner'],
      ['prov_sandbox_instant', who.user_id, 'other-owner'],
      [gone.provider_id, who.user_id, 'not-found'],
      ['prov_none', who.user_id, 'not-found'],
    ] as const)
      expect(await codeOf(confirm(provider_id, userId))).toBe(code);
  });
});

describe('payments to what may be the payer’s own account', () => {
  const counted = async (user_id: string) => {
    const { credential_id } = await credentials.beginCredential({ principal: anyKey, user_id });
    await credentials.issueCredential({ credential_id });
    const { bills, payments_left_out } = await credentials.exportAsJson({ credential_id });
    return { bills, payments_left_out };
  };
  const LEFT_OUT = { code: 'no-payment-history', payments_left_out: 1 };
  const PAYING = { sort_code: '20-71-06', account_number: '44417021' };

  test.each<[string, Partial<PayeeRequest>, (who: Reader, providerId: string) => unknown]>([
    ['that a connection reads', {}, () => undefined],
    ['that a connection once read', {}, ({ end }) => end()],
    ['that had the number of another', {}, ({ listAgain }) => listAgain([{}, { accountNumber: NUMBER }])],
    [
      'that a connection once paid from',
      PAYING,
      async ({ user_id, principal }) => {
        const { connection_id } = await connectTo((await add(anyKey)).provider_id, user_id, anyKey);
        await authorise(services, banks, connection_id);
        await bank.disconnectBank({ connection_id, principal });
      },
    ],
    [
      'that an operator named',
      { account_number: '10203040' },
      async ({ user_id }, providerId) => confirm(providerId, user_id),
    ],
  ])('count in no credential: an account %s; in a debt plan they count', async (_which, account, change) => {
    const [who, other] = [await provedReader({}), await person()];
    const { provider_id, vouched_by } = await add(anyKey, account);
    expect(vouched_by).toBe('application');
    await change(who, provider_id);
    const debt = { name: 'Card', balance: 100_000, rate: 0, minimum: 0, provider_id };
    const plan = { principal: anyKey, user_id: who.user_id, debts: [debt], monthly_budget: 10_000 };
    const made = JSON.parse(Buffer.from((await debts.createDebtPlan(plan)).json).toString()) as { plan_id: string };
    for (const owner of [who.user_id, other.user_id]) await payBill(services, house, { owner, payee: provider_id });
    expect(await refusal(counted(who.user_id))).toMatchObject(LEFT_OUT);
    expect(await counted(other.user_id)).toEqual({ bills: 1, payments_left_out: 0 });
    expect((await debts.readDebtProgress(made)).progress.paid_to_date).toBe(1_000);
  });
});
