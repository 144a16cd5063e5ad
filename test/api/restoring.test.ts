import { setTimeout as sleep } from 'node:timers/promises';
import { paymentsOf } from '../helpers/activities.ts';
import { startApi } from '../helpers/api.ts';
import { TEST_FAMILY } from '../helpers/database.ts';
import { lateBank } from '../helpers/late-bank.ts';
import { paymentJob, startWorkflow } from '../../infra/temporal/start.ts';
import { expectSoundLedger, fund, userOf } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';
import { startPaying, type Paying } from '../helpers/payments.ts';
import { problem } from '../helpers/problem.ts';
import { until } from '../helpers/until.ts';

const bank = lateBank();
let paying: Paying;
// The worker must stop before the API stops.
afterAll(async () => {
  await expectSoundLedger(api.services);
  await paying.stop();
});
const api = startApi({ bank });
const payments = paymentsOf(api.services);
let user: { userId: string; token: string };

beforeAll(async () => {
  paying = await startPaying(api.services, bank);
  user = await api.registerUser();
  const family = `insert into token_families (family_id, user_id, scopes, created_at, expires_at)
    values ('${TEST_FAMILY}', $1, '{}', now(), now() + interval '1 day')`;
  await ownerSql(api.services, family, [user.userId]);
});
beforeEach(async () => {
  await ownerSql(
    api.services,
    `insert into restores (restore_id, state, noticed_at) values ('rst_1', 'noticed', now())`,
  );
  await api.services.restoring.look();
});
const release = async () => {
  await ownerSql(api.services, 'delete from restores');
  await api.services.restoring.look();
};
afterEach(release);

const refused = { ...problem(503, 'restoring'), headers: { 'retry-after': '60' } };
const html = { accept: 'text/html' };

test.each([
  ['POST', '/api/v1/auth/register'],
  ['POST', '/api/v1/payments/execute'],
  ['PUT', '/api/v1/engine/standing-split/usr_any'],
  ['DELETE', '/api/v1/vault/pii_any'],
])('%s %s gets 503 on a restored database, before anything is checked', async (method, path) => {
  expect(await api.request(method, path, { body: '{' })).toMatchObject(refused);
});

test.each(['/api/v1/auth/authorize?client_id=c', '/api/v1/bank/callback?state=s&code=c'])(
  'a browser that opens %s gets a page that says so, because it would store something',
  async (path) => {
    const page = await api.get(path, { headers: html });
    expect(page).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect(page.text).toContain('Not available right now');
  },
);

test('an OAuth client gets an error that it knows', async () => {
  const answer = await api.post('/api/v1/auth/token', { body: 'a=b' });
  expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
});

test('requests that read get their answer, and readiness says that the database was restored', async () => {
  expect(await api.get('/api/v1/auth/me', user)).toMatchObject({ status: 200 });
  expect(await api.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', restoring: true } });
  await release();
  expect((await api.get('/readyz')).body).toEqual({ status: 'ready' });
});

async function order(): Promise<string> {
  const { allocationId: vault_allocation_id } = await fund(api.services, user.userId, 5_000, { caused: true });
  const bill = { vault_allocation_id, amount: 5_000, currency: 'GBP', provider_id: 'prov_sandbox_instant' } as const;
  return (await payments.executePayment({ principal: userOf(user.userId), ...bill })).payment_id;
}

test('neither a message that waits nor a workflow that runs sends a payment before the restore has ended', async () => {
  const [waiting, running] = [await order(), await order()];
  const sending = payments.submitPayment({ payment_id: waiting, attempt: 1, settle_within_ms: 0 });
  await expect(sending).rejects.toMatchObject({ code: 'restoring' });
  const begun = { payment_id: running, attempt: 1, execute_on: null, owner_id: user.userId, status: 'processing' };
  await startWorkflow(paying.client, paymentJob(begun, false));
  await sleep(1_500);
  const attempts = await ownerSql(api.services, 'select distinct submission, sends from payment_attempts');
  expect(attempts).toEqual([{ submission: 'none', sends: 0 }]);
  for (const id of [waiting, running]) expect(await paying.sandboxBank.movements(id)).toEqual([]);

  await release();
  const isPaid = async () => (await api.get(`/api/v1/payments/${waiting}`, user)).body.status === 'completed';
  await until(isPaid, 'the payment to be completed');
  expect(await paying.sandboxBank.movements(waiting)).toHaveLength(1);
});
