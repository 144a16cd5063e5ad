import { paymentActivities } from '../../activities/payments/index.ts';
import { LOGIN_SCOPES, SCOPES } from '../../domain/auth.ts';
import { startApi } from '../helpers/api.ts';
import { movableClock } from '../helpers/clock.ts';
import { fund } from '../helpers/money.ts';
import { bankIdOf, playedBank } from '../helpers/played-bank.ts';
import { startSigning, type Signing } from '../helpers/signing.ts';

const START = '2026-11-23T09:30:00.000Z';
const clock = movableClock();
const bank = playedBank();
let signing: Signing;
afterAll(() => signing.stop());
const api = startApi({ clock, bank, env: { CREDENTIAL_SIGN_WITHIN_MS: '20000' } });

beforeAll(async () => {
  await paymentActivities(api.services).ensureSandboxPayees();
  signing = await startSigning(api.services);
});
beforeEach(() => clock.set(START));

interface Payer {
  token: string;
  owner: string;
}

async function person(): Promise<Payer> {
  const user = await api.registerUser();
  return { token: user.token, owner: user.userId };
}

async function ownPayee({ token }: Payer, account_number = '31926819'): Promise<string> {
  const body = { name: 'Me Myself', category: 'HOUSING', sort_code: '401276', account_number };
  return String((await api.post('/api/v1/payments/providers', { token, body })).body.provider_id);
}

async function pays(payer: Payer, provider_id: string, amount: number, due_date?: string): Promise<void> {
  const { allocationId: vault_allocation_id } = await fund(api.services, payer.owner, amount);
  const body = {
    vault_allocation_id,
    amount,
    currency: 'GBP',
    provider_id,
    ...(due_date !== undefined && { due_date }),
  };
  const { status, body: payment } = await api.post('/api/v1/payments/execute', { token: payer.token, body });
  expect(status).toBe(201);
  const payment_id = String(payment.payment_id);
  const bankPaymentId = bankIdOf({ paymentId: payment_id, attempt: 1 });
  bank.answers = [{ kind: 'accepted', bankPaymentId, status: 'ACSC', reason: null }];
  await paymentActivities(api.services).submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
}

const generate = ({ token, owner }: Payer, period_months = 36) =>
  api.post('/api/v1/credential/generate', { token, body: { user_id: owner, period_months } });

test('24 payments of a penny to one’s own payee within seconds give no credential', async () => {
  const payer = await person();
  const payee = await ownPayee(payer);
  for (let paid = 0; paid < 24; paid += 1) await pays(payer, payee, 1);
  expect(await generate(payer)).toMatchObject({
    status: 422,
    body: { code: 'no-payment-history', payments_left_out: 24 },
  });
});

test('24 payments of a penny to a vouched payee give no credential either', async () => {
  const payer = await person();
  for (let paid = 0; paid < 24; paid += 1) await pays(payer, 'prov_sandbox_instant', 1);
  // A bill counts only if its payments in a month come to at least a pound.
  expect(await generate(payer)).toMatchObject({
    status: 422,
    body: { code: 'no-payment-history', payments_left_out: 0 },
  });
});

test('24 payments of a pound in one day score 142 at most, and the period shows that it was one day', async () => {
  const payer = await person();
  for (let paid = 0; paid < 24; paid += 1) await pays(payer, 'prov_sandbox_instant', 100);
  expect(await generate(payer)).toMatchObject({
    status: 201,
    body: {
      reliability_score: 142,
      bills: 1,
      payees: 1,
      months_covered: 1,
      total_payments: 24,
      total_paid: 2_400,
      period: '2026-11-23 to 2026-11-23',
    },
  });
});

test('payments of one day with due dates over a year do not count as a year of bills', async () => {
  const payer = await person();
  // The strongest form of the attack: payments of a pound to an account that an application vouches for.
  for (let month = 0; month < 12; month += 1) {
    const due = new Date(Date.UTC(2026, 11 + month, 20)).toISOString().slice(0, 10);
    await pays(payer, 'prov_sandbox_instant', 100, due);
    await pays(payer, 'prov_sandbox_instant', 100, due);
  }
  clock.set('2027-11-23T09:00:00.000Z');
  const { body, status } = await generate(payer, 12);
  expect(status).toBe(201);
  expect(body).toMatchObject({ bills: 1, months_covered: 1, period: '2026-11-23 to 2027-11-23' });
  expect(body.reliability_score).toBeLessThanOrEqual(142);
});

test('only payees of a key that may vouch count', async () => {
  const payer = await person();
  const vouching = await api.apiKey(SCOPES);
  const other = await api.apiKey(LOGIN_SCOPES);
  const body = { name: 'Northern Energy Ltd', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' };
  const added = async (token: string) =>
    (await api.post('/api/v1/payments/providers', { token, body })).body.vouched_by;
  expect([await added(vouching), await added(other), await added(payer.token)]).toEqual(['application', null, null]);
});
