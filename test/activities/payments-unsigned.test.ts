import { startBankEvents } from '../../infra/background/bank-events.ts';
import type { Bank } from '../../infra/bank/interface.ts';
import { signEvent } from '../../infra/bank/obie-4.0/message-signing.ts';
import { paymentChanged } from '../../infra/bank/obie-4.0/events.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { balancesOf, expectSoundLedger, fund, userOf } from '../helpers/money.ts';
import { lateBank } from '../helpers/late-bank.ts';
import { newOwner, paymentOf } from '../helpers/paying.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { bankConfig, openSandboxBank } from '../helpers/sandbox-bank.ts';
import { startScriptedBank, type ScriptedBank, type Seen } from '../helpers/scripted-bank.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

const dataDir = testEnvironment().dir;
const bank = lateBank();
const services = withDatabase({ bank });
const payments = paymentsOf(services);
let scripted: ScriptedBank;
let connected: Bank;

beforeAll(async () => {
  scripted = await startScriptedBank(dataDir);
  connected = await openSandboxBank(bankConfig(dataDir, scripted.port));
  bank.connect(connected);
  await payments.ensureSandboxPayees();
});
afterAll(async () => {
  await connected.close();
  scripted.close();
});
afterEach(() => expectSoundLedger(services));

async function aPayment() {
  const owner = newOwner();
  const { allocationId: vault_allocation_id } = await fund(services, owner, 40_000);
  const bill = { vault_allocation_id, amount: 40_000, currency: 'GBP', provider_id: 'prov_sandbox_instant' } as const;
  const { payment_id } = await payments.executePayment({ principal: userOf(owner), ...bill });
  return { owner, ...paymentOf(services, playedBank(), payment_id) };
}

const busy = JSON.stringify({ Errors: [{ ErrorCode: 'U000', Message: 'busy' }] });
const at = '2026-01-02T03:04:05+00:00';

/** What the bank says about the instruction that it got in the request `seen`. */
function record(seen: Seen, id: string, status = 'ACSC'): string {
  const { Data, Risk } = JSON.parse(seen.body) as { Data: object; Risk: object };
  const made = { DomesticVRPId: id, Status: status, CreationDateTime: at, StatusUpdateDateTime: at };
  return JSON.stringify({ Data: { ...Data, ...made }, Risk, Links: { Self: 'https://b' }, Meta: {} });
}

/** Responds to payment requests with `status`, and reports the payment under `id` after that. */
function answers(status: number, id: string, { signed }: { signed: boolean }) {
  let taken: Seen | undefined;
  const acknowledged: string[] = [];
  scripted.onRequest = async (seen, res) => {
    if (seen.path === '/events') {
      acknowledged.push(...(JSON.parse(seen.body) as { ack: string[] }).ack);
      const event = paymentChanged({ eventId: `event-${id}`, bankPaymentId: id, at, link: 'https://b' });
      const token = await signEvent(
        { ...event, iss: 'bank', aud: bankConfig(dataDir, scripted.port).clientId, iat: 1_700_000_000 },
        scripted.signer,
      );
      const sets = taken === undefined || acknowledged.length > 0 ? {} : { [event.jti]: token };
      return void res.writeHead(200).end(JSON.stringify({ sets }));
    }
    if (seen.method === 'GET') {
      return taken === undefined ? void res.writeHead(404).end() : scripted.signed(res, 200, record(taken, id));
    }
    taken = seen;
    return signed ? scripted.signed(res, status, busy) : void res.writeHead(status).end('<html>');
  };
  return { acknowledged, instruction: () => taken! };
}

test.each([401, 429, 503])(
  'after an unsigned %i the money stays in flight, and the bank is asked again',
  async (status) => {
    const { owner, submit } = await aPayment();
    const { instruction } = answers(status, `vrp-asked-${status}`, { signed: false });
    expect(await submit()).toEqual({ outcome: 'unknown', status: 'processing' });
    expect(await balancesOf(services, owner)).toMatchObject({ in_flight: 40_000 });
    const taken = instruction();
    scripted.onRequest = (seen, res) =>
      scripted.signed(res, seen.method === 'GET' ? 200 : 201, record(taken, `vrp-asked-${status}`));
    expect(await submit()).toEqual({ outcome: 'settled', status: 'completed' });
  },
);

test('an event about a known payment stays until the bank tells about it, whatever a gateway answers', async () => {
  const { submit, read } = await aPayment();
  const { instruction } = answers(503, 'vrp-behind-gateway', { signed: false });
  await submit();
  const taken = instruction();
  scripted.onRequest = (seen, res) =>
    scripted.signed(res, seen.method === 'GET' ? 200 : 201, record(taken, 'vrp-behind-gateway'));
  expect(await submit()).toEqual({ outcome: 'settled', status: 'completed' });
  for (const status of [400, 403, 404]) {
    scripted.onRequest = (_seen, res) => void res.writeHead(status).end('<html>');
    await expect(
      payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id: 'vrp-behind-gateway' }),
    ).rejects.toThrow(String(status));
    expect(await payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id: 'vrp-of-somebody-else' })).toBe(false);
  }
  expect(await read()).toMatchObject({ status: 'completed' });
});

test('a cancelled payment that the bank paid is flagged for an operator, and the event is acknowledged', async () => {
  const { owner, submit, cancel, read, listed } = await aPayment();
  const { acknowledged } = answers(503, 'vrp-paid-anyway', { signed: true });
  expect(await submit()).toEqual({ outcome: 'unavailable', status: 'pending' });
  await cancel();
  const events = startBankEvents(services, { ...payments, recordConsentEvent: () => Promise.resolve(false) });
  try {
    await until(async () => (await read()).attention, 'the payment to be flagged', PATIENCE_MS, 50);
    await until(() => acknowledged.length > 0, 'the event to be acknowledged', PATIENCE_MS, 50);
  } finally {
    await events.stop();
  }
  expect(await read()).toMatchObject({ status: 'cancelled', attention: true });
  expect(acknowledged).toContain('event-vrp-paid-anyway');
  expect(await listed()).toEqual(['bank-contradicts']);
  expect(await balancesOf(services, owner)).toMatchObject({ vault: 40_000, in_flight: 0 });
});

test('a payment that waits for the bank is completed when the bank reports it under an id of its own', async () => {
  const { owner, submit, read } = await aPayment();
  answers(503, 'vrp-late', { signed: true });
  await submit();
  expect(await payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id: 'vrp-late' })).toBe(true);
  expect(await read()).toMatchObject({ status: 'completed', attention: false });
  expect(await submit()).toEqual({ outcome: 'settled', status: 'completed' });
  expect(await balancesOf(services, owner)).toMatchObject({ payees: 40_000, in_flight: 0 });
});

test('an event about an instruction of somebody else changes nothing', async () => {
  const { submit, read } = await aPayment();
  const { instruction } = answers(503, 'vrp-theirs', { signed: true });
  await submit();
  const theirs = { ...instruction(), body: instruction().body.replaceAll(/[0-9a-f]{32}-1/g, 'INV-42') };
  scripted.onRequest = (_seen, res) => scripted.signed(res, 200, record(theirs, 'vrp-theirs'));
  expect(await payments.recordBankEvent({ bank_id: 'sandbox', bank_payment_id: 'vrp-theirs' })).toBe(false);
  expect((await read()).status).toBe('pending');
});
