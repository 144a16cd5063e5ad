import type { Principal } from '../../domain/auth.ts';
import { accountsOf, paymentsOf } from '../helpers/activities.ts';
import { testConfig } from '../helpers/environment.ts';
import { fund, userOf } from '../helpers/money.ts';
import { codeOf, newOwner, refusal, withPayments } from '../helpers/paying.ts';

const { bank, clock, services } = withPayments();
const auth = accountsOf(services);

const limitedTo = (owner: number, app = 1_000) => {
  const env = { LIMIT_OWNER_PAYMENT_COUNT_PER_DAY: `${owner}`, LIMIT_APP_PAYMENT_COUNT_PER_DAY: `${app}` };
  return paymentsOf({ ...services, config: testConfig(services.config.database.url, env) });
};

async function payer(payments: ReturnType<typeof limitedTo>, owner: string, principal: Principal = userOf(owner)) {
  const { allocationId: vault_allocation_id } = await fund(services, owner, 500_000);
  const order = { vault_allocation_id, currency: 'GBP', provider_id: 'prov_sandbox_instant', amount: 1 } as const;
  const execute = (more: { execute_on?: string; principal?: Principal } = {}) =>
    payments.executePayment({ principal, ...order, ...more });
  return { principal, execute };
}

async function newKey(): Promise<Principal> {
  const { app_id } = await auth.createApplication({ name: 'Test' });
  const { key } = await auth.issueApiKey({ app_id, scopes: ['write:payments'] });
  return auth.authenticate({ token: key });
}

const exceeds = (limit_kind: string, limit: number, used = limit) => ({
  ...{ code: 'exceeds-payment-limit', limit_kind, limit, used },
});
const done = (outcomes: readonly unknown[]) => outcomes.filter((outcome) => outcome === 'done').length;

test('a payment counts on the London day on which it goes out, and a retry on its own day', async () => {
  const payments = limitedTo(3);
  const { principal, execute } = await payer(payments, newOwner());
  clock.set('2026-11-25T23:59:00Z');
  const { payment_id } = await execute();
  await execute({ execute_on: '2026-11-26' });
  bank.answers = [{ kind: 'refused', reason: { code: 'AM04', detail: 'no funds' } }];
  await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  await payments.retryPayment({ principal, payment_id });
  await execute();
  expect(await refusal(execute())).toEqual(exceeds('owner-count', 3));
  clock.set('2026-11-26T00:00:00Z');
  await execute();
  await execute();
  expect(await refusal(execute())).toEqual(exceeds('owner-count', 3));
});

test('a refused payment and a second submission of one attempt do not count, and a cancelled payment does', async () => {
  const payments = limitedTo(2);
  const { principal, execute } = await payer(payments, newOwner());
  expect(await codeOf(execute({ execute_on: '2020-01-01' }))).toBe('execution-date-out-of-range');
  const { payment_id } = await execute();
  bank.answers = [{ kind: 'not-accepted', detail: 'busy', until: null }];
  const submit = () => payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  await submit();
  await submit();
  const later = await execute({ execute_on: '2026-11-27' });
  await payments.cancelPayment({ principal, payment_id: later.payment_id });
  await execute({ execute_on: '2026-11-27' });
  expect(await refusal(execute({ execute_on: '2026-11-27' }))).toEqual(exceeds('owner-count', 2));
  expect(await codeOf(execute())).toBe('done');
});

test('clients and keys of a person together use at most half, and the person all', async () => {
  const person = services.newId('usr');
  const payments = limitedTo(5);
  const key = await newKey();
  const { execute } = await payer(payments, person);
  const other = await newKey();
  await execute({ principal: key });
  await execute({ principal: other });
  expect(await refusal(execute({ principal: key }))).toEqual(exceeds('delegated-count', 2));
  for (let n = 0; n < 3; n += 1) await execute();
  expect(await refusal(execute())).toEqual(exceeds('owner-count', 5));
});

test('of forty at once of one owner, exactly the allowed ones are made', async () => {
  const { execute } = await payer(limitedTo(17), newOwner());
  expect(done(await Promise.all(Array.from({ length: 40 }, () => codeOf(execute()))))).toBe(17);
});

test.each([1, 17, 33])('of forty at once of as many owners of one application, exactly %d are made', async (most) => {
  const payments = limitedTo(10, most);
  const key = await newKey();
  const payers = await Promise.all(Array.from({ length: 40 }, () => payer(payments, newOwner(), key)));
  expect(done(await Promise.all(payers.map(({ execute }) => codeOf(execute()))))).toBe(most);
  expect(await refusal(payers[0]!.execute())).toMatchObject(exceeds('application-count', most));
  const other = await payer(payments, newOwner(), await newKey());
  expect(await codeOf(other.execute())).toBe('done');
});
