import { lockConnection, needReauthorisation, resumeAuthorisation } from '../../activities/bank/record.ts';
import type { SubmitOutcome } from '../../domain/bank/payments.ts';
import { BankError, type ConsentState } from '../../infra/bank/interface.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { withHouse } from '../helpers/banks.ts';
import { movableClock } from '../helpers/clock.ts';
import { authorise, connectionsOf } from '../helpers/connections.ts';
import { withDatabase } from '../helpers/database.ts';
import { balancesOf, expectSoundLedger, fund, userOf } from '../helpers/money.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { AMOUNT, BACK, FUNDS, IN_FLIGHT, paymentOf } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { playedBanks } from '../helpers/played-banks.ts';
import { registerPerson } from '../helpers/proved.ts';
import { unguarded } from '../helpers/owner.ts';

/* How a payment is sent over a person's connection. The consent begins on 2026-11-29. */

const [bank, houseBank, clock, played] = [playedBank(), playedBank(), movableClock(), playedBanks()];
Object.assign(played.local, { pay: bank.pay, payment: bank.payment });
afterEach(() => expectSoundLedger(services));
const services = withDatabase({ banks: withHouse(played, houseBank), clock });
const [payments, connections, sql] = [paymentsOf(services), connectionsOf(services), sqlOf(services)];
const at = (instant: string) => {
  clock.set(instant);
  return services.clock.now(services.db);
};
beforeAll(() => payments.ensureSandboxPayees());
beforeEach(async () => {
  await at('2026-11-29T12:00:00Z');
  for (const each of [bank, houseBank])
    Object.assign(each, { answers: [], submitted: [], says: { status: 'ACSP', reason: null, returned: null } });
  played.local.failure = null;
});

const ACCOUNT = { name: 'Old name', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' } as const;

/** A person with `FUNDS`, and a connection that pays one payee. */
async function payer() {
  const { user_id, principal } = await registerPerson(services);
  const { provider_id } = await payments.addProvider({ principal, ...ACCOUNT });
  const limits = { per_payment: AMOUNT, per_month: AMOUNT };
  const wanted = { user_id, bank_id: 'played-local', kind: 'payments', provider_id, principal, limits } as const;
  const { connection_id } = await connections.connectBank(wanted);
  await authorise(services, played, connection_id);
  const { allocationId: vault_allocation_id } = await fund(services, user_id, FUNDS);
  const order = { principal, vault_allocation_id, amount: AMOUNT, currency: 'GBP', provider_id } as const;
  const rowOf = async () => (await connections.getConnection({ connection_id })).connection;
  return {
    ...{ user_id, principal, provider_id, connection_id },
    async pay(more: object = {}) {
      const { payment_id } = await payments.executePayment({ ...order, ...more });
      return paymentOf(services, bank, payment_id, 'played-local');
    },
    balances: () => balancesOf(services, user_id),
    status: async () => (await rowOf()).status,
    end: () => connections.disconnectBank({ connection_id, principal }),
    change: (change: typeof needReauthorisation) =>
      services.db.transaction(async (tx) =>
        change(await lockConnection(tx, connection_id), services, { actor: 'service' }),
      ),
    /** What the bank says when asked about the consent. */
    atBank(state: ConsentState | 'away') {
      if (state === 'away') played.local.failure = new BankError('away', 'played');
      else for (const consent of played.local.consents.values()) consent.state = state;
    },
  };
}

const NO_CONSENT = { kind: 'no-consent', detail: '' } as const;
const OVER = { kind: 'over-limit', detail: '' } as const;
const UNKNOWN = { kind: 'unknown', detail: '' } as const;
const DAY_MS = 86_400_000;
const notUntil = (ms: number) => ({ kind: 'not-accepted', detail: '', until: new Date(Date.now() + ms) }) as const;

type Sent = [what: string, answer: SubmitOutcome, atBank: ConsentState | 'away', result: string, connection: string];
const SENT: Sent[] = [
  ['a limit of the consent', OVER, 'authorised', 'failed LIMIT', 'authorised'],
  ['no consent, which was revoked there', NO_CONSENT, 'revoked', 'failed CONSENT', 'revoked'],
  ['no consent, which it does not know', NO_CONSENT, 'unknown', 'failed CONSENT', 'revoked'],
  ['no consent, which expired there', NO_CONSENT, 'expired', 'failed CONSENT', 'expired'],
  ['no consent, of which the token is over', NO_CONSENT, 'reauthorise', 'failed CONSENT', 'reauthorisation_needed'],
  ['no consent, which it says is good', NO_CONSENT, 'authorised', 'pending', 'authorised'],
  ['no consent, and is away when asked', NO_CONSENT, 'away', 'pending', 'authorised'],
  ['a wait of a day', notUntil(DAY_MS), 'authorised', 'pending 3600000', 'authorised'],
  ['a wait that is over', notUntil(-DAY_MS), 'authorised', 'pending 0', 'authorised'],
  ['nothing that proves anything', UNKNOWN, 'authorised', 'processing', 'authorised'],
];

test.each(SENT)(
  'a bank that answers with %s: nothing is lost or paid twice',
  async (_what, answer, state, result, after) => {
    const { pay, atBank, status, balances } = await payer();
    const payment = await pay();
    atBank(state);
    bank.answers = [answer];
    const { wait_ms, ...told } = await payment.submit();
    const { failure } = await payment.read();
    const said = [told.status, failure?.code, wait_ms].filter((part) => part !== undefined && part !== null);
    expect([said.join(' '), await status()]).toEqual([result, after]);
    expect(failure?.retryable ?? true).toBe(true);
    expect(await balances()).toMatchObject(told.status === 'failed' ? BACK : IN_FLIGHT);
  },
);

test.each(SENT)('after a call that may have arrived, %s leaves the money in flight', async (_what, answer, state) => {
  const { pay, atBank, balances } = await payer();
  const payment = await pay();
  bank.answers = [UNKNOWN, answer];
  await payment.submit();
  atBank(state);
  expect(await payment.submit()).toMatchObject({ outcome: 'unknown', status: 'processing' });
  expect(await balances()).toMatchObject(IN_FLIGHT);
  played.local.failure = null;
  // The bank reports what it did with the first call.
  await payment.tell('ACSC');
  expect(await payment.read()).toMatchObject({ status: 'completed' });
});

test('a bank that refuses a good consent gets the payment five times', async () => {
  const { pay } = await payer();
  const payment = await pay();
  bank.answers = [NO_CONSENT];
  const told = [];
  for (let sends = 0; sends < 5; sends += 1) told.push((await payment.submit()).status);
  expect(told).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);
  expect([payment.sent(), (await payment.read()).failure]).toMatchObject([5, { code: 'CONSENT', retryable: true }]);
});

