import {
  ApplicationFailure,
  condition,
  defineSignal,
  isCancellation,
  log,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { PaymentWorkflowActivities, SubmissionResult } from '../activities/payments/index.ts';
import { ATTENTION_AFTER_MS, isSettled, SAFE_TO_REPEAT_MS, type PaymentStatus } from '../domain/payments.ts';
import { backoffMs } from '../domain/retry.ts';
import { ATTENTION, STATUS } from './attributes.ts';

/** `execute_on` is a day in London, or null for immediate payment. */
interface PaymentArgs {
  payment_id: string;
  attempt: number;
  execute_on: string | null;
}

export interface PaymentResult {
  status: PaymentStatus;
}

/** Sent when the payment gets a final status, or when the bank blocks the payment. */
export const paymentChanged = defineSignal<[{ attempt: number; status: PaymentStatus }]>('paymentChanged');

/** Sent when the business clock is moved to the payment's day or past it. */
export const clockMoved = defineSignal('clockMoved');

/** Sent when a payment that was scheduled may be sent. */
export const turnBegun = defineSignal('turnBegun');

const SETTLE_WITHIN_MS = 8_000;
/** A turn can get lost, for example with a restored database. */
const ASK_AGAIN_MS = 600_000;

const LOOK = 'Ask the bank for the status';

/** A bank event can get lost, and a block can last for months. */
const LOOK_AT_BLOCKED_EVERY_MS = 24 * 3_600_000;

const bank = proxyActivities<Pick<PaymentWorkflowActivities, 'submitPayment' | 'checkPayment'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Few retries, because an operator's decision must not wait for the bank. The next check follows a day later. */
const dailyCheck = proxyActivities<Pick<PaymentWorkflowActivities, 'checkPayment'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumAttempts: 3 },
});

const record = proxyLocalActivities<
  Pick<
    PaymentWorkflowActivities,
    'msUntilDue' | 'askForTurn' | 'markAttention' | 'readBlocked' | 'readFailure' | 'readStatus'
  >
>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** The payment's row in the database is authoritative. @throws ApplicationFailure if the payment failed. */
export async function payment(args: PaymentArgs): Promise<PaymentResult> {
  const signals = listen(args.attempt);

  if (args.execute_on !== null) {
    await untilDue(args, signals);
    await untilTurn(args, signals);
  }
  const status = await untilOver(args, signals);
  if (status === 'failed') throw await failureOf(args);
  show(status, `The payment is ${status}.`);
  return { status };
}

/** What the signals have said so far. */
interface Signals {
  arrived: boolean;
  turnBegun: boolean;
  settledAs: PaymentStatus | undefined;
}

function listen(attempt: number): Signals {
  const signals: Signals = { arrived: false, turnBegun: false, settledAs: undefined };
  setHandler(paymentChanged, (change) => {
    if (change.attempt !== attempt) return;
    if (isSettled(change.status)) signals.settledAs = change.status;
    signals.arrived = true;
  });
  setHandler(turnBegun, () => {
    signals.turnBegun = true;
  });
  setHandler(clockMoved, () => {
    signals.arrived = true;
  });
  return signals;
}

/** Confirms the signal with the payment's row, because anybody with access to Temporal can send a signal. */
async function settledAs(args: PaymentArgs, signals: Signals): Promise<PaymentStatus | undefined> {
  if (signals.settledAs === undefined) return undefined;
  // Clears the signal before reading the row, so that no later signal is lost.
  signals.settledAs = undefined;
  const status = await record.readStatus(args);
  if (!isSettled(status)) return undefined;
  signals.settledAs = status;
  return status;
}

/** Does not sleep if a signal already said that the payment is settled. */
async function waitForSignal(ms: number, signals: Signals, why: string): Promise<void> {
  if (signals.settledAs) return;
  signals.arrived = false;
  await condition(() => signals.arrived, ms, { summary: why });
}

async function untilDue(args: PaymentArgs, signals: Signals): Promise<void> {
  show('pending', `Scheduled for ${args.execute_on}. Until then, the payment can be cancelled.`);
  for (;;) {
    // Clears the signal before reading the clock, so that no later signal is lost.
    signals.arrived = false;
    const ms = await record.msUntilDue(args);
    if (ms === 0 || (await settledAs(args, signals))) return;
    await condition(() => signals.arrived, ms, { summary: `until ${args.execute_on}` });
  }
}

/** Many scheduled payments fall due at the same time. */
async function untilTurn(args: PaymentArgs, signals: Signals): Promise<void> {
  const isOver = () => signals.turnBegun || signals.settledAs !== undefined;
  while (!isOver() && (await record.askForTurn(args)))
    if (await condition(isOver, ASK_AGAIN_MS, { summary: 'until its turn to be sent' })) return;
}

