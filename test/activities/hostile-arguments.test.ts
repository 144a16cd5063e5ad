import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import fc from 'fast-check';
import { idempotencyActivities } from '../../activities/idempotency.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  accountsOf,
  allocationsOf,
  credentialsOf,
  documentsOf,
  paychecksOf,
  paymentsOf,
  signInOf,
} from '../helpers/activities.ts';
import { textQuery } from '../helpers/text-query.ts';
import { standing } from '../../infra/db/queries/watch.ts';
import { activitiesOf } from '../../programs/worker.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill } from '../helpers/credential.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { HERE } from '../helpers/here.ts';
import { anyKey, expectSoundLedger, fund } from '../helpers/money.ts';
import { playedBank } from '../helpers/played-bank.ts';
import { pdfOf, scriptedReader } from '../helpers/reading.ts';
import { temporalLog } from '../helpers/temporal-log.ts';

/* An attacker who reaches Temporal must do no harm by starting workflows or calling activities. */
const bank = playedBank();
const clock = movableClock();
const MASTER_KEY_FILE = join(testEnvironment().dir, 'keys', `hostile-${randomBytes(4).toString('hex')}.json`);
const env = { MASTER_KEY_FILE, YIELD_RATE_SAVINGS: '0.045' };
const services = withDatabase({ bank, clock, env, reader: scriptedReader() });
const TODAY = '2026-06-15';

type Call = (args: unknown) => Promise<unknown>;
const registered = (): Record<string, Call> => {
  const activities = Object.assign({}, ...Object.values(activitiesOf(services))) as Record<string, Call>;
  const called = ([name, call]: [string, Call]) => [
    name,
    (args: unknown) => new MockActivityEnvironment({}, { logger: temporalLog }).run(call, args),
  ];
  return Object.fromEntries(Object.entries(activities).map(called)) as Record<string, Call>;
};

interface Stage {
  scheduled: string;
  processing: string;
  completed: string;
  failed: string;
  document: string;
  credential: string;
}
let stage: Stage;

beforeAll(async () => {
  clock.set('2026-01-01T12:00:00Z');
  const payments = paymentsOf(services);
  await payments.ensureSandboxPayees();
  await paychecksOf(services).calculatePaycheck({
    principal: anyKey,
    employee_id: 'saver',
    gross_pay: 1_000_000,
    obligations: [],
    buffer_rate: '0',
  });
  await allocationsOf(services).allocate({ user_id: 'saver', vault_type: 'SAVINGS', amount: 400_000 });
  clock.set(`${TODAY}T12:00:00Z`);
  const pay = async (execute_on?: string) => {
    const { allocationId } = await fund(services, 'payer', 5_000);
    const bill = {
      vault_allocation_id: allocationId,
      amount: 5_000,
      currency: 'GBP',
      provider_id: 'prov_sandbox_slow',
    };
    return (await payments.executePayment({ principal: anyKey, ...bill, ...(execute_on && { execute_on }) }))
      .payment_id;
  };
  const scheduled = await pay('2027-06-01');
  const processing = await pay();
  await payments.submitPayment({ payment_id: processing, attempt: 1, settle_within_ms: 0 });
  const completed = await payBill(services, bank, { owner: 'payer' });
  const failed = await payBill(services, bank, { owner: 'payer', missed: true });
  const file = await pdfOf();
  const upload = { principal: anyKey, user_id: 'payer', file: { bytes: file, sha256: hashOf(file) } };
  const legacy = documentsOf(services);
  const document = (await legacy.uploadPayslip(upload, await legacy.prepareUpload(upload))).doc_id;
  const credentials = credentialsOf(services);
  const { credential_id: credential } = await credentials.beginCredential({ principal: anyKey, user_id: 'payer' });
  await credentials.issueCredential({ credential_id: credential });
  await keepWhatExpires();
  stage = { scheduled, processing, completed, failed, document, credential };
  bank.answers = [];
  bank.says = { status: 'ACSP', reason: null, returned: null };
  bank.submitted = [];
});

