import { randomUUIDv7 } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import type { BankEvent, BankInstruction, BankPayment, SubmitOutcome } from '../../domain/bank/payments.ts';
import { pence } from '../../domain/money.ts';
import { SANDBOX_PAYEES, type SandboxPayeeId } from '../../domain/sandbox-payees.ts';
import { BankError, type Bank, type ConsentAccess } from '../../infra/bank/interface.ts';
import { instructionIds, paymentOfInstruction } from '../../infra/bank/obie-4.0/identifiers.ts';
import { signEvent, signMessage } from '../../infra/bank/obie-4.0/message-signing.ts';
import { penceOf, poundsOf, vrpRequest } from '../../infra/bank/obie-4.0/vrp.ts';
import type { BankConfig, BankEntryOf } from '../../infra/config/index.ts';
import { readInstruction } from '../../programs/sandbox-bank/instruction.ts';
import { freePort } from '../helpers/ports.ts';
import {
  bankConfig,
  newBankFolder,
  openSandboxBank,
  startSandboxBank,
  type SandboxBankProcess,
} from '../helpers/sandbox-bank.ts';
import { json, startScriptedBank, type ScriptedBank, type Seen } from '../helpers/scripted-bank.ts';
import { holderOf, PAYEE, scriptedConsents, TO_PAY } from '../helpers/scripted-journey.ts';
import { PATIENCE_MS, until } from '../helpers/until.ts';

const DELAYS = { SANDBOX_BANK_INSTANT_MS: '200', SANDBOX_BANK_SLOW_MS: '1200', SANDBOX_BANK_RETURN_MS: '700' };
const HOUSE: ConsentAccess = { kind: 'payments', consentRef: 'sandbox-consent', secret: null, present: null };
const NAMES = { sweeping: 'S', commercial: 'C', other: 'O' };
const NO_DELAY = { SANDBOX_BANK_INSTANT_MS: '0' };

const [dataDir, strangersDir] = [await newBankFolder(), await newBankFolder()];
const opened: Bank[] = [];
const processes: SandboxBankProcess[] = [];

afterAll(async () => {
  await Promise.all(opened.map((bank) => bank.close()));
  for (const { process: child } of processes) child.kill('SIGKILL');
});

async function connect(config: BankConfig, changes: Partial<BankEntryOf<'obie-4.0'>> = {}): Promise<Bank> {
  const bank = await openSandboxBank(config, changes);
  opened.push(bank);
  return bank;
}

async function sandbox(env: Record<string, string>, port?: number): Promise<SandboxBankProcess> {
  const started = await startSandboxBank(dataDir, port === undefined ? { env } : { env, port });
  processes.push(started);
  return started;
}

function instruction(providerId: SandboxPayeeId = 'prov_sandbox_instant', amount = 12_345): BankInstruction {
  const { name, sortCode, accountNumber } = SANDBOX_PAYEES.find((payee) => payee.providerId === providerId)!;
  return {
    paymentId: `pay_${randomUUIDv7()}`,
    attempt: 1,
    amount: pence(amount),
    currency: 'GBP',
    reference: 'INV 42',
    payee: { name, sortCode, accountNumber },
    agreed: null,
  };
}

/** A server that accepts connections, and says nothing. */
async function listening() {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  return { silent, port: (silent.address() as { port: number }).port };
}