test.each<[string, (of: Awaited<ReturnType<typeof payer>>) => Promise<unknown>]>([
  ['of another person', ({ provider_id }) => give(provider_id, 'usr_another')],
  ['of an application', ({ provider_id }) => give(provider_id, 'app_another')],
  [
    'with another account',
    async ({ provider_id }) => {
      const account = { ...ACCOUNT, account_number: '87654321' };
      const theirs = await payments.addProvider({ principal: userOf('usr_thief'), ...account });
      await sql.run(
        'update payees set bank_ref = (select bank_ref from payees where provider_id = $2) where provider_id = $1',
        [provider_id, theirs.provider_id],
      );
    },
  ],
])('a payee that has become one %s gets nothing, now or on the day', async (_what, tamper) => {
  const person = await payer();
  const [now, later] = [await person.pay({ amount: 1 }), await person.pay({ amount: 2, execute_on: '2026-12-01' })];
  await tamper(person);
  await now.submit();
  await at('2026-12-01T12:00:00Z');
  await later.submit();
  const failure = { code: 'unknown-provider', retryable: false };
  expect([await now.read(), await later.read()]).toMatchObject([{ failure }, { failure }]);
  expect(bank.submitted).toEqual([]);
});

const give = (provider_id: string, holder: string) =>
  unguarded(services, 'payees', 'update payees set held_by = $2 where provider_id = $1', [provider_id, holder]);

test('a renamed payee is paid under the name of the consent', async () => {
  const { pay, principal, provider_id } = await payer();
  await payments.renameProvider({ principal, provider_id, name: 'New name' });
  await (await pay()).submit();
  const agreed = { payee: { name: 'Energy', sortCode: '401276', accountNumber: '12345678' }, vrpType: 'other' };
  expect(bank.submitted).toMatchObject([{ payee: { name: 'New name' }, agreed }]);
});

