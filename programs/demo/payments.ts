import { randomUUID } from 'node:crypto';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import { inPounds } from '../../domain/money.ts';
import type { SandboxPayeeId } from '../../domain/sandbox-payees.ts';
import type { Output } from '../../client/src/index.ts';
import { paymentWorkflowId } from '../../workflows/ids.ts';
import type { Person } from './account.ts';
import { WAGE } from './documents.ts';
import { isBack, type Paycheck } from './money.ts';
import { issueKey, must, mustBe, workflowPage, type Stage } from './stage.ts';

type Payment = Output<'executePayment'>;

const MONTHS = 6;
const ENERGY = 14_250;

/** `moved` is the amount that the bank must have paid, in pence. */
interface Bill {
  what: string;
  payment_id: string;
  moved: number;
}

export async function payAtOnce(stage: Stage, paycheck: Paycheck): Promise<Bill> {
  const { client, teller } = stage;
  teller.step(
    'Pay the energy bill',
    'One transaction stores the payment and moves the money from the allocation to "in flight". Then a Temporal workflow sends the payment to the bank. The Idempotency-Key makes the request safe to repeat.',
  );
  const request = payFrom(paycheck, 'Energy', 'prov_sandbox_instant');
  const idempotencyKey = newKey();
  const payment = await client.executePayment(request, { idempotencyKey });
  printPayment(stage, 201, payment);

  teller.step(
    'Send the same request again',
    'A client does this if it gets no response in time. The service must not pay twice.',
  );
  let replayed = 'missing';
  const again = await client.executePayment(request, {
    idempotencyKey,
    onResponse: ({ headers }) => (replayed = headers.get('idempotent-replayed') ?? replayed),
  });
  teller.answered(201, `Idempotent-Replayed: ${replayed}; the same response as before, ${again.payment_id}`);
  mustBe('Idempotent-Replayed of the second response', replayed, 'true');
  mustBe('The payment of the second response', again.payment_id, payment.payment_id);

  teller.step(
    'Wait until it is settled',
    'Prefer: wait delays the response until the status changes. So the client need not ask again and again.',
  );
  await follow(stage, payment, 'completed');
  return { what: 'Energy', payment_id: payment.payment_id, moved: payment.amount };
}

export async function payWithRetry(stage: Stage, paycheck: Paycheck): Promise<Bill> {
  const { client, teller } = stage;
  teller.step(
    'Pay council tax, and get a rejection',
    'This payee of the sandbox rejects the first attempt of each payment.',
  );
  const request = payFrom(paycheck, 'Council tax', 'prov_sandbox_reject_once');
  const payment = await client.executePayment(request, { idempotencyKey: newKey() });
  printPayment(stage, 201, payment);
  const { failure } = await follow(stage, payment, 'failed');
  must(failure?.retryable === true, 'The failure should be retryable, but it is not.');
  teller.found(`${failure.code}: ${failure.detail} It can be retried.`);
  await isBack(stage, paycheck, 'Council tax');

  teller.step(
    'Try it again',
    'The retry is the next attempt of the same payment. It has its own idempotency key at the bank and its own workflow.',
  );
  const retried = await client.retryPayment({ path: { payment_id: payment.payment_id } });
  printPayment(stage, 202, retried);
  mustBe('The attempt', retried.attempt, 2);
  await follow(stage, retried, 'completed');
  return { what: 'Council tax', payment_id: payment.payment_id, moved: payment.amount };
}

export async function scheduleAndCancel(stage: Stage, paycheck: Paycheck): Promise<Bill> {
  const { client, teller } = stage;
  const day = addDays(londonDateOf(new Date(paycheck.calculated_at)), 7);
  teller.step(
    'Schedule the rent',
    'The payment is due in a week. The workflow sleeps until then, and the money is set aside now.',
  );
  const request = payFrom(paycheck, 'Rent', 'prov_sandbox_lost_reply', day);
  const payment = await client.executePayment(request, { idempotencyKey: newKey() });
  printPayment(stage, 201, payment);
  mustBe('The status of the scheduled payment', payment.status, 'pending');

  teller.step('Cancel it', 'A payment can be cancelled only while it is pending, before the bank has accepted it.');
  const cancelled = await client.cancelPayment({ path: { payment_id: payment.payment_id } });
  teller.answered(200, `${cancelled.payment_id} is ${cancelled.status}`);
  mustBe('The status after the cancel', cancelled.status, 'cancelled');
  await isBack(stage, paycheck, 'Rent');
  return { what: 'Rent', payment_id: payment.payment_id, moved: 0 };
}

