import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createKeyFile } from '../../../infra/keys/key-file.ts';
import { accountsOf, paymentsOf } from '../../helpers/activities.ts';
import { withHouse } from '../../helpers/banks.ts';
import { movableClock } from '../../helpers/clock.ts';
import { authorise, connectionsOf } from '../../helpers/connections.ts';
import { withDatabase } from '../../helpers/database.ts';
import { testEnvironment } from '../../helpers/environment.ts';
import { expectSoundLedger, userOf } from '../../helpers/money.ts';
import { sqlOf } from '../../helpers/oauth.ts';
import { paydaysOf, storePaydaySplit, type Entry } from '../../helpers/paydays.ts';
import { playedBank } from '../../helpers/played-bank.ts';
import { playedBanks } from '../../helpers/played-banks.ts';

/* Why a payday in production leaves a bill out, and that it then moves no penny of it. */

const [played, clock] = [playedBanks(), movableClock()];
const env = {
  RINGFENCE_ENV: 'production',
  LIMIT_PAYMENT: '90000',
  MASTER_KEY_FILE: join(testEnvironment().dir, 'keys', `left-out-${randomUUID()}.json`),
};
beforeAll(() => createKeyFile(env.MASTER_KEY_FILE));
afterEach(() => expectSoundLedger(services));
const services = withDatabase({ banks: withHouse(played, playedBank()), clock, env });
const [payments, bank, paydays, sql] = [
  ...[paymentsOf(services), connectionsOf(services)],
  ...[paydaysOf(services), sqlOf(services)],
] as const;
beforeEach(() => clock.set('2026-11-29T12:00:00Z'));
let people = 0;

async function person() {
  const email = `left-out-${(people += 1)}@example.org`;
  const { user_id } = await accountsOf(services).registerUser({ email, password: 'seven green lanterns' });
  const principal = userOf(user_id);
  await sql.run('update users set email_verified_at = now() where user_id = $1', [user_id]);
  const payee = async (account_number: string) => {
    const account = { name: 'Energy', category: 'UTILITIES', sort_code: '401276', account_number } as const;
    return (await payments.addProvider({ principal, ...account })).provider_id;
  };
  const [provider_id, other] = [await payee('12345678'), await payee('87654321')];
  const connect = async (to: string, limits: object) => {
    const wanted = { user_id, bank_id: 'played-local', kind: 'payments', provider_id: to, principal } as const;
    const all = { per_payment: 80_000, per_month: 150_000, ...limits };
    const { connection_id } = await bank.connectBank({ ...wanted, limits: all });
    await authorise(services, played, connection_id);
    return connection_id;
  };
  return { user_id, principal, provider_id, other, connect };
}

type Person = Awaited<ReturnType<typeof person>>;

interface Case {
  entry?: Entry;
  /** The limits of a connection to the payee, to another payee, or null for none. */
  connected?: object | 'to another' | null;
  /** Before the second payday. */
  before?: (of: Person, connectionId: string) => Promise<unknown>;
}

const user =
  (change: string) =>
  ({ user_id }: Person) =>
    sql.run(`update users set ${change} where user_id = $1`, [user_id]);

/** The first wage sets half of the bill aside, so the second needs the lots of both. */
test.each<[string, string, Case]>([
  ['paid', 'nothing stands against it', {}],
  ['paid', 'it is within the limits to the penny', { connected: { per_payment: 60_000, per_month: 60_000 } }],
  ['vault-short', 'a penny is missing', { entry: { pay_amount: 60_001 } }],
  ['bank-not-connected', 'another payee is connected', { connected: 'to another' }],
  [
    ...(['bank-not-connected', 'the connection has ended'] as const),
    { before: ({ principal }, connection_id) => bank.disconnectBank({ connection_id, principal }) },
  ],
  ['exceeds-consent-limit', 'it is more than one payment may be', { connected: { per_payment: 59_999 } }],
  [
    ...(['exceeds-consent-limit', 'the month has too little left'] as const),
    { connected: { per_payment: 60_000, per_month: 119_999 }, entry: { pay_day: null, amount: 60_000 } },
  ],
  ['exceeds-payment-limit', 'the operator allows less', { entry: { amount: 50_000, pay_amount: 90_001 } }],
  ['email-not-verified', 'nobody proved the address', { before: user('email_verified_at = null') }],
  ['authority-ended', 'the account is disabled', { before: user('disabled_at = now()') }],
  ['authority-ended', 'a key set the entry that there is no more', { entry: { set_by: 'key_gone' } }],
  ['authority-ended', 'a client set the entry without a grant', { entry: { client_id: 'client_gone' } }],
  ['starts-next-month', 'the payee was paid this month', { entry: { pays_from: '2026-12-02' } }],
  [
    ...(['unknown-provider', 'the payee was removed'] as const),
    { before: ({ principal, provider_id }) => payments.removeProvider({ principal, provider_id }) },
  ],
  ['income-not-evidenced', 'the house account would have to pay', { connected: null }],
])('%s: %s', async (expected, _why, { entry = {}, connected = {}, before }) => {
  const of = await person();
  const { user_id, provider_id, other } = of;
  const limits = typeof connected === 'object' ? connected : {};
  const connection = limits === null ? '' : await of.connect(connected === 'to another' ? other : provider_id, limits);
  await storePaydaySplit(services, user_id, [
    { amount: 30_000, pay_amount: 60_000, provider_id, pay_day: 1, ...entry },
  ]);
  await paydays.payday(user_id, 100_000);
  await before?.(of, connection);
  const moved = async () =>
    (
      await sql.many<{ kind: string }>(
        `select kind from ledger_transfers where owner_id = $1 and kind <> 'paycheck' order by kind`,
        [user_id],
      )
    ).map(({ kind }) => kind);
  const earlier = await moved();
  const { payments: made, left_out } = await paydays.payday(user_id, 100_000);
  const amount = entry.pay_amount ?? 60_000;
  const left = { type: 'Bill 1', amount, reason: expected };
  expect([made.length, left_out]).toEqual(expected === 'paid' ? [1, []] : [0, [left]]);
  expect(await moved()).toEqual(expected === 'paid' ? [...earlier, 'payment', 'transfer'] : earlier);
});