test('a payment over a connection that ended here is not sent; over one to renew it waits, and is paid once renewed', async () => {
  const ended = await payer();
  const payment = await ended.pay();
  await ended.end();
  expect(await payment.submit()).toEqual(FAILED);
  expect(await payment.read()).toMatchObject({ failure: CONSENT });
  const renewed = await payer();
  const waiting = await renewed.pay();
  await renewed.change(needReauthorisation);
  expect(await waiting.submit()).toEqual(FAILED);
  expect(bank.submitted).toEqual([]);
  await renewed.change(resumeAuthorisation);
  await waiting.retry(renewed.principal);
  expect(await waiting.submitTo('ACSC', 2)).toEqual({ outcome: 'settled', status: 'completed' });
});

test('a scheduled payment fails as soon as its connection ends, and waits for its day while one is to be renewed', async () => {
  const person = await payer();
  const [first, second] = [
    await person.pay({ amount: 1, execute_on: '2026-12-05' }),
    await person.pay({ amount: 2, execute_on: '2026-12-06' }),
  ];
  const waits = ({ payment_id }: typeof first) => payments.msUntilDue({ payment_id, attempt: 1 });
  await person.change(needReauthorisation);
  expect([await waits(first), await first.submit()]).toEqual([expect.any(Number), EARLY]);
  await at('2026-12-05T12:00:00Z');
  expect(await first.submit()).toEqual(FAILED);
  expect([(await waits(second)) > 0, await second.submit()]).toEqual([true, EARLY]);
  await sql.run(`update bank_connections set status = 'authorised' where connection_id = $1`, [person.connection_id]);
  await person.end();
  expect([await waits(second), await second.submit()]).toEqual([0, FAILED]);
  expect([await first.read(), await second.read()]).toMatchObject([{ failure: CONSENT }, { failure: CONSENT }]);
  expect([bank.submitted, await person.balances()]).toMatchObject([[], BACK]);
});

const FAILED = { outcome: 'settled', status: 'failed' };
const EARLY = { outcome: 'unavailable', status: 'pending' };
const CONSENT = { code: 'CONSENT', retryable: true };

test('a payment that is sent in a later month of the consent counts there, and fails if that month has no room', async () => {
  const { pay } = await payer();
  const [late, alone] = [await pay({ execute_on: '2026-12-28' }), await payer()];
  const other = await alone.pay({ execute_on: '2026-12-28' });
  await at('2026-12-29T12:00:00Z');
  await (await pay()).submit();
  await late.submit();
  expect(await late.read()).toMatchObject({ failure: { code: 'exceeds-consent-limit', retryable: true } });
  expect(await other.submit()).toEqual({ outcome: 'accepted', status: 'processing' });
  expect(await countsOn(other)).toEqual([{ counts_on: '2026-12-29' }]);
});

test('a payment on its way at midnight counts on the day on which it is sent', async () => {
  const { pay } = await payer();
  const payment = await pay();
  await at('2026-11-30T12:00:00Z');
  await payment.submit();
  expect(await countsOn(payment)).toEqual([{ counts_on: '2026-11-30' }]);
});

const countsOn = ({ payment_id }: { payment_id: string }) =>
  sql.many('select counts_on::text from payments where payment_id = $1', [payment_id]);

test('news of one bank never touches a payment at another, even under the same id', async () => {
  const { pay, user_id, principal } = await payer();
  const payment = await pay();
  await payment.submitTo('ACSP');
  const { allocationId: vault_allocation_id } = await fund(services, user_id, FUNDS);
  const bill = { vault_allocation_id, amount: 1, currency: 'GBP', provider_id: 'prov_sandbox_instant' } as const;
  const { payment_id } = await payments.executePayment({ principal, ...bill });
  const bankPaymentId = payment.bankId();
  houseBank.answers = [{ kind: 'accepted', bankPaymentId, status: 'ACSP', reason: null }];
  await payments.submitPayment({ payment_id, attempt: 1, settle_within_ms: 0 });
  const atHouse = paymentOf(services, houseBank, payment_id);
  houseBank.says = { status: 'ACSC', reason: null, returned: null };
  const event = { bank_payment_id: bankPaymentId };
  expect(await payments.recordBankEvent({ bank_id: 'sandbox', ...event })).toBe(true);
  expect([await payment.check(), await atHouse.check()]).toEqual(['processing', 'completed']);
  // A record that names an attempt of another bank proves nothing.
  const unsent = await (await payer()).pay();
  houseBank.says = { ...houseBank.says, instruction: { paymentId: unsent.payment_id, attempt: 1 } };
  expect(await payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id: 'vrp-forged' })).toBe(false);
  expect((await unsent.read()).status).toBe('processing');
});
