import { cancelPendingPayments } from '../../../activities/payments/pending.ts';
import { endFamilies } from '../../../infra/db/queries/sign-in.ts';
import { LOGIN_SCOPES } from '../../../domain/auth.ts';
import { accountsOf } from '../../helpers/activities.ts';
import { newClient, sqlOf } from '../../helpers/oauth.ts';
import { ownerSql } from '../../helpers/owner.ts';
import { paydaysOf, storePaydaySplit } from '../../helpers/paydays.ts';
import { newOwner, paymentOf, withPayments } from '../../helpers/paying.ts';

/* In whose name a payday pays, and that it pays no longer than they may. */

const { bank, clock, services, payments } = withPayments();
const [auth, paydays, sql] = [accountsOf(services), paydaysOf(services), sqlOf(services)];
let people = 0;

interface Setter {
  owner: string;
  authority: { set_by: string; client_id?: string; family_id?: string };
  end: () => Promise<unknown>;
}

async function client(): Promise<Setter> {
  const who = { email: `set-by-${(people += 1)}@example.org`, password: 'seven green lanterns' };
  const { user_id: owner } = await auth.registerUser(who);
  const { clientId: client_id } = await newClient(services);
  const grant = { user_id: owner, client_id, session_hash: null, scopes: LOGIN_SCOPES };
  const { familyId: family_id } = await auth.beginFamily(grant, new Date());
  const end = () => services.db.run(endFamilies({ family_id }, new Date(), 'revoked'));
  return { owner, authority: { set_by: owner, client_id, family_id }, end };
}

async function key(): Promise<Setter> {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const { key_id } = await auth.issueApiKey({ app_id, scopes: ['write:payments'] });
  const owner = newOwner();
  await ownerSql(services, 'select owner_bind($1, $2)', [owner, app_id]);
  return { owner, authority: { set_by: key_id }, end: () => auth.revokeApiKey({ key_id }) };
}

describe.each([
  ['an OAuth client', client],
  ['an API key', key],
])('an entry that %s set', (_who, setter) => {
  const scheduled = async ({ owner, authority }: Setter) => {
    const entry = { provider_id: 'prov_sandbox_instant', pay_day: 1, ...authority };
    await storePaydaySplit(services, owner, [entry]);
    const payday = await paydays.payday(owner, 50_000);
    clock.set('2026-12-01T12:00:00Z');
    return payday;
  };

  test('is paid in their name, on its day', async () => {
    const by = await setter();
    const { payments: made } = await scheduled(by);
    const payment = paymentOf(services, bank, made[0]!);
    const ordered = 'select requested_by as set_by, client_id, family_id from payment_attempts where payment_id = $1';
    expect(await sql.many(ordered, [made[0]])).toMatchObject([by.authority]);
    await payment.submit();
    expect(payment.sent()).toBe(1);
  });

  test('is left out once they may no longer pay', async () => {
    const by = await setter();
    await by.end();
    expect(await scheduled(by)).toMatchObject({ payments: [], left_out: [{ reason: 'authority-ended' }] });
  });

  test('fails on its day if they may no longer pay then', async () => {
    const by = await setter();
    const { payments: made } = await scheduled(by);
    const payment = paymentOf(services, bank, made[0]!);
    await by.end();
    await payment.submit();
    expect([await payment.read(), payment.sent()]).toMatchObject([
      { status: 'failed', failure: { code: 'owner-of-another-application', retryable: true } },
      0,
    ]);
  });
});

test('a bill whose payment a new password cancels is paid once the split goes on', async () => {
  const { owner, authority } = await client();
  const bill = { provider_id: 'prov_sandbox_instant', pay_day: 1, pay_amount: 5_000, ...authority };
  const [entryId] = await storePaydaySplit(services, owner, [bill]);
  await paydays.payday(owner, 50_000);
  const password = { familyIds: [authority.family_id!], actor: owner, detail: 'Test' };
  await services.db.transaction((tx) => cancelPendingPayments(tx, services, { ownerId: owner, ...password }));
  await paydays.payday(owner, 50_000);
  const [first, second] = await paydays.payments(owner);
  expect([first, second]).toMatchObject([{ status: 'cancelled' }, { status: 'pending', due_date: first!.due_date }]);
  const months = 'select count(month)::int as paid from payday_bills where entry_id = $1';
  expect(await sql.many(months, [entryId])).toEqual([{ paid: 1 }]);
});

test('an entry of a key does not pay a payee of another application', async () => {
  const [by, other] = [await key(), await key()];
  const [, app] = await Promise.all([by, other].map(({ authority }) => appOf(authority.set_by)));
  const principal = {
    kind: 'api_key',
    keyId: 'k',
    appId: app!,
    lineage: 'k',
    environment: 'sandbox',
    scopes: [],
  } as const;
  const account = { name: 'Mallory', category: 'OTHER', sort_code: '401276', account_number: '12345678' } as const;
  const { provider_id } = await payments.addProvider({ principal, ...account });
  await storePaydaySplit(services, by.owner, [{ provider_id, ...by.authority }]);
  expect(await paydays.payday(by.owner, 50_000)).toMatchObject({ left_out: [{ reason: 'unknown-provider' }] });
});

async function appOf(keyId: string): Promise<string> {
  const [row] = await sql.many<{ app_id: string }>('select app_id from api_keys where key_id = $1', [keyId]);
  return row!.app_id;
}