async function untilOver(args: PaymentArgs, signals: Signals): Promise<PaymentStatus> {
  const submission = await submitUntilTaken(args, signals);
  return submission.outcome === 'settled' ? submission.status : untilSettled(args, submission, signals);
}

async function submitUntilTaken(args: PaymentArgs, signals: Signals): Promise<SubmissionResult> {
  for (let failures = 0; ; failures += 1) {
    const settled = await settledAs(args, signals);
    if (settled) return { outcome: 'settled', status: settled };
    const result = await bank.submitPayment.executeWithOptions(
      { summary: `Attempt ${args.attempt}: send to the bank` },
      [{ payment_id: args.payment_id, attempt: args.attempt, settle_within_ms: SETTLE_WITHIN_MS }],
    );
    if (result.outcome !== 'unavailable' && result.outcome !== 'unknown') return result;
    const ms = Math.max(result.wait_ms ?? 0, backoffMs(failures, { first: 1_000, most: 300_000 }));
    show(
      result.status,
      result.outcome === 'unavailable'
        ? `The bank has not accepted the payment yet. The next try is in ${Math.ceil(ms / 1_000)} s. Until then, the payment can be cancelled.`
        : `Sent, but the bank gave no clear response. The money stays in flight. The next check is in ${Math.ceil(ms / 1_000)} s.`,
    );
    await waitForSignal(ms, signals, 'until the next try');
  }
}

async function untilSettled(args: PaymentArgs, submission: SubmissionResult, signals: Signals): Promise<PaymentStatus> {
  if (submission.outcome === 'expired') return untilResolved(args, signals);
  show('processing', 'The bank has accepted the payment. Waiting for it to settle.');
  for (let looks = 0; ; looks += 1) {
    await waitForSignal(
      backoffMs(looks, { first: 10_000, most: 600_000 }),
      signals,
      'until the bank reports it, or the next check',
    );
    const settled = await settledAs(args, signals);
    if (settled) return settled;
    const status = await bank.checkPayment.executeWithOptions({ summary: LOOK }, [args]);
    if (isSettled(status)) return status;
    if (await record.readBlocked(args)) return untilUnblocked(args, signals);
  }
}

async function untilUnblocked(args: PaymentArgs, signals: Signals): Promise<PaymentStatus> {
  callOperator(args, 'The bank has blocked the payment. Ask the bank whether it will pay the money or return it.');
  for (;;) {
    await waitForSignal(
      LOOK_AT_BLOCKED_EVERY_MS,
      signals,
      'until an operator or the bank settles it, or the daily check',
    );
    const status = (await settledAs(args, signals)) ?? (await lookOnce(args)) ?? (await settledAs(args, signals));
    if (status === undefined || !isSettled(status)) continue;
    upsertSearchAttributes([{ key: ATTENTION, value: false }]);
    return status;
  }
}

/** Returns undefined if the bank does not respond. */
async function lookOnce(args: PaymentArgs): Promise<PaymentStatus | undefined> {
  try {
    return await dailyCheck.checkPayment.executeWithOptions({ summary: LOOK }, [args]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return undefined;
  }
}

function callOperator(args: PaymentArgs, task: string): void {
  upsertSearchAttributes([{ key: ATTENTION, value: true }]);
  const resolve = `npm run admin -- payment resolve ${args.payment_id} --as completed|failed --reason TEXT`;
  setCurrentDetails(`**An operator must decide.** ${task} Then: \`${resolve}\``);
  log.warn('a payment needs an operator', { payment_id: args.payment_id });
}

async function untilResolved(args: PaymentArgs, signals: Signals): Promise<PaymentStatus> {
  show('processing', 'The outcome at the bank is unknown, and it is too late to ask again.');
  await waitForSignal(ATTENTION_AFTER_MS - SAFE_TO_REPEAT_MS, signals, 'until an operator is called');
  const settled = await settledAs(args, signals);
  if (settled) return settled;
  if (!signals.arrived) {
    await record.markAttention(args);
    callOperator(args, 'Ask the bank whether it moved the money.');
    await condition(() => signals.arrived);
  }
  // An operator may have found that nothing was sent.
  return untilOver(args, signals);
}

/**
 * Temporal's Web UI then lists the payment among the failed workflows, with the reason. The category benign keeps Temporal
 * from logging or counting the failure as one of the service.
 */
async function failureOf(args: PaymentArgs): Promise<ApplicationFailure> {
  const failure = await record.readFailure(args);
  const again = failure?.retryable ? 'it can be retried' : 'it cannot be retried';
  const code = failure?.code ?? 'no reason given';
  const message = `The payment failed: ${code}; ${again}. The money is back in its allocation.`;
  show('failed', message);
  return ApplicationFailure.create({ message, type: code, nonRetryable: true, category: 'BENIGN' });
}

function show(status: PaymentStatus, details: string): void {
  setCurrentDetails(details);
  upsertSearchAttributes([{ key: STATUS, value: status }]);
}