// Rows that have not expired, which no purge may delete.
async function keepWhatExpires(): Promise<void> {
  const auth = accountsOf(services);
  const account = { email: 'alive@example.org', password: 'seven green lanterns' };
  const { user_id: userId } = await auth.registerUser(account);
  await auth.login({ ...account, from: HERE });
  await signInOf(services).beginSession({ from: HERE, userId, method: 'password', at: new Date() });
  await services.limits.take('tokens', 'somebody');
  const request = { caller: 'c', operation: 'o', key: 'k', request: 'r', personal: false, early: 'own' } as const;
  const given = { status: 201, headers: {}, body: null, finished: true };
  const [run, refusal] = [async () => given, () => undefined];
  await idempotencyActivities(services).answerOnce({ ...request, run, refusal });
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const TABLES = [
  'ledger_transfers',
  'ledger_entries',
  'ledger_accounts',
  'allocations',
  'accruals',
  'accrual_runs',
  'payments',
  'payment_attempts',
  'documents',
  'vault_records',
  'sealed_secrets',
  'credentials',
  'audit_events',
  'outbox_messages',
  'idempotency_records',
  'rate_limits',
  'sessions',
  'token_families',
  'access_tokens',
  'refresh_tokens',
] as const;
const everything = textQuery<{ kept: string }>(
  'test.hostile.everything',
  `select ${TABLES.map((table) => `(select coalesce(md5(string_agg(t::text, '' order by t::text)), '') from ${table} t)`).join(` || ' ' || `)} as kept`,
);
const kept = async () => (await services.db.one(everything())).kept;

/** The expected result is the code of a refusal, or the returned value. */
type Row = [what: string, args: (stage: Stage) => unknown, comesTo: string | { answer: unknown }];
const NOBODY = 'pay_018f0000-0000-7000-8000-000000000000';
const answer = (given: unknown) => ({ answer: given });
const attempt = (payment_id: string, number: unknown = 1) => ({ payment_id, attempt: number, settle_within_ms: 0 });
const page = (more: object) => ({
  as_of: TODAY,
  started_at: `${TODAY}T12:00:00.000Z`,
  vault_type: 'SAVINGS',
  after: 0,
  upto: 1_000,
  ...more,
});
const run = (more: object) => ({ as_of: TODAY, vaults: 0, accruals: 0, failed: 0, ...more });

const DAYS: [string, unknown][] = [
  ['in a hundred years', '2126-01-01'],
  ['tomorrow', '2026-06-16'],
  ['a year as a number', 2126],
  ['a list', ['2026-06-15']],
  ['no day of the calendar', '2026-02-30'],
  ['text', 'zzzz'],
  ['far in the past, by the sign', '-00001-01-01'],
];

const PURGES: readonly Row[] = [
  ['a day to come', () => ({ before: '2126-01-01', older_than: '0 seconds' }), answer({ purged: 0 })],
  ['more than there is', () => ({ limit: 1e9, all: true }), answer({ purged: 0 })],
  ['a table of their own', () => ({ table: 'ledger_entries' }), answer({ purged: 0 })],
  ['a signal that is none', () => ({ aborted: true }), answer({ purged: 0 })],
];

const HOSTILE: Readonly<Record<string, readonly Row[]>> = {
  submitPayment: [
    [
      'a payment of next year',
      ({ scheduled }) => attempt(scheduled),
      answer({ outcome: 'unavailable', status: 'pending' }),
    ],
    [
      'an attempt that there is not',
      ({ failed }) => attempt(failed, 2),
      answer({ outcome: 'settled', status: 'failed' }),
    ],
    ['a completed payment', ({ completed }) => attempt(completed), answer({ outcome: 'settled', status: 'completed' })],
    ['a failed payment', ({ failed }) => attempt(failed), answer({ outcome: 'settled', status: 'failed' })],
    [
      'an amount and a payee of their own',
      ({ failed }) => ({ ...attempt(failed), amount: 1, payee: 'me' }),
      answer({ outcome: 'settled', status: 'failed' }),
    ],
    ['attempt 0', ({ scheduled }) => attempt(scheduled, 0), 'invalid-request'],
    ['half an attempt', ({ scheduled }) => attempt(scheduled, 1.5), 'invalid-request'],
    ['a wait for ever', ({ processing }) => ({ ...attempt(processing), settle_within_ms: 1e12 }), 'invalid-request'],
    ['nobody’s payment', () => attempt(NOBODY), 'not-found'],
  ],
  checkPayment: [
    [
      'what the bank is said to have said',
      ({ failed }) => ({ ...attempt(failed), status: 'completed', bank_status: 'ACSC' }),
      answer('failed'),
    ],
    ['an attempt that there is not', ({ failed }) => attempt(failed, 2), 'not-found'],
    ['a payment that the bank does not have', ({ scheduled }) => attempt(scheduled), answer('pending')],
    ['nobody’s payment', () => attempt(NOBODY), 'not-found'],
  ],
  msUntilDue: [
    ['another day', ({ scheduled }) => ({ ...attempt(scheduled), execute_on: TODAY }), answer(expect.any(Number))],
    ['nobody’s payment', () => attempt(NOBODY), 'not-found'],
  ],
  markAttention: [
    ['a payment that was sent a moment ago', ({ processing }) => attempt(processing), answer(undefined)],
    ['a payment that waits for its day', ({ scheduled }) => attempt(scheduled), answer(undefined)],
    ['a payment that is over', ({ completed }) => attempt(completed), answer(undefined)],
    ['nobody’s payment', () => attempt(NOBODY), 'not-found'],
  ],
  readBlocked: [['nobody’s payment', () => attempt(NOBODY), 'not-found']],
  readFailure: [['nobody’s payment', () => attempt(NOBODY), 'not-found']],
  readStatus: [['nobody’s payment', () => attempt(NOBODY), 'not-found']],
  readMasterKey: [['anything', () => ({ version: 7 }), answer({ version: 1 })]],
  makeMasterKey: [
    [
      'a version that there is not',
      () => ({ from_version: 99 }),
      answer({ version: 1, settled_ms: expect.any(Number) }),
    ],
    ['no version', () => ({ from_version: 0 }), 'invalid-request'],
    ['text', () => ({ from_version: '1' }), 'invalid-request'],
  ],
  countUnderOlderKeys: [['text', () => ({ version: 'x' }), 'invalid-request']],
  rewrapPage: [
    ['another table', () => ({ table: 'payments', version: 1, after: null }), 'invalid-request'],
    ['what every object has', () => ({ table: 'constructor', version: 1, after: null }), 'invalid-request'],
    [
      'a version that there is not',
      () => ({ table: 'vault_records', version: 99, after: null }),
      'dependency-unavailable',
    ],
    [
      'a place that is none',
      () => ({ table: 'documents', version: 1, after: { version: 'x', id: '' } }),
      'invalid-request',
    ],
  ],
  issueCredential: [
    [
      'one that is issued, with another score',
      ({ credential }) => ({ credential_id: credential, reliability_score: 1_000 }),
      answer(undefined),
    ],
    ['nobody’s', () => ({ credential_id: 'cred_none' }), 'not-found'],
  ],
  openAccrualRun: DAYS.map(([what, as_of]) => [what, () => ({ as_of }), 'invalid-request']),
  planAccrualPages: [
    ['another type', () => ({ vault_type: 'NONE', after: 0, pages: 1 }), 'invalid-request'],
    ['more pages than are planned', () => ({ vault_type: 'SAVINGS', after: 0, pages: 1e9 }), 'invalid-request'],
    ['a place before the first', () => ({ vault_type: 'SAVINGS', after: -1, pages: 1 }), 'invalid-request'],
  ],
  closeAccrualRun: [
    ...DAYS.map(([what, as_of]): Row => [what, () => run({ as_of }), 'invalid-request']),
    ['less than no vaults', () => run({ vaults: -1 }), 'invalid-request'],
    ['part of a failure', () => run({ failed: 0.5 }), 'invalid-request'],
  ],
  accruePage: [
    ...DAYS.map(([what, as_of]): Row => [what, () => page({ as_of }), 'invalid-request']),
    ['another type', () => page({ vault_type: 'NONE' }), 'invalid-request'],
    ['a page from its end to its beginning', () => page({ after: 9, upto: 1 }), 'invalid-request'],
    ['a beginning that is no instant', () => page({ started_at: 'now' }), 'invalid-request'],
  ],
  ...Object.fromEntries(['purgeIdempotencyRecords', 'purgeExpiredAuth'].map((name) => [name, PURGES])),
  readDocument: [['nobody’s document', () => ({ doc_id: 'doc_none', path: '/etc/passwd' }), 'not-found']],
  giveUpDocument: [
    ['one that came a moment ago', ({ document }) => ({ doc_id: document }), 'invalid-request'],
    ['nobody’s document', () => ({ doc_id: 'doc_none' }), 'not-found'],
  ],
};

test('every activity of a worker has attacks in this file', () => {
  expect(Object.keys(HOSTILE).sort()).toEqual(Object.keys(registered()).sort());
});

const rows = Object.entries(HOSTILE).flatMap(([name, list]) => list.map((row) => [name, ...row] as const));

test.each(rows)('%s: %s changes nothing', async (name, _what, args, comesTo) => {
  const before = await kept();
  const result = await registered()[name]!(args(stage)).then(
    (given) => ({ answer: given }),
    (error: unknown) => (error instanceof DomainError ? error.code : error),
  );
  expect(result).toEqual(comesTo);
  expect(await kept()).toBe(before);
  expect(bank.submitted).toEqual([]);
});

const lastRun = textQuery<{ vaults: number; failed: number }>(
  'test.hostile.lastRun',
  'select vaults, failed from accrual_runs order by seq desc limit 1',
);

test('a run reported without failures is recorded with the vaults that it left out', async () => {
  await registered().closeAccrualRun!(run({ as_of: '2026-06-01' }));
  expect(await services.db.one(lastRun())).toEqual({ vaults: 0, failed: 1 });
});

test('a run to a date long ago does not count as a success in monitoring', async () => {
  await registered().closeAccrualRun!(run({ as_of: '2020-01-01' }));
  expect(await services.db.one(lastRun())).toEqual({ vaults: 0, failed: 0 });
  expect((await services.db.one(standing(new Date()))).yield_last_success_timestamp_seconds).toBeNull();
});

test('an attempt that was followed by another has failed, whatever the payment’s status', async () => {
  const { readStatus } = registered();
  await paymentsOf(services).retryPayment({ principal: anyKey, payment_id: stage.failed });
  expect(await readStatus!(attempt(stage.failed, 1))).toBe('failed');
  expect(await readStatus!(attempt(stage.failed, 2))).toBe('processing');
});

const ahead = textQuery<{ accruals: number; payments: number }>(
  'test.hostile.ahead',
  `select (select count(*) from accruals where to_date > $1::date) as accruals,
          (select count(*) from payments where execute_on > $1::date and status <> 'pending') as payments`,
);

test('any simultaneous calls leave the ledger sound, and post and pay nothing early', async () => {
  const names = Object.keys(HOSTILE);
  const ids = Object.values(stage);
  const value = fc.oneof(
    fc.constantFrom<unknown>(...ids, NOBODY, TODAY, '2126-01-01', 'SAVINGS', 'documents', 0, 1, 2, 1e9, -1, null),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const members = [
    'payment_id',
    'attempt',
    'settle_within_ms',
    'doc_id',
    'credential_id',
    'as_of',
    'vault_type',
    'after',
  ];
  const more = ['upto', 'pages', 'version', 'from_version', 'table', 'vaults', 'accruals', 'failed', 'started_at'];
  const args = fc.dictionary(fc.constantFrom(...members, ...more), value, { minKeys: 2, maxKeys: 8 });
  const calls = fc.array(fc.tuple(fc.constantFrom(...names), args), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(calls, async (given) => {
      await Promise.allSettled(given.map(([name, drawn]) => registered()[name]!(drawn)));
      expect(await services.db.one(ahead(TODAY))).toEqual({ accruals: 0, payments: 0 });
    }),
    { numRuns: 150 },
  );
  await expectSoundLedger(services);
});
