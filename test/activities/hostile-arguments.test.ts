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
import { keepConsent } from '../../infra/db/queries/bank.ts';
import { insertJourney } from '../../infra/db/queries/bank-journeys.ts';
import { standing } from '../../infra/db/queries/watch.ts';
import { activitiesOf } from '../../programs/worker.ts';
import { movableClock } from '../helpers/clock.ts';
import { payBill } from '../helpers/credential.ts';
import { withDatabase } from '../helpers/database.ts';
import { testEnvironment } from '../helpers/environment.ts';
import { HERE } from '../helpers/here.ts';
import { anyKey, expectSoundLedger, fund } from '../helpers/money.ts';
import { paydaysOf, storePaydaySplit } from '../helpers/paydays.ts';
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

let stage: Record<'scheduled' | 'processing' | 'completed' | 'failed' | 'document' | 'credential' | 'payday', string>;
type Stage = typeof stage;

beforeAll(async () => {
  clock.set('2026-01-01T12:00:00Z');
  const payments = paymentsOf(services);
  await payments.ensureSandboxPayees();
  const earned = { principal: anyKey, employee_id: 'saver', gross_pay: 1_000_000, obligations: [], buffer_rate: '0' };
  await paychecksOf(services).calculatePaycheck(earned);
  await allocationsOf(services).allocate({ user_id: 'saver', vault_type: 'SAVINGS', amount: 400_000 });
  clock.set(`${TODAY}T12:00:00Z`);
  const pay = async (more: { execute_on?: string } = {}) => {
    const { allocationId: vault_allocation_id } = await fund(services, 'payer', 5_000);
    const bill = { vault_allocation_id, amount: 5_000, currency: 'GBP', provider_id: 'prov_sandbox_slow' };
    return (await payments.executePayment({ principal: anyKey, ...bill, ...more })).payment_id;
  };
  const scheduled = await pay({ execute_on: '2027-06-01' });
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
  const payday = await splitOnce();
  stage = { payday, scheduled, processing, completed, failed, document, credential };
  bank.answers = [];
  bank.says = { status: 'ACSP', reason: null, returned: null };
  bank.submitted = [];
});

async function splitOnce(): Promise<string> {
  await storePaydaySplit(services, 'earner', [
    { entry_id: 'ent_hostile', provider_id: 'prov_sandbox_slow', pay_day: 1 },
  ]);
  return (await paydaysOf(services).payday('earner', 5_000)).wage_id;
}

