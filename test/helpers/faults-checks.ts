import { Client, Connection } from '@temporalio/client';
import { runCommand } from '../../programs/admin/run.ts';
import type { FaultClient } from './faults-client.ts';
import { bodyFor, ENDS, FUNDS, paymentsOf, type Owner, type Paid, type Payment } from './faults-load.ts';
import { type FaultStack } from './faults.ts';
import { until } from './until.ts';

interface Movement {
  payment_id: string;
  attempt: number;
  amount: number;
  direction: 'out' | 'returned';
}

/** Returns each payment's transfers at the bank, oldest first, such as `out 1234 attempt 1`. */
export async function movedAtBank(stack: FaultStack, client: FaultClient): Promise<Map<string, string[]>> {
  const listing = client.call('GET', `${stack.bankUrl}/sandbox/movements`);
  const { items } = await bodyFor<{ items: Movement[] }>(200, listing);
  const moved = new Map<string, string[]>();
  for (const { payment_id, direction, amount, attempt } of items) {
    moved.set(payment_id, [...(moved.get(payment_id) ?? []), `${direction} ${amount} attempt ${attempt}`]);
  }
  return moved;
}

/**
 * Expects one payment for each order, with the status and the bank movements that its payee causes, and sound books.
 */
export async function expectOnceEach(
  stack: FaultStack,
  { client, owners, paid }: { client: FaultClient; owners: readonly Owner[]; paid: readonly Paid[] },
): Promise<void> {
  const payments = await paymentsOf(client, owners);
  const byReference = Map.groupBy(payments, ({ reference }) => reference);
  for (const { key, paymentId, payee, amount } of paid) {
    const those = byReference
      .get(key)
      ?.map(({ payment_id, status, amount: paidAmount }) => ({ payment_id, status, amount: paidAmount }));
    expect({ key, those }).toEqual({ key, those: [{ payment_id: paymentId, status: ENDS[payee], amount }] });
  }

  const moved = await movedAtBank(stack, client);
  const expected = new Map(
    payments
      .map((payment) => [payment.payment_id, movementsOf(payment)] as const)
      .filter(([, those]) => those.length > 0),
  );
  const own = new Set(payments.map(({ payment_id }) => payment_id));
  expect(new Map([...moved].filter(([paymentId]) => own.has(paymentId)).sort())).toEqual(new Map([...expected].sort()));

  for (const { userId, token } of owners) {
    const looking = client.call('GET', `/api/v1/allocations/vaults/${userId}`, { token });
    const { vaults, in_flight } = await bodyFor<{ vaults: { balance: number }[]; in_flight: number }>(200, looking);
    const spent = payments.filter(({ user_id, status }) => user_id === userId && status === 'completed');
    const left = FUNDS - spent.reduce((sum, { amount }) => sum + amount, 0);
    expect({ in_flight, balances: vaults.map(({ balance }) => balance) }).toEqual({ in_flight: 0, balances: [left] });
  }
  await expectWhole(stack);
  expect(client.wrongs).toEqual([]);
}

function movementsOf({ status, amount, attempt }: Payment): string[] {
  const out = `out ${amount} attempt ${attempt}`;
  if (status === 'completed') return [out];
  return status === 'returned' ? [out, `returned ${amount} attempt ${attempt}`] : [];
}

/** Call after all payments have ended. */
export async function expectNoWorkflows(stack: FaultStack): Promise<void> {
  await until(async () => (await openWorkflows(stack)) === 0, 'the end of every workflow', 30_000);
}

export async function openWorkflows({ env }: Pick<FaultStack, 'env'>): Promise<number> {
  const connection = await Connection.connect({ address: `localhost:${env.RINGFENCE_PORT_TEMPORAL}` });
  try {
    return (await new Client({ connection }).workflow.count(`ExecutionStatus = 'Running'`)).count;
  } finally {
    await connection.close();
  }
}

export async function expectWhole(stack: FaultStack): Promise<void> {
  expect(await findingsOf(stack)).toEqual([]);
}

export async function findingsOf({ env }: Pick<FaultStack, 'env'>): Promise<string[]> {
  const findings: string[] = [];
  for (const what of ['ledger', 'audit']) {
    const { stdout, stderr } = await runCommand([what, 'verify'], env);
    const ok = stdout !== '' && (JSON.parse(stdout) as { ok: boolean }).ok && stderr === '';
    if (!ok) findings.push(`${what} verify: ${stderr || stdout}`);
  }
  return findings;
}
