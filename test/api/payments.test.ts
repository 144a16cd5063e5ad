import { listFailedPayments } from '../../activities/payments/attention.ts';
import { ATTENTION } from '../../workflows/attributes.ts';
import { paymentWorkflowId } from '../../workflows/ids.ts';
import { paymentsOf } from '../helpers/activities.ts';
import { startApi, type TestAnswer } from '../helpers/api.ts';
import { mailedToken } from '../helpers/mail.ts';
import { expectSoundLedger, fund } from '../helpers/money.ts';
import { lateBank } from '../helpers/late-bank.ts';
import { startPaying, type Paying } from '../helpers/payments.ts';
import { pointersOf, problem } from '../helpers/problem.ts';
import { until as eventually } from '../helpers/until.ts';

const bank = lateBank();
// The worker must stop before the API stops.
afterAll(async () => {
  await expectSoundLedger(api.services);
  await paying.stop();
});
const api = startApi({ bank });
let paying: Paying;
let user: { userId: string; token: string };
let allocation: string;

beforeAll(async () => {
  paying = await startPaying(api.services, bank);
  user = await api.registerUser();
  allocation = (await fund(api.services, user.userId, 5_000_000, { caused: true })).allocationId;
});

const BILL = { amount: 1_234, currency: 'GBP', provider_id: 'prov_sandbox_instant' };

const execute = (more: Record<string, unknown> = {}, { token } = user) =>
  api.post('/api/v1/payments/execute', { token, body: { vault_allocation_id: allocation, ...BILL, ...more } });

const ask = (id: string, what: 'cancel' | 'retry') => api.post(`/api/v1/payments/${id}/${what}`, { token: user.token });
const workflowOf = (id: string) => paying.client.workflow.getHandle(paymentWorkflowId(id, 1));
const read = (id: string, headers = {}) => api.get(`/api/v1/payments/${id}`, { token: user.token, headers });

async function until(id: string, ...statuses: string[]): Promise<TestAnswer['body']> {
  let body: TestAnswer['body'];
  const isThere = async () => {
    ({ body } = await read(id, { prefer: 'wait=5' }));
    return statuses.includes(body.status);
  };
  await eventually(isThere, `payment ${id} to be ${statuses.join(' or ')}`);
  return body;
}

const movements = (id: string) => paying.sandboxBank.movements(id);

describe('executePayment', () => {
  test('201 returns the payment as processing, and where to poll it', async () => {
    const given = { reference: 'RENT NOV-26', due_date: '2026-12-01' };
    const { status, body, headers } = await execute(given);
    expect(status).toBe(201);
    const made = { status: 'processing', vault_allocation_id: allocation, attempt: 1, execute_on: null };
    expect(body).toMatchObject({ ...BILL, ...given, ...made });
    expect(headers.location).toBe(`/api/v1/payments/${body.payment_id}`);
  });

  test.each([
    ['amount', { amount: 0 }],
    ['amount', { amount: 100_000_000_001 }],
    ['reference', { reference: 'RENT £' }],
    ['reference', { reference: '   ' }],
    ['reference', { reference: 'RENT\u0000' }],
    ['execute_on', { execute_on: '2026-02-30' }],
    ['due_date', { due_date: '0000-01-01' }],
  ])('400 names %s in %j', async (field, more) => {
    const answer = await execute(more);
    expect(answer).toMatchObject(problem(400, 'invalid-request'));
    expect(pointersOf(answer)).toEqual([`/${field}`]);
  });

  test.each([
    ['insufficient-allocation', { amount: 90_000_000_000 }],
    ['unknown-provider', { provider_id: 'prov_nobody' }],
    ['unknown-allocation', { vault_allocation_id: 'alloc_nobody' }],
    ['unsupported-currency', { currency: 'EUR' }],
    ['execution-date-out-of-range', { execute_on: '2020-01-01' }],
  ])('422 %s', async (code, more) => expect(await execute(more)).toMatchObject(problem(422, code)));

  test("422 for another user's allocation", async () =>
    expect(await execute({}, await api.registerUser())).toMatchObject(problem(422, 'unknown-allocation')));
});