// Rows that have not expired, which no purge may delete.
async function keepWhatExpires(): Promise<void> {
  const auth = accountsOf(services);
  const account = { email: 'alive@example.org', password: 'seven green lanterns' };
  const { user_id: userId } = await auth.registerUser(account);
  await auth.login({ ...account, from: HERE });
  await signInOf(services).beginSession({ from: HERE, userId, method: 'password', at: new Date() });
  const consent = { consent_id: 'cons_used', owner_id: userId, bank_id: 'sandbox', consent_ref: 'r' } as const;
  await services.db.run(keepConsent({ ...consent, kind: 'accounts', secret_sealed: null }));
  const journey = { journey_id: 'jrn_running', connection_id: 'conn_none', user_id: userId, browser_hash: 'b' };
  await services.db.run(insertJourney({ ...journey, state_hash: 's' }));
  await services.limits.take('tokens', 'somebody');
  const request = { caller: 'c', operation: 'o', key: 'k', request: 'r', personal: false, early: 'own' } as const;
  const given = { status: 201, headers: {}, body: null, finished: true };
  const [run, refusal] = [async () => given, () => undefined];
  await idempotencyActivities(services).answerOnce({ ...request, run, refusal });
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const TABLES = [
  ...['ledger_transfers', 'ledger_entries', 'ledger_accounts', 'allocations', 'accruals', 'accrual_runs'],
  ...['payments', 'payment_attempts', 'documents', 'vault_records', 'sealed_secrets', 'credentials', 'audit_events'],
  ...[
    'paydays',
    'payday_bills',
    'calculations',
    'outbox_messages',
    'idempotency_records',
    'rate_limits',
    'sessions',
    'token_families',
  ],
  ...['access_tokens', 'refresh_tokens', 'bank_connections', 'bank_consents', 'bank_journeys'],
];
const everything = textQuery<{ kept: string }>(
  'test.hostile.everything',
  `select ${TABLES.map(
    (table) => `(select coalesce(md5(string_agg(t::text, '' order by t::text)), '') from ${table} t)`,
  ).join(` || ' ' || `)} as kept`,
);
const kept = async () => (await services.db.one(everything())).kept;

/** The expected result is the code of a refusal, or the returned value. */
type Row = [what: string, args: (stage: Stage) => unknown, comesTo: string | { answer: unknown }];
const answer = (given: unknown) => ({ answer: given });
const over = (status: string) => answer({ outcome: 'settled', status });
const invalid = (what: string, args: unknown): Row => [what, () => args, 'invalid-request'];
const NOBODY = 'pay_018f0000-0000-7000-8000-000000000000';
const attempt = (payment_id: string, number: unknown = 1) => ({ payment_id, attempt: number, settle_within_ms: 0 });
const nobodys: Row = ['nobody’s payment', () => attempt(NOBODY), 'not-found'];
const started_at = `${TODAY}T12:00:00.000Z`;
const page = (more: object) => ({ as_of: TODAY, started_at, vault_type: 'SAVINGS', after: 0, upto: 1_000, ...more });

const days = (argsOf: (as_of: unknown) => unknown): Row[] => [
  invalid('a day in a hundred years', argsOf('2126-01-01')),
  invalid('tomorrow', argsOf('2026-06-16')),
  invalid('a year as a number', argsOf(2126)),
  invalid('a list of days', argsOf(['2026-06-15'])),
  invalid('no day of the calendar', argsOf('2026-02-30')),
  invalid('a day far in the past, by the sign', argsOf('-00001-01-01')),
];

const PURGES: readonly Row[] = [
  ['a day to come', () => ({ before: '2126-01-01', older_than: '0 seconds' }), answer({ purged: 0 })],
  ['more than there is', () => ({ limit: 1e9, all: true, table: 'ledger_entries' }), answer({ purged: 0 })],
  ['a signal that is none', () => ({ aborted: true }), answer({ purged: 0 })],
];

const NOTHING_FOUND = { checked: 0, matched: 0, missing: 0, unexplained_returns: 0 };
const NO_SYNC = { connection_id: 'conn_none', sync_id: 'sync_none', reasons: [], wait_until: null };

const HOSTILE: Readonly<Record<string, readonly Row[]>> = {
  submitPayment: [
    ['one of next year', ({ scheduled }) => attempt(scheduled), answer({ outcome: 'unavailable', status: 'pending' })],
    ['an attempt that there is not', ({ failed }) => attempt(failed, 2), over('failed')],
    ['a completed payment', ({ completed }) => attempt(completed), over('completed')],
    ['an amount and a payee', ({ failed }) => ({ ...attempt(failed), amount: 1, payee: 'me' }), over('failed')],
    ['attempt 0', ({ scheduled }) => attempt(scheduled, 0), 'invalid-request'],
    ['half an attempt', ({ scheduled }) => attempt(scheduled, 1.5), 'invalid-request'],
    ['a wait for ever', ({ processing }) => ({ ...attempt(processing), settle_within_ms: 1e12 }), 'invalid-request'],
    nobodys,
  ],
  checkPayment: [
    [
      'what the bank is said to have said',
      ({ failed }) => ({ ...attempt(failed), status: 'completed', bank_status: 'ACSC' }),
      answer('failed'),
    ],
    ['an attempt that there is not', ({ failed }) => attempt(failed, 2), 'not-found'],
    ['a payment that the bank does not have', ({ scheduled }) => attempt(scheduled), answer('pending')],
    nobodys,
  ],
  msUntilDue: [
    ['another day', ({ scheduled }) => ({ ...attempt(scheduled), execute_on: TODAY }), answer(expect.any(Number))],
    nobodys,
  ],
  askForTurn: [
    ['a payment that was sent', ({ processing }) => attempt(processing), answer(false)],
    ['a payment that is over', ({ completed }) => attempt(completed), answer(false)],
    ['an attempt that there is not', ({ scheduled }) => attempt(scheduled, 2), answer(false)],
    nobodys,
  ],
  markAttention: [
    ['a payment that was sent a moment ago', ({ processing }) => attempt(processing), answer(undefined)],
    ['a payment that waits for its day', ({ scheduled }) => attempt(scheduled), answer(undefined)],
    ['a payment that is over', ({ completed }) => attempt(completed), answer(undefined)],
    nobodys,
  ],
  endConsent: [
    ['nobody’s', () => ({ consent_id: 'cons_none' }), 'not-found'],
    ['one that is in use', () => ({ consent_id: 'cons_used', end_requested_at: 'now' }), 'not-found'],
  ],
  msUntilJourneyOver: [['nobody’s', () => ({ journey_id: 'jrn_none' }), answer(0)]],
  settleJourney: [
    ['nobody’s', () => ({ journey_id: 'jrn_none' }), answer(undefined)],
    ['one that goes on', () => ({ journey_id: 'jrn_running', outcome: 'failed' }), answer(undefined)],
  ],
  openSync: [['nobody’s', () => ({ connection_id: 'conn_none' }), answer(null)]],
  listAccounts: [['nobody’s', () => NO_SYNC, answer({ kind: 'done' })]],
  accountsToRead: [['nobody’s', () => NO_SYNC, answer([])]],
  readAccount: [['nobody’s', () => ({ ...NO_SYNC, account_id: 'acct_none', from: TODAY }), answer({ kind: 'done' })]],
  findWages: [['nobody’s', () => NO_SYNC, 'not-found']],
  reconcileConnection: [['nobody’s', () => NO_SYNC, 'not-found']],
  reconcilePage: [
    ['all', () => ({ after: '', matched: 9 }), answer({ ...NOTHING_FOUND, failed: 0, next: null })],
    invalid('a number', { after: 1 }),
  ],
  closeReconciliation: [['figures', () => ({ missing: -1 }), answer(undefined)]],
  finishSync: [
    ['nobody’s', () => NO_SYNC, 'not-found'],
    invalid('a text', { ...NO_SYNC, reasons: ['Pay me.'] }),
    invalid('a wait for ever', { ...NO_SYNC, wait_until: '2126-01-01T00:00:00Z' }),
    invalid('a wait until no day', { ...NO_SYNC, wait_until: 'x' }),
  ],
  splitWage: [
    ['a wage without a payday', () => ({ wage_id: 'wage_none', amount: 1e9 }), 'not-found'],
    ['a payday that is over', ({ payday }) => ({ wage_id: payday, entries: ['ent_1'] }), answer({ entry_ids: [] })],
  ],
  payBill: [
    ['a wage without a payday', () => ({ wage_id: 'wage_none', entry_id: 'ent_1' }), 'not-found'],
    ['a payday that is over', ({ payday }) => ({ wage_id: payday, entry_id: 'ent_hostile' }), answer(undefined)],
  ],
  endPayday: [
    ['a wage without a payday', () => ({ wage_id: 'wage_none' }), 'not-found'],
    ['a payday that is over', ({ payday }) => ({ wage_id: payday, reason: 'x' }), answer({ attention: null })],
  ],
  lookAtConsent: [['one of no connection', () => ({ consent_id: 'cons_used', isOver: true }), answer(null)]],
  startDueSyncs: [['all', () => ({ everyS: 0 }), answer(0)]],
  startDueLooks: [['all', () => ({ olderS: 0 }), answer(0)]],
  readBlocked: [nobodys],
  readFailure: [nobodys],
  readStatus: [nobodys],
  readMasterKey: [['anything', () => ({ version: 7 }), answer({ version: 1 })]],
  makeMasterKey: [
    ['a version to come', () => ({ from_version: 99 }), answer({ version: 1, settled_ms: expect.any(Number) })],
    invalid('no version', { from_version: 0 }),
    invalid('text', { from_version: '1' }),
  ],
  countUnderOlderKeys: [invalid('text', { version: 'x' })],
  rewrapPage: [
    invalid('another table', { table: 'payments', version: 1, after: null }),
    invalid('what every object has', { table: 'constructor', version: 1, after: null }),
    ['a version to come', () => ({ table: 'vault_records', version: 99, after: null }), 'dependency-unavailable'],
    invalid('a place that is none', { table: 'documents', version: 1, after: { version: 'x', id: '' } }),
  ],
  issueCredential: [
    [
      'one that is issued, with another score',
      ({ credential }) => ({ credential_id: credential, reliability_score: 1_000 }),
      answer(undefined),
    ],
    ['nobody’s', () => ({ credential_id: 'cred_none' }), 'not-found'],
  ],
  openAccrualRun: days((as_of) => ({ as_of })),
  planAccrualPages: [
    invalid('another type', { vault_type: 'NONE', after: 0, pages: 1 }),
    invalid('more pages than are planned', { vault_type: 'SAVINGS', after: 0, pages: 1e9 }),
    invalid('a place before the first', { vault_type: 'SAVINGS', after: -1, pages: 1 }),
  ],
  closeAccrualRun: days((as_of) => ({ as_of })),
  accruePage: [
    ...days((as_of) => page({ as_of })),
    invalid('another type', page({ vault_type: 'NONE' })),
    invalid('a page from its end to its beginning', page({ after: 9, upto: 1 })),
    invalid('a beginning that is no instant', page({ started_at: 'now' })),
  ],
  verifyByNight: [
    ['marks', () => ({ verified: { audit: 1e9 } }), answer(expect.objectContaining({ checkpoint: null }))],
  ],
  purgeIdempotencyRecords: PURGES,
  purgeExpiredAuth: PURGES,
  readDocument: [['nobody’s document', () => ({ doc_id: 'doc_none', path: '/etc/passwd' }), 'not-found']],
  giveUpDocument: [
    ['one that came a moment ago', ({ document }) => ({ doc_id: document }), 'invalid-request'],
    ['nobody’s document', () => ({ doc_id: 'doc_none' }), 'not-found'],
  ],
};

test('every activity of a worker has attacks in this file', () => {
  expect(Object.keys(HOSTILE).sort()).toEqual(Object.keys(registered()).sort());
});

test.each(Object.entries(HOSTILE))('%s changes nothing, whatever it is called with', async (name, list) => {
  const before = await kept();
  for (const [what, args, comesTo] of list) {
    const result = await registered()[name]!(args(stage)).then(
      (given) => ({ answer: given }),
      (error: unknown) => (error instanceof DomainError ? error.code : error),
    );
    expect([what, result]).toEqual([what, comesTo]);
  }
  expect(await kept()).toBe(before);
  expect(bank.submitted).toEqual([]);
});

const lastRun = textQuery<{ failed: number }>(
  'test.hostile.lastRun',
  'select failed from accrual_runs order by seq desc limit 1',
);

test('a run reported without failures is recorded with the vaults that it left out', async () => {
  await registered().closeAccrualRun!({ as_of: '2026-06-01', failed: 0 });
  expect(await services.db.one(lastRun())).toEqual({ failed: 1 });
});

test('a run to a date long ago does not count as a success in monitoring', async () => {
  await registered().closeAccrualRun!({ as_of: '2020-01-01' });
  expect(await services.db.one(lastRun())).toEqual({ failed: 0 });
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
    ...['payment_id', 'attempt', 'settle_within_ms', 'doc_id', 'credential_id', 'as_of', 'vault_type', 'after'],
    ...['upto', 'pages', 'version', 'from_version', 'table', 'vaults', 'accruals', 'failed', 'started_at'],
  ];
  const args = fc.dictionary(fc.constantFrom(...members), value, { minKeys: 2, maxKeys: 8 });
  const calls = fc.array(fc.tuple(fc.constantFrom(...names), args), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(calls, async (given) => {
      await Promise.allSettled(given.map(([name, drawn]) => registered()[name]!(drawn)));
      expect(await services.db.one(ahead(TODAY))).toEqual({ accruals: 0, payments: 0 });
    }),
    { numRuns: 60 },
  );
  await expectSoundLedger(services);
});
