import type { Banks } from '../../infra/bank/interface.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { syncsOf } from '../helpers/bank-books.ts';
import { peopleOf, withSandboxBanks } from '../helpers/bank-people.ts';
import { withDatabase } from '../helpers/database.ts';
import { balancesOf, expectSoundLedger, fund } from '../helpers/money.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { overdue } from '../helpers/overdue.ts';
import { AMOUNT, BACK, FUNDS, PAID } from '../helpers/paying.ts';
import { until } from '../helpers/until.ts';

/* What `kill -9` of a worker does to a payment over a person's connection, by the sandbox bank's own list of movements. */

const at = withSandboxBanks();
afterAll(() => expectSoundLedger(services));
const services = withDatabase({ banks: at.banks });
const [payments, newPerson, sql] = [paymentsOf(services), peopleOf(services, at), sqlOf(services)];
beforeAll(() => payments.ensureSandboxPayees());

async function payer() {
  const person = await newPerson();
  const { user_id, principal, bank, authorise, reauthorise, status } = person;
  const provider_id = 'prov_sandbox_instant';
  const asked = { user_id, bank_id: 'sandbox', kind: 'payments', provider_id, principal } as const;
  const limits = { per_payment: FUNDS, per_month: FUNDS };
  const { connection_id } = await bank.connectBank({ ...asked, limits });
  expect(await authorise(connection_id, user_id, IN_POUNDS)).toMatchObject({ kind: 'authorised' });
  const { allocationId: vault_allocation_id } = await fund(services, user_id, FUNDS);
  const order = { principal, vault_allocation_id, amount: AMOUNT, currency: 'GBP', provider_id } as const;
  const { payment_id } = await payments.executePayment({ ...order, reference: 'RENT 42' });
  return {
    ...person,
    payment_id,
    status: () => status(connection_id),
    renew: () => reauthorise(connection_id),
    revoke: async () => {
      const [{ consent_ref } = {}] = await sql.many<{ consent_ref: string }>(
        'select consent_ref from bank_connections join bank_consents using (consent_id) where connection_id = $1',
        [connection_id],
      );
      await at.sandbox('POST', `consents/${consent_ref}/revoke`);
    },
    balances: () => balancesOf(services, user_id),
  };
}

const IN_POUNDS = { per_payment: '1000.00', per_month: '1000.00', valid_until: '' };

/** The next worker, to which the token that it finds is over. */
const renewing = () => {
  const again = at.banks.all.map((bank) => ({ ...bank, port: { ...bank.port, pay: overdue(bank.port.pay) } }));
  const banks: Banks = { ...at.banks, all: again, find: (id) => again.find(({ bankId }) => bankId === id) };
  return paymentsOf({ ...services, banks });
};

async function killedAt(moment: string) {
  const person = await payer();
  const { payment_id } = person;
  expect(await at.killed('payment', services, payment_id, moment)).toBe('SIGKILL');
  await sql.run('update bank_consents set lease_until = now() where lease_id is not null');
  const ref = { payment_id, attempt: 1 };
  return {
    ...person,
    submit: (by = payments) => by.submitPayment({ ...ref, settle_within_ms: 500 }),
    async expectPaidOnce() {
      await until(async () => (await payments.checkPayment(ref)) === 'completed', 'the payment to be completed');
      expect(await person.balances()).toMatchObject(PAID);
      expect(await at.movements(payment_id)).toMatchObject([{ amount: AMOUNT, direction: 'out' }]);
    },
  };
}

test.each(['before the order is sent', 'the bank has answered', 'the new token came'])(
  'a worker killed when %s: the next one pays, and by the list of the bank once',
  async (moment) => {
    const { submit, expectPaidOnce } = await killedAt(moment);
    await submit();
    await expectPaidOnce();
  },
);

test('a token lost with a killed worker takes the person to renew the connection, and then the bank pays once', async () => {
  const { submit, status, renew, expectPaidOnce, payment_id } = await killedAt('the new token came');
  // The sandbox bank takes no refresh token twice, and an earlier call may have arrived.
  expect(await submit(renewing())).toEqual({ outcome: 'unknown', status: 'processing' });
  expect([await status(), await at.movements(payment_id)]).toEqual(['reauthorisation_needed', []]);
  await renew();
  await submit(renewing());
  await expectPaidOnce();
});

test('a worker killed while it asks for a revoked consent has sent nothing that the bank took, and the money stays safe', async () => {
  const { payment_id, revoke } = await payer();
  await revoke();
  expect(await at.killed('payment', services, payment_id, 'the consent is read')).toBe('SIGKILL');
  const again = await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  // The first call may have arrived, as far as the next worker knows.
  expect(again).toEqual({ outcome: 'unknown', status: 'processing' });
  expect(await at.movements(payment_id)).toEqual([]);
});

test('a consent revoked at the bank in mid-payment fails it for want of a consent, and the connection shows it', async () => {
  const { payment_id, revoke, status, balances } = await payer();
  await revoke();
  const sent = await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  expect(sent).toEqual({ outcome: 'settled', status: 'failed' });
  const { payment } = await payments.getPayment({ payment_id });
  expect([payment.failure, await status()]).toMatchObject([{ code: 'CONSENT', retryable: true }, 'revoked']);
  expect([await balances(), await at.movements(payment_id)]).toMatchObject([BACK, []]);
});

test('a worker killed while it looks for payments in the books of the bank: the next one finds and marks each once', async () => {
  const { payment_id, credit, connect, sync } = await payer();
  await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 500 });
  await until(async () => (await payments.checkPayment({ payment_id, attempt: 1 })) === 'completed', 'the payment');
  // The bank books the payment twice.
  await credit(-AMOUNT, { payer: undefined, reference: 'RENT 42' });
  const connection_id = await connect('sandbox');
  await syncsOf(services).request(connection_id);
  for (const moment of ['a payment is being marked', 'payments are found'])
    expect([moment, await at.killed('sync', services, connection_id, moment)]).toEqual([moment, 'SIGKILL']);
  for (let again = 0; again < 2; again += 1) await sync(connection_id);
  const { attention, reconciliation } = (await payments.getPayment({ payment_id })).payment;
  expect([attention, reconciliation.status]).toEqual([true, 'pending']);
  const marks = `select 1 from audit_events where subject = $1 and kind = 'payment.attention'`;
  expect(await sql.many(marks, [payment_id])).toHaveLength(1);
});