describe('the sandbox payees', () => {
  const ends = [
    ['instant', 'completed', ['out']],
    ['reject', 'failed', []],
    ['forbidden', 'failed', []],
    ['lost_reply', 'completed', ['out']],
    ['unavailable', 'completed', ['out']],
    ['return', 'returned', ['out', 'returned']],
  ] as const;
  // Each payment spends most of its time waiting, so all wait together.
  const paid = new Map<string, string>();
  beforeAll(async () => {
    for (const [payee] of ends)
      paid.set(payee, (await execute({ provider_id: `prov_sandbox_${payee}` })).body.payment_id as string);
  });

  test.each(ends)('%s ends as %s, and the bank moved exactly %j', async (payee, status, directions) => {
    const id = paid.get(payee)!;
    await until(id, status);
    const moved = { attempt: 1, amount: 1_234, provider_id: `prov_sandbox_${payee}` };
    expect(await movements(id)).toMatchObject(directions.map((direction) => ({ ...moved, direction })));
  });

  test('reject_once fails first and settles when retried; its first attempt stays failed in Temporal', async () => {
    const { body } = await execute({ provider_id: 'prov_sandbox_reject_once' });
    const id = body.payment_id as string;
    expect((await until(id, 'failed')).failure).toMatchObject({ retryable: true });
    const first = workflowOf(id);
    await expect(first.result()).rejects.toMatchObject({ cause: { type: expect.any(String) as string } });
    const inList = `ExecutionStatus = "Failed" and RingfenceModule = "payments" and RingfenceOwner = "${user.userId}"`;
    const found = async () =>
      (await paying.client.workflow.count(`${inList} and WorkflowId = "${first.workflowId}"`)).count;
    await eventually(async () => (await found()) === 1, 'the failed attempt in the list of workflows');
    const listed = async () =>
      (await listFailedPayments(api.services)).payments.filter(({ payment_id }) => payment_id === id);
    expect(await listed()).toMatchObject([{ attempt: 1, owner_id: user.userId }]);
    expect(await ask(id, 'retry')).toMatchObject({ status: 202, body: { status: 'processing', attempt: 2 } });
    const { attempts } = await until(id, 'completed');
    expect(attempts).toMatchObject([
      { attempt: 1, status: 'failed' },
      { attempt: 2, status: 'completed', failure: null },
    ]);
    expect(await movements(id)).toMatchObject([{ attempt: 2, direction: 'out' }]);
    expect([await listed(), await found()]).toEqual([[], 1]);
  });
});

describe('a payment that the bank blocks', () => {
  async function blocked(): Promise<string> {
    const { body } = await execute({ provider_id: 'prov_sandbox_blocked' });
    const id = body.payment_id as string;
    await callsForOperator(id);
    return id;
  }

  const marked = async (id: string) => (await workflowOf(id).describe()).typedSearchAttributes.get(ATTENTION) === true;
  const callsForOperator = (id: string) =>
    eventually(() => marked(id).catch(() => false), 'the workflow to call an operator');
  const payments = () => paymentsOf(api.services);

  test('needs attention, waits again after its workflow was lost, queries the bank once, and is settled by an operator', async () => {
    const id = await blocked();
    const { body } = await read(id);
    expect(body).toMatchObject({ status: 'processing', bank_status: 'BLCK', attention: true, failure: null });
    await workflowOf(id).terminate('lost');
    const asked = bank.reads;
    await payments().restartStalledPayments({ silent_for_s: 0, limit: 500 });
    await eventually(async () => !(await marked(id).catch(() => true)), 'the workflow to start again');
    await callsForOperator(id);
    expect(bank.reads - asked).toBe(1);
    expect(await movements(id)).toEqual([]);
    await payments().resolvePayment({ payment_id: id, as: 'completed', reason: 'on the statement', actor: 'operator' });
    expect(await workflowOf(id).result()).toEqual({ status: 'completed' });
    expect(await marked(id)).toBe(false);
  });
});

