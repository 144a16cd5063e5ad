import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createWorker } from '../../programs/worker.ts';
import { bundleWorkflows } from '../../infra/temporal/bundle.ts';
import { startRelay } from '../../infra/temporal/relay.ts';
import { paydayWorkflowId } from '../../workflows/ids.ts';
import { sqlOf } from '../helpers/oauth.ts';
import { paydaysOf, storePaydaySplit } from '../helpers/paydays.ts';
import { newOwner, withPayments } from '../helpers/paying.ts';
import { recordHistories } from '../helpers/replay.ts';
import { openNamespace, temporalAddress } from '../helpers/temporal.ts';
import { installTestRuntime } from '../helpers/temporal-log.ts';
import { until } from '../helpers/until.ts';

/* Paydays in real Temporal. Their steps have tests of their own. */

let client: Client;
let connection: NativeConnection;
let workflowBundle: { code: string };
let relay: ReturnType<typeof startRelay>;

// Before the services are closed.
afterAll(async () => {
  await relay.stop();
  await Promise.all([connection.close(), client.connection.close()]);
});

const { bank, services } = withPayments({ checks: afterAll });
const [paydays, sql] = [paydaysOf(services), sqlOf(services)];
const { record, replay } = recordHistories();

beforeAll(async () => {
  installTestRuntime();
  [{ client, connection }, workflowBundle] = await Promise.all([openNamespace(services), bundleWorkflows()]);
  relay = startRelay(services, client);
});

async function wageOf(owner: string) {
  const bill = { provider_id: 'prov_sandbox_instant', amount: 10_000 };
  await storePaydaySplit(services, owner, [{ ...bill, pay_day: 1 }, bill, { ...bill, pay_amount: 20_000 }]);
  return paydays.confirm(owner, 50_000);
}

/** A worker ends the payday, and sends the payments that are due. */
async function finished(wageId: string) {
  const worker = await createWorker('payments', services, connection, workflowBundle);
  return worker.runUntil(async () => {
    const handle = client.workflow.getHandle(paydayWorkflowId(wageId));
    const isStarted = () =>
      handle.describe().then(
        () => true,
        () => false,
      );
    await until(isStarted, 'the relay to start the payday');
    const result = (await handle.result()) as unknown;
    await record(handle);
    await until(() => bank.submitted.length > 0, 'the bill to be sent');
    return result;
  });
}

async function expectDoneOnce(owner: string) {
  expect(await paydays.list(owner)).toMatchObject([
    {
      payments: [expect.stringMatching(/^pay_/), expect.stringMatching(/^pay_/)],
      left_out: [{ type: 'Bill 3', amount: 20_000, reason: 'vault-short' }],
      ...{ attention: false, ended_at: expect.any(String) as string },
    },
  ]);
  const made = await paydays.payments(owner);
  expect(made.map(({ execute_on }) => execute_on)).toEqual(['2026-12-01', null]);
  expect(bank.submitted.map(({ paymentId }) => paymentId)).toEqual([made[1]!.payment_id]);
  expect(await sql.many('select gross_income::int from calculations where owner_id = $1', [owner])).toHaveLength(1);
  expect(await paydays.vaults(owner)).toEqual({ 'Bill 1': 0, 'Bill 2': 0, 'Bill 3': 10_000 });
}

test('a confirmed wage is split and its bills are paid', async () => {
  const owner = newOwner();
  expect(await finished(await wageOf(owner))).toEqual({ attention: null });
  await expectDoneOnce(owner);
});

test.each([
  'the wage is being split',
  'the wage is split',
  'a bill is being paid',
  'a bill is paid',
  'the payday has ended',
])('a worker killed when %s: the next one ends the payday, which splits and pays once', async (moment) => {
  const owner = newOwner();
  const wage_id = await wageOf(owner);
  const program = join(import.meta.dirname, '../helpers/killed-payday.ts');
  const { database, temporal } = services.config;
  const given = [database.url, await temporalAddress(), temporal.namespace, moment];
  const child = spawn(process.execPath, [program, ...given], { stdio: 'ignore' });
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
  await finished(wage_id);
  await expectDoneOnce(owner);
});

test('every history of these tests replays', async () => {
  expect(await replay({ workflowBundle })).toBe(6);
});