/** @returns the total that the bank moved, in pence. */
export async function askTheBank({ api, teller }: Stage, bills: readonly Bill[]): Promise<number> {
  teller.step('Ask the bank what it really moved', 'The sandbox bank is a separate program with its own books.');
  let total = 0;
  for (const { what, payment_id, moved } of bills) {
    const movements = await api.movements(payment_id);
    const sum = movements.reduce((soFar, { amount, direction }) => soFar + (direction === 'out' ? amount : -amount), 0);
    const shown = movements.map(({ amount, attempt }) => `${inPounds(amount)} by attempt ${attempt}`).join(', ');
    teller.answered(200, `${what}: ${shown || 'nothing'}`);
    mustBe(`What the bank moved for ${what}, in pence,`, sum, moved);
    must(movements.length <= 1, `The bank moved money for ${what} ${movements.length} times instead of once.`);
    total += sum;
  }
  teller.found(`${inPounds(total)} in all: each bill paid once, the cancelled one not at all`);
  return total;
}

export async function payForMonths(stage: Stage, person: Person): Promise<void> {
  const { api, teller } = stage;
  teller.step(
    'Pay bills for half a year',
    'A credential counts bills by the month, so one month proves little. Each month the wage comes in, the energy bill is paid, and the clock moves on.',
  );
  const operator = api.clientFor({ apiKey: await issueKey(stage, 'admin:audit') }, { quiet: true });
  for (let month = 1; month <= MONTHS; month += 1) {
    const paidOn = await payEnergy(stage, person);
    teller.answered(
      201,
      `${paidOn}: the wage of ${inPounds(WAGE)} is split, and ${inPounds(ENERGY)} are paid for energy`,
    );
    if (month === MONTHS) break;
    await operator.moveClock({ body: { advance: 'P1M' } });
  }
}

async function payEnergy({ quiet }: Stage, { userId }: Person): Promise<string> {
  const paycheck = await quiet.calculatePaycheck({
    body: {
      employee_id: userId,
      gross_pay: WAGE,
      obligations: [{ type: 'Energy', amount: ENERGY, category: 'FIXED' }],
      include_history: false,
    },
  });
  const { payment_id } = await quiet.executePayment(payFrom(paycheck, 'Energy', 'prov_sandbox_instant'));
  const { status, timeline } = await quiet.untilPaymentEnds(payment_id);
  mustBe(`The status of ${payment_id}`, status, 'completed');
  return londonDateOf(new Date(timeline.at(-1)!.at));
}

export function payFrom({ vaults }: Paycheck, type: string, provider_id: SandboxPayeeId, execute_on?: string) {
  const vault = vaults.find((candidate) => candidate.type === type);
  must(vault !== undefined, `The paycheck has no vault for ${type}.`);
  return {
    body: {
      vault_allocation_id: vault.allocation_id,
      amount: vault.amount,
      currency: 'GBP',
      provider_id,
      reference: type.toUpperCase(),
      ...(execute_on !== undefined && { execute_on }),
    },
  } as const;
}

function newKey(): string {
  return `demo-${randomUUID()}`;
}

export function printPayment({ config, teller }: Stage, code: 201 | 202, payment: Payment): void {
  const { payment_id, attempt, status, amount } = payment;
  teller.answered(code, `${payment_id}, attempt ${attempt}: ${inPounds(amount)}, ${status}`);
  teller.look('Its workflow', workflowPage(config, paymentWorkflowId(payment_id, attempt)));
}

export async function follow({ client, teller }: Stage, { payment_id }: Payment, wanted: Payment['status']) {
  const payment = await client.untilPaymentEnds(payment_id);
  teller.answered(200, `${payment.status}; what happened:`);
  for (const { at, status, attempt, detail } of payment.timeline) {
    teller.line(`        ${at.slice(11, 23)}  attempt ${attempt}  ${status.padEnd(10)}  ${detail}`);
  }
  mustBe(`The status of ${payment_id}`, payment.status, wanted);
  return payment;
}