function idOf(outcome: SubmitOutcome): string {
  if (outcome.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`);
  return outcome.bankPaymentId;
}

async function readUntil(bank: Bank, id: string, wanted: (payment: BankPayment) => boolean): Promise<BankPayment> {
  let payment = await bank.payment(id);
  const isWanted = async () => wanted((payment = await bank.payment(id)));
  await until(isWanted, `${id} to become what is wanted`, PATIENCE_MS, 25);
  return payment;
}

describe('the sandbox payees', () => {
  let process: SandboxBankProcess;
  let bank: Bank;
  beforeAll(async () => {
    process = await sandbox(DELAYS);
    bank = await connect(process.config);
  });
  afterAll(() => process.stop());

  const directionsOf = async ({ paymentId }: BankInstruction) =>
    (await process.movements(paymentId)).map(({ direction }) => direction);

  const elsewhere = { name: 'Somebody', sortCode: '112233', accountNumber: '87654321' };
  test.each([
    ['instant', 'prov_sandbox_instant', instruction('prov_sandbox_instant', 100_000_000_001)],
    ['an unknown account', null, { ...instruction(), payee: elsewhere }],
  ])('%s is accepted, settles, and moves the amount once to the penny', async (_who, provider_id, asked) => {
    const { paymentId, amount, payee } = asked;
    const outcome = await bank.pay(HOUSE, asked);
    expect(outcome).toMatchObject({ kind: 'accepted', status: 'ACSP', reason: null });
    const settled = await readUntil(bank, idOf(outcome), ({ status }) => status === 'ACCC');
    const told = { status: 'ACCC', reason: null, returned: null, instruction: { paymentId, attempt: 1 } };
    expect(settled).toEqual({ bankPaymentId: idOf(outcome), ...told });
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
    const account = payee.sortCode + payee.accountNumber;
    const moved = { payment_id: paymentId, attempt: 1, provider_id, account, amount, direction: 'out' };
    expect(await process.movements(paymentId)).toEqual([{ ...moved, consent_id: null, at }]);
  });

  const accepted = (status: string) => ({ kind: 'accepted', status });
  const refused = { kind: 'refused', reason: { code: 'AG01', detail: expect.any(String) as unknown } };
  const rejected = { ...accepted('RJCT'), reason: { code: 'AC06' } };
  const away = { kind: 'not-accepted' };
  const inTurn = (...outcomes: object[]) => outcomes.map((outcome): [number, object] => [1, outcome]);
  test.each<[payee: SandboxPayeeId, outcomes: [attempt: number, outcome: object][], reads: string[], moved: number]>([
    ['prov_sandbox_slow', [[1, accepted('RCVD')]], ['ACSP', 'ACCC'], 1],
    ['prov_sandbox_reject', [1, 2, 3].map((attempt) => [attempt, rejected]), [], 0],
    ['prov_sandbox_unavailable', inTurn(away, away, away, accepted('ACSP')), ['ACCC'], 1],
    ['prov_sandbox_forbidden', [1, 1, 2].map((attempt) => [attempt, refused]), [], 0],
    // The money moves although the outcome is unknown. A repetition reports the same transfer.
    ['prov_sandbox_lost_reply', inTurn({ kind: 'unknown' }, accepted('ACCC')), ['ACCC'], 1],
    ['prov_sandbox_blocked', [[1, accepted('ACSP')]], ['BLCK'], 0],
  ])('%s: %j, then %j, and %i transfers', async (payee, outcomes, reads, moved) => {
    const asked = instruction(payee);
    let last: SubmitOutcome | undefined;
    for (const [attempt, expected] of outcomes) {
      last = await bank.pay(HOUSE, { ...asked, attempt });
      expect(last).toMatchObject(expected);
    }
    for (const wanted of reads) {
      const { reason, returned } = await readUntil(bank, idOf(last!), ({ status }) => status === wanted);
      expect([reason?.code, returned]).toEqual([wanted === 'BLCK' ? 'LEGL' : undefined, null]);
    }
    expect(await directionsOf(asked)).toEqual(Array(moved).fill('out'));
  });

  test('reject_once rejects the first attempt of a payment and settles the second', async () => {
    const asked = instruction('prov_sandbox_reject_once');
    const first = idOf(await bank.pay(HOUSE, asked));
    const rejection = await readUntil(bank, first, ({ status }) => status === 'RJCT');
    expect(rejection.reason).toMatchObject({ code: 'MS03' });
    const second = idOf(await bank.pay(HOUSE, { ...asked, attempt: 2 }));
    expect(second).not.toBe(first);
    await readUntil(bank, second, ({ status }) => status === 'ACCC');
    expect(await process.movements(asked.paymentId)).toMatchObject([{ attempt: 2, direction: 'out' }]);
  });

  test('return settles at once and is reported as returned later, with an unchanged status', async () => {
    const asked = instruction('prov_sandbox_return', 999);
    const outcome = await bank.pay(HOUSE, asked);
    expect(outcome).toMatchObject(accepted('ACCC'));
    expect((await bank.payment(idOf(outcome))).returned).toBeNull();
    const { returned, ...told } = await readUntil(bank, idOf(outcome), (payment) => payment.returned !== null);
    expect([told, returned]).toMatchObject([{ status: 'ACCC', reason: null }, { reason: { code: 'RETN' } }]);
    expect(await bank.pay(HOUSE, asked)).toMatchObject({ kind: 'accepted', returned });
    const [out, back] = await process.movements(asked.paymentId);
    expect(out).toMatchObject({ direction: 'out', amount: 999 });
    expect(back).toMatchObject({ direction: 'returned', amount: 999 });
    expect(Date.parse(back!.at) - Date.parse(out!.at)).toBeGreaterThanOrEqual(700);
  });

  test('every payee has a different account number of British length', () => {
    const accounts = SANDBOX_PAYEES.map(({ sortCode, accountNumber }) => sortCode + accountNumber);
    expect([new Set(accounts).size, accounts.filter((one) => /^\d{14}$/.test(one)).length]).toEqual([9, 9]);
  });

  describe('and their events', () => {
    beforeEach(async () => {
      let events: BankEvent[] = [];
      do {
        const acknowledge = events.map(({ eventId }) => eventId);
        events = await bank.events({ acknowledge, limit: 100, waitMs: 0 });
      } while (events.length > 0);
    });
    const poll = (more: Partial<Parameters<Bank['events']>[0]> = {}) =>
      bank.events({ acknowledge: [], limit: 10, waitMs: 0, ...more });

    test('each change is reported, oldest first, until it is acknowledged, even after a restart', async () => {
      const id = idOf(await bank.pay(HOUSE, instruction('prov_sandbox_slow')));
      await readUntil(bank, id, ({ status }) => status === 'ACCC');
      const told = await poll();
      expect(told).toMatchObject([{ bankPaymentId: id }, { bankPaymentId: id }]);
      await process.kill();
      process = await sandbox(DELAYS, process.port);
      expect(await poll()).toEqual(told);
      expect(await poll({ acknowledge: [told[0]!.eventId] })).toEqual([told[1]]);
      expect(await poll({ acknowledge: [told[1]!.eventId] })).toEqual([]);
    });

    test('a waiting poll is answered at the next event, or empty at its timeout', async () => {
      const started = Date.now();
      const waiting = poll({ waitMs: 120_000 });
      const id = idOf(await bank.pay(HOUSE, instruction()));
      const [event] = await waiting;
      expect(event).toMatchObject({ kind: 'payment', bankPaymentId: id });
      expect(Date.now() - started).toBeLessThan(60_000);
      expect(await poll({ acknowledge: [event!.eventId], waitMs: 500 })).toEqual([]);
    });

    test('no more events than requested are returned, and a status in the response to a submission is no event', async () => {
      const taken = await Promise.all([1, 2, 3].map(() => bank.pay(HOUSE, instruction())));
      for (const outcome of taken) await readUntil(bank, idOf(outcome), ({ status }) => status === 'ACCC');
      expect(await poll({ limit: 2 })).toHaveLength(2);
      expect(await bank.pay(HOUSE, instruction('prov_sandbox_reject'))).toMatchObject(rejected);
      const told = (await poll()).map((event) => (event.kind === 'payment' ? event.bankPaymentId : event.kind));
      expect(told.sort()).toEqual(taken.map(idOf).sort());
    });
  });
});

describe('one key, one movement', () => {
  let process: SandboxBankProcess;
  let bank: Bank;
  beforeAll(async () => {
    process = await sandbox(NO_DELAY);
    bank = await connect(process.config);
  });
  afterAll(() => process.stop());

  test('ten submissions with the same key, at once and later, move money once, and with another amount nothing', async () => {
    const asked = instruction();
    const submit = () => bank.pay(HOUSE, asked);
    const outcomes = [...(await Promise.all(Array.from({ length: 10 }, submit))), await submit()];
    // Without a delay, the response to the submission already says that the payment is settled.
    expect(outcomes[0]).toMatchObject({ kind: 'accepted', status: 'ACCC' });
    expect(new Set(outcomes.map(idOf)).size).toBe(1);
    // Money may have moved.
    expect(await bank.pay(HOUSE, { ...asked, amount: pence(1) })).toMatchObject({ kind: 'unknown' });
    expect(await process.movements(asked.paymentId)).toMatchObject([{ amount: 12_345 }]);
  });

  const theirs = (file: string) => join(strangersDir, 'pki', file);
  const strangers = { transport_cert_file: theirs('bank-client.crt'), transport_key_file: theirs('bank-client.key') };
  const signing_key_file = theirs('bank-signing.key');
  const byTls = { client_id: 'ringfence-tls', client_auth: 'tls_client_auth' } as const;
  test.each<[string, Partial<BankEntryOf<'obie-4.0'>>, string]>([
    // The bank refuses the token, but does not sign that.
    ['with a client certificate of another authority', strangers, 'unknown'],
    ['to a bank with a certificate of another authority', { ca_file: theirs('ca.crt') }, 'not-accepted'],
    ['of another client', { client_id: 'somebody-else' }, 'not-accepted'],
    ['of a client with another key', { signing_key_file }, 'not-accepted'],
    ['signed with an unknown key', { ...byTls, signing_key_file }, 'refused by U015'],
    ['under an unknown consent', {}, 'no-consent'],
  ])('an instruction %s moves nothing', async (what, differs, outcome) => {
    const [kind, code] = outcome.split(' by ');
    const stranger = await connect(process.config, differs);
    const asked = instruction();
    const access = what.includes('consent') ? { ...HOUSE, consentRef: 'another' } : HOUSE;
    expect(await stranger.pay(access, asked)).toMatchObject({ kind, ...(code && { reason: { code } }) });
    expect(await process.movements(asked.paymentId)).toEqual([]);
  });

  test('without a certificate only transfers and health can be read', async () => {
    const dispatcher = new Agent({ connect: { ca: readFileSync(process.config.tls.ca, 'utf8') } });
    const statusOf = async (path: string, body?: string) => {
      const method = body === undefined ? 'GET' : 'POST';
      return (await request(`${process.config.url}${path}`, { dispatcher, method, body: body ?? null })).statusCode;
    };
    expect([await statusOf('/healthz'), await statusOf('/sandbox/movements')]).toEqual([200, 200]);
    const others = ['/domestic-vrps/vrp-1', '/events', '/nothing'].map((path) => statusOf(path));
    expect(await Promise.all(others)).toEqual([401, 405, 404]);
    const posts = ['/token', '/domestic-vrps', '/events'].map((path) => statusOf(path, '{}'));
    expect(await Promise.all(posts)).toEqual([400, 401, 401]);
    await dispatcher.destroy();
  });

  test('an unknown payment cannot be read', () => expect(bank.payment('vrp-none')).rejects.toThrow('400'));
});

describe('a bank that goes down', () => {
  test('a payment to a bank that is down or has no address was not accepted; reading and checking fail', async () => {
    const bank = await connect(bankConfig(dataDir, await freePort()));
    const detail = expect.stringContaining('ECONNREFUSED') as unknown;
    expect(await bank.pay(HOUSE, instruction())).toMatchObject({ kind: 'not-accepted', detail });
    await expect(bank.payment('vrp-1')).rejects.toThrow('ECONNREFUSED');
    await expect(bank.events({ acknowledge: [], limit: 1, waitMs: 0 })).rejects.toThrow('ECONNREFUSED');
    await expect(bank.check()).rejects.toThrow('ECONNREFUSED');
    const nowhere = await connect(bankConfig(dataDir, 1), { issuer: 'https://bank.invalid' });
    expect(await nowhere.pay(HOUSE, instruction())).toMatchObject({ kind: 'not-accepted' });
  });

  test('planned events happen after kill -9 and restart, and the access token is renewed automatically', async () => {
    const killed = await sandbox(DELAYS);
    const bank = await connect(killed.config);
    const payees = ['prov_sandbox_slow', 'prov_sandbox_return', 'prov_sandbox_reject_once'] as const;
    const asked = payees.map((payee) => instruction(payee));
    const ids = (await Promise.all(asked.map((one) => bank.pay(HOUSE, one)))).map(idOf);
    await killed.kill();
    const process = await sandbox(DELAYS, killed.port);
    await readUntil(bank, ids[0]!, ({ status }) => status === 'ACCC');
    await readUntil(bank, ids[1]!, ({ returned }) => returned !== null);
    await readUntil(bank, ids[2]!, ({ status }) => status === 'RJCT');
    expect(await process.movements(asked[0]!.paymentId)).toHaveLength(1);
    expect(await process.movements(asked[1]!.paymentId)).toHaveLength(2);
    expect(idOf(await bank.pay(HOUSE, asked[0]!))).toBe(ids[0]);
    await process.stop();
  });

  test('fifty submissions interrupted by kill -9 and retried are fifty transfers', async () => {
    const killed = await sandbox(NO_DELAY);
    const bank = await connect(killed.config);
    await bank.check();
    const asked = Array.from({ length: 50 }, () => instruction());
    const first = Promise.all(asked.map((one) => bank.pay(HOUSE, one)));
    await sleep(120);
    await killed.kill();
    const outcomes = await first;
    expect(outcomes.filter(({ kind }) => kind === 'refused')).toEqual([]);
    const process = await sandbox(NO_DELAY, killed.port);
    const moved = new Set((await process.movements()).map(({ payment_id }) => payment_id));
    asked.forEach((one, index) => {
      if (outcomes[index]!.kind === 'accepted') expect(moved).toContain(one.paymentId);
      if (outcomes[index]!.kind === 'not-accepted') expect(moved).not.toContain(one.paymentId);
    });
    const again = await Promise.all(asked.map((one) => bank.pay(HOUSE, one)));
    expect(new Set(again.map(idOf)).size).toBe(50);
    for (const one of asked) expect(await process.movements(one.paymentId)).toHaveLength(1);
    await process.stop();
  });
});

describe('what a response says about the money', () => {
  let scripted: ScriptedBank;
  let bank: Bank;
  beforeAll(async () => {
    scripted = await startScriptedBank(dataDir);
    bank = await connect(bankConfig(dataDir, scripted.port));
  });
  afterAll(() => scripted.close());
  beforeEach(() => {
    scripted.seen = [];
    scripted.onToken = null;
  });

  const errorBody = (code: string) => JSON.stringify({ Errors: [{ ErrorCode: code, Message: 'words' }] });
  // A bank's acceptance repeats the instruction's content.
  function acceptance(seen: Seen, changes: Record<string, unknown> = {}): string {
    const { Data, Risk } = JSON.parse(seen.body) as { Data: object; Risk: object };
    const at = '2026-01-02T03:04:05+00:00';
    const made = { DomesticVRPId: 'vrp-1', Status: 'ACSP', CreationDateTime: at, StatusUpdateDateTime: at };
    return JSON.stringify({ Data: { ...Data, ...made, ...changes }, Risk, Links: { Self: 'https://b' }, Meta: {} });
  }

  test.each([
    ...[429, 503].map((status) => [status, 'U000', 'not-accepted'] as const),
    ...(['401 U000', '400 U008', '400 U009', '403 U028'] as const).map(
      (said) => [Number(said.slice(0, 3)), said.slice(4), 'no-consent'] as const,
    ),
    [400, 'U014', 'over-limit'] as const,
    ...[500, 501, 502, 504, 302, 408, 409].map((status) => [status, 'U000', 'unknown'] as const),
    ...[400, 403, 404, 422].map((status) => [status, 'AC03', 'refused'] as const),
    // The first one may have paid.
    ...['U029', 'AM05', 'DU04', 'DUPL'].map((code) => [400, code, 'unknown'] as const),
  ])('%i with the signed reason %s is %s, and is unknown without it', async (status, code, kind) => {
    scripted.onRequest = (_seen, res) => scripted.signed(res, status, errorBody(code));
    const reason = kind === 'refused' ? { reason: { code, detail: 'words' } } : {};
    expect(await bank.pay(HOUSE, instruction())).toMatchObject({ kind, ...reason });
    const unclear: ScriptedBank['onRequest'][] = [
      (_seen, res) => void res.writeHead(status).end(),
      (_seen, res) => void res.writeHead(status).end('<html>not here</html>'),
      (_seen, res) => void res.writeHead(status).end(errorBody(code)),
    ];
    if (kind === 'refused') unclear.push((_seen, res) => scripted.signed(res, status, '{"error":"bad"}'));
    for (scripted.onRequest of unclear) {
      expect(await bank.pay(HOUSE, instruction())).toMatchObject({ kind: 'unknown' });
    }
  });

  test('a signed acceptance of this very instruction is accepted, with its status and reason', async () => {
    const StatusReason = [{ StatusReasonCode: 'AC04', StatusReasonDescription: 'closed' }];
    scripted.onRequest = (seen, res) => scripted.signed(res, 201, acceptance(seen, { Status: 'RJCT', StatusReason }));
    const told = { bankPaymentId: 'vrp-1', status: 'RJCT', reason: { code: 'AC04', detail: 'closed' } };
    expect(await bank.pay(HOUSE, instruction())).toEqual({ kind: 'accepted', ...told });
  });

  test('an acceptance that is unsigned, wrongly signed, unreadable or of another instruction is unknown', async () => {
    const other = (part: object) => (seen: Seen) => {
      const { Data } = JSON.parse(seen.body) as { Data: { Instruction: object } };
      return acceptance(seen, { Instruction: { ...Data.Instruction, ...part } });
    };
    const wrong: ((seen: Seen) => string)[] = [
      other({ InstructionIdentification: 'somebody-1' }),
      other({ InstructedAmount: { Amount: '123.46', Currency: 'GBP' } }),
      (seen) => acceptance(seen, { Status: 'DONE' }),
      (seen) => acceptance(seen, { DomesticVRPId: undefined }),
      () => 'ok',
      () => '',
    ];
    const answers: ScriptedBank['onRequest'][] = [
      ...wrong.map((body) => (seen: Seen, res: ServerResponse) => scripted.signed(res, 201, body(seen))),
      (seen, res) => void res.writeHead(201).end(acceptance(seen)),
      async (seen, res) => {
        const signature = await signMessage(acceptance(seen, { Status: 'RJCT' }), scripted.signer);
        res.writeHead(201, { 'x-jws-signature': signature }).end(acceptance(seen));
      },
    ];
    for (scripted.onRequest of answers) expect(await bank.pay(HOUSE, instruction())).toMatchObject({ kind: 'unknown' });
  });

  test('no response in time, half a response, and a connection lost after sending are unknown', async () => {
    // Five seconds are enough to get a token and a connection, even on a busy machine.
    const impatient = await connect({ ...bankConfig(dataDir, scripted.port), timeoutMs: 5_000 });
    const HALF = { 'content-length': '1000' };
    const cases: [Bank, ScriptedBank['onRequest']][] = [
      [impatient, () => undefined],
      [impatient, (_seen, res) => void res.writeHead(201, HALF).write('{')],
      [bank, (_seen, res) => void res.writeHead(201, HALF).write('{', () => res.socket?.destroy())],
      [bank, (_seen, res) => void res.socket?.destroy()],
      [bank, (_seen, res) => void res.writeHead(201).end('x'.repeat(2_000_000))],
    ];
    for (const [asked, onRequest] of cases) {
      scripted.onRequest = onRequest;
      expect(await asked.pay(HOUSE, instruction())).toMatchObject({ kind: 'unknown' });
    }
    expect(scripted.seen).toHaveLength(cases.length);
  });

  test('without an access token, or a handshake that ends, no instruction is sent, so it was not accepted', async () => {
    const fresh = await connect({ ...bankConfig(dataDir, scripted.port), timeoutMs: 300 });
    const failures: NonNullable<ScriptedBank['onToken']>[] = [
      (res) => void res.writeHead(500).end(),
      (res) => void res.writeHead(400).end('{"error":"invalid_scope"}'),
      (res) => void res.writeHead(200).end('<html>'),
      (res) => void res.socket?.destroy(),
      () => undefined,
    ];
    for (scripted.onToken of failures)
      expect(await fresh.pay(HOUSE, instruction())).toMatchObject({ kind: 'not-accepted' });
    expect(scripted.seen).toEqual([]);
    const { silent, port } = await listening();
    const stuck = await connect({ ...bankConfig(dataDir, port), timeoutMs: 300 });
    expect(await stuck.pay(HOUSE, instruction())).toMatchObject({ kind: 'not-accepted' });
    await stuck.close();
    silent.close();
  });

  test('a refused token is renewed once for all requests, and an instruction that the bank keeps refusing is not accepted', async () => {
    const before = scripted.tokensIssued;
    scripted.onRequest = (seen, res) => {
      if (seen.headers.authorization !== `Bearer token-${before + 1}`) return void res.writeHead(401).end();
      return scripted.signed(res, 201, acceptance(seen));
    };
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => bank.pay(HOUSE, instruction())));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'accepted'));
    expect(scripted.tokensIssued).toBe(before + 1);
    scripted.onRequest = (_seen, res) => scripted.signed(res, 401, errorBody('U000'));
    scripted.seen = [];
    expect(await bank.pay(HOUSE, instruction())).toMatchObject({ kind: 'no-consent' });
    expect(scripted.seen).toHaveLength(2);
  });

  test.each([
    ['429 with a time', (res: ServerResponse) => scripted.signed(res, 429, '', { 'retry-after': '120' }), 120],
    ['429 without a time', (res: ServerResponse) => scripted.signed(res, 429, ''), null],
    ['503 with a time', (res: ServerResponse) => scripted.signed(res, 503, '', { 'retry-after': '120' }), null],
  ])('%s: the bank takes nothing, and names when it will', async (_what, answer, waitS) => {
    scripted.onRequest = (_seen, res) => answer(res);
    const outcome = await bank.pay(HOUSE, instruction());
    const until = outcome.kind === 'not-accepted' && outcome.until;
    expect(until && Math.round((until.getTime() - Date.now()) / 10_000) * 10).toBe(waitS);
  });

  const PERSON = { access: 'access-1', goodUntilMs: Date.now() + 3_600_000, refresh: 'refresh-1' };
  const personally = (secret: object = PERSON): ConsentAccess => ({
    ...{ kind: 'payments', consentRef: 'consent-1', secret: holderOf(secret), present: null },
  });

  const ended = (): BankError => new BankError('ended', 'the consent has ended');
  test.each<[string, NonNullable<ScriptedBank['onToken']>, object]>([
    ['the grant is over', (res) => json(res, { error: 'invalid_grant' }, 400), { kind: 'no-consent' }],
    [
      'the bank says wait',
      (res) => void res.writeHead(429, { 'retry-after': '60' }).end(),
      { until: expect.any(Date) as unknown },
    ],
    ['the bank is away', (res) => void res.writeHead(500).end(), { kind: 'not-accepted', until: null }],
    ['the bank refuses this service', (res) => json(res, { error: 'invalid_client' }, 401), { kind: 'not-accepted' }],
  ])('without a token of the person, because %s, nothing is sent', async (_why, onToken, outcome) => {
    scripted.onToken = onToken;
    expect(await bank.pay(personally({ ...PERSON, goodUntilMs: 0 }), instruction())).toMatchObject(outcome);
    expect(scripted.seen).toEqual([]);
    const access = personally({ ...PERSON, goodUntilMs: 0 });
    access.secret!.renew = () => Promise.reject(ended());
    expect(await bank.pay(access, instruction())).toMatchObject({ kind: 'no-consent' });
  });

  test.each([
    ['sweeping', 'UK.OBIE.VRPType.Sweeping', 'TransferToSelf'],
    ['commercial', 'UK.OBIE.VRPType.CVRP1', 'TransferToThirdParty'],
    ['other', 'UK.OBIE.VRPType.Other', 'TransferToThirdParty'],
  ] as const)(
    'over a %s consent, what is agreed stands as in the consent, and a renamed payee keeps its name there',
    async (vrpType, VRPType, PaymentContextCode) => {
      const commercial = { vrp_type: 'UK.OBIE.VRPType.CVRP1', categories: [] };
      const port = await connect(bankConfig(dataDir, scripted.port), { commercial });
      const consents = scriptedConsents(scripted);
      await port.begin({ ...TO_PAY, payments: { ...TO_PAY.payments!, vrpType } });
      const consent = JSON.parse(scripted.seen[0]!.body) as {
        Data: Record<string, Record<string, unknown>>;
        Risk: object;
      };
      expect(consents.consent['ConsentId']).toBe('consent-1');
      scripted.onRequest = (seen, res) => scripted.signed(res, 201, acceptance(seen));
      const asked = { ...instruction(), payee: { ...PAYEE, name: 'Renamed' }, agreed: { payee: PAYEE, vrpType } };
      expect(await port.pay(personally(), asked)).toMatchObject({ kind: 'accepted' });
      const sent = scripted.seen.at(-1)!;
      const { Data, Risk } = JSON.parse(sent.body) as typeof consent;
      expect([Data['Initiation'], Risk]).toEqual([consent.Data['Initiation'], consent.Risk]);
      expect(consent.Data['ControlParameters']!['VRPType']).toEqual([VRPType]);
      expect({ ...Data, Risk }).toMatchObject({
        ConsentId: 'consent-1',
        VRPType,
        PSUAuthenticationMethod: 'UK.OBIE.SCANotRequired',
        PSUInteractionType: 'OffSession',
        Initiation: { CreditorAccount: { Identification: '11223312345678', Name: PAYEE.name } },
        Instruction: { CreditorAccount: { Identification: '11223312345678', Name: PAYEE.name } },
        Risk: { PaymentContextCode },
      });
      expect(JSON.stringify(Data['Initiation'])).not.toContain('INV 42');
      expect(sent.headers.authorization).toBe('Bearer access-1');
    },
  );

  test('an instruction that times out before it has a connection is not accepted, and never sent later', async () => {
    const crowded = await connect({ ...bankConfig(dataDir, scripted.port), timeoutMs: 3_000 });
    const release: (() => void)[] = [];
    scripted.onRequest = (seen, res) => {
      if (seen.path === '/events') release.push(() => void res.writeHead(200).end('{"sets":{}}'));
      else return scripted.signed(res, 201, acceptance(seen));
    };
    const poll = { acknowledge: [], limit: 1, waitMs: PATIENCE_MS };
    const polls: Promise<unknown>[] = [];
    // 64 simultaneous handshakes can time out on a busy machine.
    for (let held = 1; held <= 64; held++) {
      polls.push(crowded.events(poll));
      await Promise.race([
        Promise.all(polls),
        until(() => release.length === held, 'the poll to reach the bank', PATIENCE_MS, 5),
      ]);
    }
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => crowded.pay(HOUSE, instruction())));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'not-accepted' });
    for (const answer of release) answer();
    await Promise.all(polls);
    await sleep(300);
    expect(scripted.seen.filter(({ path }) => path === '/domestic-vrps')).toEqual([]);
    expect(await crowded.pay(HOUSE, instruction())).toMatchObject({ kind: 'accepted' });
  });

  test('an instruction has the agreed identifiers and amount, and the same bytes each time', async () => {
    scripted.onRequest = (seen, res) => scripted.signed(res, 201, acceptance(seen));
    const asked = { ...instruction('prov_sandbox_instant', 1205), attempt: 10 };
    await bank.pay(HOUSE, asked);
    await bank.pay(HOUSE, asked);
    const [first, second] = scripted.seen;
    expect(second!.body).toBe(first!.body);
    const key = `${asked.paymentId.slice(4).replaceAll('-', '')}-10`;
    expect(key).toHaveLength(35);
    expect(first!.headers).toMatchObject({
      'x-idempotency-key': key,
      'x-fapi-interaction-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      authorization: expect.stringMatching(/^Bearer /) as unknown,
    });
    expect(first!.headers['x-fapi-interaction-id']).not.toBe(second!.headers['x-fapi-interaction-id']);
    expect(JSON.parse(first!.body)).toMatchObject({
      Data: {
        ConsentId: 'sandbox-consent',
        VRPType: 'UK.OBIE.VRPType.Other',
        Initiation: {},
        Instruction: {
          InstructionIdentification: key,
          EndToEndIdentification: expect.stringMatching(/^[0-9A-Z]{25}A10$/) as unknown,
          InstructedAmount: { Amount: '12.05', Currency: 'GBP' },
          RemittanceInformation: { Structured: [{ CreditorReferenceInformation: { Reference: 'INV 42' } }] },
          CreditorAccount: { SchemeName: 'UK.OBIE.SortCodeAccountNumber', Identification: '00990000000001' },
        },
      },
    });
    expect(first!.body).not.toMatch(/SupplementaryData|prov_/);
  });

  test('a payment read as rejected after its settlement is reported as rejected; RETN counts only for settled money', async () => {
    const told = (Status: string, ...codes: string[]) => {
      const StatusReason = codes.map((StatusReasonCode) => ({ StatusReasonCode, StatusReasonDescription: 'd' }));
      const at = { StatusUpdateDateTime: '2026-01-02T03:04:05+01:00' };
      return JSON.stringify({ Data: { DomesticVRPId: 'vrp-1', Status, ...at, StatusReason } });
    };
    const read = async (body: string) => {
      scripted.onRequest = (_seen, res) => scripted.signed(res, 200, body);
      return bank.payment('vrp-1');
    };
    const rejected = (code: string) => ({ status: 'RJCT', reason: { code }, returned: null });
    expect(await read(told('RJCT', 'AC04'))).toMatchObject(rejected('AC04'));
    expect(await read(told('RJCT', 'RETN'))).toMatchObject(rejected('RETN'));
    const returned = { at: '2026-01-02T02:04:05.000Z', reason: { code: 'RETN' } };
    expect(await read(told('ACCC', 'RETN'))).toMatchObject({ status: 'ACCC', reason: null, returned });
    await expect(read(told('XXXX'))).rejects.toThrow('no known status');
    await expect(read(told('ACCC').replace('vrp-1', 'vrp-2'))).rejects.toThrow('a different payment');
    scripted.onRequest = (_seen, res) => void res.writeHead(200).end(told('ACCC'));
    await expect(bank.payment('vrp-1')).rejects.toThrow('no signature');
  });

  test('only events that the bank signed for this client are passed on, and only about payments and consents', async () => {
    const sign = (jti: string, rty = 'domestic-vrp', type = 'resource-update', aud = 'ringfence') => {
      const subject = { 'http://openbanking.org.uk/rid': 'vrp-1', 'http://openbanking.org.uk/rty': rty };
      const events = { [`urn:uk:org:openbanking:events:${type}`]: { subject } };
      return signEvent({ jti, aud, toe: 1, events }, scripted.signer);
    };
    const [REVOKED, LINKED] = ['consent-authorization-revoked', 'linked-account-update'];
    const good = await sign('good');
    const sets = {
      forged: `${good.slice(0, -8)}AAAAAAAA`,
      elsewhere: await sign('elsewhere', 'domestic-vrp', 'resource-update', 'another'),
      renamed: good,
      consent: await sign('consent', 'domestic-vrp-consent'),
      funds: await sign('funds', 'funds-confirmation-consent', REVOKED),
      mixed: await sign('mixed', 'domestic-vrp-consent', `account-access-consent-${LINKED}`),
      good,
      revoked: await sign('revoked', 'account-access-consent', REVOKED),
      accounts: await sign('accounts', 'account-access-consent', `account-access-consent-${LINKED}`),
      payers: await sign('payers', 'domestic-vrp-consent', `domestic-vrp-consent-${LINKED}`),
    };
    scripted.onRequest = (_seen, res) => void res.writeHead(200).end(JSON.stringify({ moreAvailable: false, sets }));
    const poll = () => bank.events({ acknowledge: [], limit: 10, waitMs: 0 });
    expect(await poll()).toEqual([
      { eventId: 'good', kind: 'payment', bankPaymentId: 'vrp-1' },
      { eventId: 'revoked', kind: 'consent', consentRef: 'vrp-1', what: 'revoked' },
      { eventId: 'accounts', kind: 'consent', consentRef: 'vrp-1', what: 'accounts-changed' },
      { eventId: 'payers', kind: 'consent', consentRef: 'vrp-1', what: 'accounts-changed' },
    ]);
    await poll();
    const next = JSON.parse(scripted.seen[1]!.body) as { ack: string[]; setErrs: object };
    expect(next.ack).toEqual(['consent', 'funds', 'mixed']);
    expect(Object.keys(next.setErrs)).toEqual(['forged', 'elsewhere', 'renamed']);
  });

  test('a poll that takes longer than requested counts as no events, not as an outage', async () => {
    scripted.onRequest = () => undefined;
    const { timeoutMs } = bankConfig(dataDir, scripted.port);
    const started = Date.now();
    expect(await bank.events({ acknowledge: [], limit: 10, waitMs: 300 })).toEqual([]);
    expect(Date.now() - started).toBeLessThan(timeoutMs);
  });
});

describe('identifiers and amounts', () => {
  test('an instruction id leads back to its payment and attempt, and to no other', () => {
    const paymentId = `pay_${randomUUIDv7()}`;
    const { instructionId, endToEndId } = instructionIds(paymentId, 7);
    expect(paymentOfInstruction(instructionId)).toEqual({ paymentId, attempt: 7 });
    expect(endToEndId.length).toBeLessThanOrEqual(31);
    expect(instructionIds(paymentId, 8).endToEndId).not.toBe(endToEndId);
    for (const wrong of ['', 'x-1', `${instructionId}00`, instructionId.replace('-7', '-0')]) {
      expect(paymentOfInstruction(wrong)).toBeNull();
    }
    expect(() => instructionIds('prov_1', 1)).toThrow(RangeError);
    expect(() => instructionIds(paymentId, 0)).toThrow(RangeError);
  });

  test('pence travel as pounds and come back the same, and an amount that is not in whole pence is refused', () => {
    const pairs: [number, string][] = [
      [1, '0.01'],
      [10, '0.10'],
      [1234, '12.34'],
      [100_000_000_000, '1000000000.00'],
    ];
    for (const [amount, text] of pairs) expect([poundsOf(pence(amount)), penceOf(text)]).toEqual([text, amount]);
    expect([penceOf('12'), penceOf('12.3'), penceOf('12.34000')]).toEqual([1200, 1230, 1234]);
    const wrong = ['12.345', '-1.00', '1e3', '', ' 1', '1.', '.5', 12.34, null];
    expect(new Set(wrong.map(penceOf))).toEqual(new Set([null]));
  });

  test('the sandbox bank refuses an instruction with supplementary data, as a bank that agreed none', () => {
    const asked = JSON.parse(vrpRequest(instruction(), 'c', NAMES)) as { Data: { Instruction: object } };
    const sent = (more: object) => {
      const Data = { ...asked.Data, Instruction: { ...asked.Data.Instruction, ...more } };
      return readInstruction(Buffer.from(JSON.stringify({ ...asked, Data })));
    };
    expect(sent({})).toMatchObject({ amount: 12_345, account: { sortCode: '009900', accountNumber: '00000001' } });
    const path = 'Data.Instruction.SupplementaryData';
    expect(sent({ SupplementaryData: { ProviderId: 'prov_sandbox_slow' } })).toMatchObject({ code: 'U002', path });
  });
});

describe('the process', () => {
  test('the process exits cleanly on SIGTERM, even with a waiting poll, and when its parent does', async () => {
    const process = await sandbox(NO_DELAY);
    const bank = await connect(process.config);
    const waiting = bank.events({ acknowledge: [], limit: 1, waitMs: 20_000 }).catch(() => []);
    await sleep(200);
    expect(await process.stop()).toBe(0);
    await waiting;
    const { process: orphan } = await sandbox(NO_DELAY);
    const exited = once(orphan, 'exit');
    orphan.disconnect();
    expect((await exited)[0]).toBe(0);
  });

  test('the process listens on the configured address, and uses its public address', async () => {
    const port = await freePort();
    const elsewhere = { SANDBOX_BANK_HOST: '127.0.0.2', BANK_URL: 'https://bank.example:8451' };
    const started = await sandbox(elsewhere, port);
    const reached = async (host: string) => {
      const socket = connectTls({ host, port, servername: 'localhost', rejectUnauthorized: false });
      const isReached = await once(socket, 'secureConnect').then(Boolean, () => false);
      socket.destroy();
      return isReached;
    };
    expect(await reached('127.0.0.2')).toBe(true);
    expect(await reached('127.0.0.1')).toBe(false);
    expect(started.told).toMatchObject({ url: 'https://bank.example:8451' });
  });

  test.each([
    ['a busy port', {}, 1, /Another program uses port \d+\./],
    ['a delay that is no number', { SANDBOX_BANK_SLOW_MS: 'soon' }, 78, /^SANDBOX_BANK_SLOW_MS is "soon"/],
    ['a missing certificate', { RINGFENCE_DATA: join(dataDir, 'empty') }, 1, /no such file/],
  ])('%s gives one sentence, and nothing starts', async (_what, env, exitCode, sentence) => {
    const { silent: busy, port } = await listening();
    const main = resolve(import.meta.dirname, '../../programs/sandbox-bank/main.ts');
    const settings = { NODE_OPTIONS: '', RINGFENCE_DATA: dataDir, RINGFENCE_PORT_BANK: String(port), ...env };
    const child = spawn(process.execPath, [main], { env: { ...process.env, ...settings } });
    const words = readText(child.stderr);
    const [code] = (await once(child, 'close')) as [number];
    busy.close();
    expect(code).toBe(exitCode);
    const text = await words;
    expect(text).toMatch(sentence);
    expect(text.trim().split('\n')).toHaveLength(1);
  });
});