describe('getPayment', () => {
  test('304 while nothing changed, 200 after a change', async () => {
    const { body } = await execute({ execute_on: inDays(3) });
    const first = await read(body.payment_id);
    expect(first.headers['retry-after']).toBe('1');
    const etag = String(first.headers.etag);
    const same = await read(body.payment_id, { 'if-none-match': etag });
    expect([same.status, same.text, same.headers.etag]).toEqual([304, '', etag]);
    await ask(body.payment_id, 'cancel');
    const after = await read(body.payment_id, { 'if-none-match': etag });
    expect(after).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    expect(after.headers['retry-after']).toBeUndefined();
  });

  test('a waiting request is answered when the payment settles, not at the timeout', async () => {
    const { body } = await execute();
    const began = performance.now();
    const { body: later } = await read(body.payment_id, { prefer: 'wait=30' });
    expect(later.status).toBe('completed');
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});

describe('cancelPayment', () => {
  // The cancellation can arrive before the workflow starts.
  const hasStarted = (handle: ReturnType<typeof workflowOf>) =>
    eventually(() => handle.describe().then(Boolean, () => false), 'the workflow to start');

  test('by a person who claims the account ends the workflow too', async () => {
    const person = await api.registerUser();
    const { allocationId } = await fund(api.services, person.userId, 5_000, { caused: true });
    const given = { vault_allocation_id: allocationId, execute_on: inDays(30) };
    const { body } = await execute(given, person);
    const handle = workflowOf(body.payment_id);
    await hasStarted(handle);
    await api.post('/api/v1/auth/forgot-password', { body: { email: person.email } });
    const token = await mailedToken(api.services, person.email);
    const reset = await api.post('/api/v1/auth/reset-password', { body: { token, password: 'nine quiet harbours' } });
    expect(reset.status).toBe(204);
    expect(await handle.result()).toEqual({ status: 'cancelled' });
    expect(await movements(body.payment_id as string)).toEqual([]);
  });

  test('returns the money, ends the workflow, and the bank never hears of it', async () => {
    const { body } = await execute({ execute_on: inDays(30) });
    expect(body.status).toBe('pending');
    const cancelled = await ask(body.payment_id, 'cancel');
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    const handle = workflowOf(body.payment_id);
    await hasStarted(handle);
    expect(await handle.result()).toEqual({ status: 'cancelled' });
    expect(await movements(body.payment_id)).toEqual([]);
  });
});

test('an operator sees in Temporal a readable id, memo, status and owner, and no bank details anywhere in the history', async () => {
  const { body } = await execute({ reference: 'OPERATOR' });
  const owner_id = user.userId;
  await until(body.payment_id, 'completed');
  const handle = workflowOf(body.payment_id);
  await handle.result();
  const { memo, typedSearchAttributes, raw } = await handle.describe();
  expect(memo).toMatchObject({ payment_id: body.payment_id, owner_id, attempt: 1 });
  const attributes = typedSearchAttributes.getAll().map(({ key: { name }, value }) => [name, value]);
  const shown = { RingfenceOwner: owner_id, RingfenceModule: 'payments', RingfenceStatus: 'completed' };
  expect(Object.fromEntries(attributes)).toMatchObject(shown);
  const history = JSON.stringify([await handle.fetchHistory(), raw]);
  for (const secret of ['009900', '00000001', 'OPERATOR', 'example.test']) expect(history).not.toContain(secret);
});

test('a user sees only their own payments, filtered and in pages', async () => {
  const list = async (query: string, { token } = user) => (await api.get(`/api/v1/payments${query}`, { token })).body;
  const first = await list('?limit=2');
  expect(first.items).toHaveLength(2);
  const second = await list(`?limit=2&cursor=${first.next_cursor}`);
  expect(second.items[0].payment_id).not.toBe(first.items[1].payment_id);
  const failed = (await list('?status=failed')).items;
  expect(new Set(failed.map(({ status }: { status: string }) => status))).toEqual(new Set(['failed']));
  expect(await list('', await api.registerUser())).toEqual({ items: [], next_cursor: null });
});

describe('payees', () => {
  const payee = { name: 'Northern Energy Ltd', category: 'UTILITIES', sort_code: '401276', account_number: '12345678' };

  test('a payee is added, shown masked, and can be paid', async () => {
    const added = await api.post('/api/v1/payments/providers', { token: user.token, body: payee });
    expect(added).toMatchObject({
      status: 201,
      body: { sort_code: '**-**-76', account_number: '****5678', category: 'UTILITIES' },
    });
    const { body } = await execute({ provider_id: added.body.provider_id });
    expect(body.category).toBe('UTILITIES');
    await until(body.payment_id, 'completed');
    const moved = { account: '40127612345678', provider_id: null, amount: 1_234 };
    expect(await movements(body.payment_id)).toMatchObject([moved]);
  });

  test('a payee is renamed, and removed; to remove it again does nothing', async () => {
    const { token } = user;
    const { body: added } = await api.post('/api/v1/payments/providers', { token, body: payee });
    const path = `/api/v1/payments/providers/${added.provider_id}`;
    const renamed = await api.request('PATCH', path, { token, body: { name: 'Southern Energy' } });
    expect(renamed).toMatchObject({ status: 200, body: { ...added, name: 'Southern Energy' } });
    const remove = () => api.request('DELETE', path, { token });
    expect([await remove(), await remove()]).toMatchObject([{ status: 204 }, { status: 204 }]);
    expect(await api.request('PATCH', path, { token, body: payee })).toMatchObject({ status: 400 });
    expect(await api.request('PATCH', path, { token, body: { name: 'x' } })).toMatchObject(problem(404, 'not-found'));
  });

  test.each(['40-12-76', '40 12 76'])('a sort code may have the form on bank cards: %s', async (sort_code) => {
    const added = await api.post('/api/v1/payments/providers', { token: user.token, body: { ...payee, sort_code } });
    expect(added).toMatchObject({ status: 201, body: { sort_code: '**-**-76' } });
  });

  test.each([
    ['/sort_code', { sort_code: '40_12_76' }],
    ['/name', { name: ' ' }],
  ])('400 names %s', async (pointer, more) => {
    const answer = await api.post('/api/v1/payments/providers', { token: user.token, body: { ...payee, ...more } });
    expect([answer.status, pointersOf(answer)]).toEqual([400, [pointer]]);
  });
});

// These tests must be last in this file, because they move the clock eight days ahead.
describe('moveClock', () => {
  test('starts all payments of the days passed, and no later ones', async () => {
    const [passed, later] = [inDays(7), inDays(30)];
    const due: TestAnswer[] = [];
    // Thirty at once can get 503 on a busy machine, because a request waits only five seconds for a connection.
    while (due.length < 30) {
      const some = Array.from({ length: 10 }, () => execute({ execute_on: passed, amount: 100 }));
      due.push(...(await Promise.all(some)));
    }
    expect(due.filter(({ status }) => status !== 201)).toEqual([]);
    const { body: waiting } = await execute({ execute_on: later });
    const ids = due.map(({ body }) => body.payment_id as string);
    // The move of the clock must wake the workflows.
    await until(ids.at(-1)!, 'pending');
    await allWait(ids);

    const operator = await api.apiKey(['admin:audit']);
    const moved = await api.post('/api/v1/sandbox/clock', { token: operator, body: { advance: 'P8D' } });
    expect(moved.status).toBe(200);
    const first = await until(ids[0]!, 'completed');
    const steps = ['pending', 'processing', 'completed'].map((status) => ({ status }));
    expect(first.timeline).toMatchObject(steps);
    expect(Date.parse(first.timeline[1].at)).toBeGreaterThanOrEqual(Date.parse(moved.body.now));
    expect(Date.parse(first.timeline[2].at)).toBeLessThan(Date.parse(first.estimated_completion) + 2 * 86_400_000);
    for (const id of ids) await until(id, 'completed');
    expect((await read(waiting.payment_id)).body.status).toBe('pending');
    await ask(waiting.payment_id, 'cancel');
  });

  async function allWait(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const handle = workflowOf(id);
      const sleeps = async () =>
        ((await handle.fetchHistory()).events ?? []).some(({ timerStartedEventAttributes: timer }) => Boolean(timer));
      await eventually(() => sleeps().catch(() => false), `the workflow of ${id} to wait`);
    }
  }
});

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
