import {
  ActivityFailure,
  ApplicationFailure,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { Step, SyncRef } from '../activities/bank/reading.ts';
import type { BankSyncActivities, OpenSync } from '../activities/bank/sync.ts';
import type { ReconciliationActivities } from '../activities/reconciliation/run.ts';
import type { SyncReason } from '../domain/bank/reading.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/dates.ts';
import { STATUS } from './attributes.ts';

/** Sent when somebody has requested a sync. */
export const syncRequested = defineSignal('syncRequested');

const records = proxyLocalActivities<Pick<BankSyncActivities, 'openSync' | 'accountsToRead'>>({
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

const { finishSync } = proxyActivities<Pick<BankSyncActivities, 'finishSync'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** Each looks at what was read. */
const { findWages, reconcileConnection } = proxyActivities<
  Pick<BankSyncActivities, 'findWages'> & Pick<ReconciliationActivities, 'reconcileConnection'>
>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 10 },
});

/** A bank that stays away is left to the next sync. */
const bank = proxyActivities<Pick<BankSyncActivities, 'listAccounts' | 'readAccount'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '2 seconds', maximumInterval: '30 seconds', maximumAttempts: 5 },
});

const LONGEST_WAIT_MS = HOUR_MS;
const NOT_FINAL_TRIES = 5;

/** Reads the accounts of a connection, and goes on as long as somebody requests another sync meanwhile. */
export async function bankSync({ connection_id }: Pick<SyncRef, 'connection_id'>): Promise<void> {
  let isSignalled = false;
  setHandler(syncRequested, () => {
    isSignalled = true;
  });
  for (;;) {
    // Clears the signal before reading the row, so that no later signal is lost.
    isSignalled = false;
    const sync = await records.openSync({ connection_id });
    if (sync !== null) await runSync(connection_id, sync);
    else if (!isSignalled) return;
  }
}

async function runSync(connection_id: string, { sync_id, lists }: OpenSync): Promise<void> {
  upsertSearchAttributes([{ key: STATUS, value: 'processing' }]);
  const ref = { connection_id, sync_id };
  const progress = new Progress();
  if (lists) {
    setCurrentDetails('The bank is asked for the list of accounts.');
    await progress.take(() => bank.listAccounts.executeWithOptions({ summary: 'List the accounts' }, [ref]));
  }
  const accounts = progress.reasons.length === 0 ? await records.accountsToRead({ connection_id }) : [];
  for (const [index, account_id] of accounts.entries()) {
    if (progress.isOver) break;
    setCurrentDetails(`Account ${index + 1} of ${accounts.length} is being read.`);
    const summary = `Read ${account_id}`;
    await progress.take(() => bank.readAccount.executeWithOptions({ summary }, [{ ...ref, account_id }]));
  }
  await progress.take(() => recogniseWages(connection_id));
  await progress.take(() => findPayments(connection_id));
  const { reasons, waitUntil: wait_until } = progress;
  const end = { ...ref, lists, reasons, wait_until };
  await finishSync.executeWithOptions({ summary: 'Store how the sync ended' }, [end]);
  const ended = reasons.length === 0 ? 'The accounts are read.' : `The sync is not complete: ${reasons.join(', ')}.`;
  setCurrentDetails(ended);
  upsertSearchAttributes([{ key: STATUS, value: reasons.length === 0 ? 'completed' : 'failed' }]);
}

/** Whatever was read is stored, so this runs although a bank left something out. */
async function recogniseWages(connection_id: string): Promise<Step> {
  setCurrentDetails('Wages are being recognised.');
  await findWages.executeWithOptions({ summary: 'Recognise wages' }, [{ connection_id }]);
  return { kind: 'done' };
}

async function findPayments(connection_id: string): Promise<Step> {
  setCurrentDetails('Payments are being looked for.');
  await reconcileConnection.executeWithOptions({ summary: 'Look for payments' }, [{ connection_id }]);
  return { kind: 'done' };
}

/** What the steps of one sync have led to. */
class Progress {
  readonly reasons: SyncReason[] = [];
  waitUntil: string | null = null;
  isOver = false;
  private leftToWaitMs = LONGEST_WAIT_MS;

  /** Repeats the step as long as the bank only wants more time. */
  async take(step: () => Promise<Step>): Promise<void> {
    for (let unfinished = 0; ;) {
      const result = await step().catch(failureOf);
      if (result.kind === 'done') return;
      if (result.kind === 'wait' && result.ms <= this.leftToWaitMs) {
        this.leftToWaitMs -= result.ms;
        await sleep(result.ms, { summary: 'as long as the bank wants no reads' });
      } else if (result.kind === 'not-final' && unfinished < NOT_FINAL_TRIES) {
        unfinished += 1;
        await sleep(MINUTE_MS, { summary: 'until the bank has the answer' });
      } else {
        this.end(result);
        return;
      }
    }
  }

  private end(result: Exclude<Step, { kind: 'done' }>): void {
    if (result.kind === 'not-final') this.reasons.push('not-final');
    else if (result.kind === 'wait') this.reasons.push('bank-wait');
    else this.reasons.push(result.reason);
    if (result.kind === 'wait') this.waitUntil = result.until;
    this.isOver ||= result.kind === 'wait' || result.kind === 'stopped';
  }
}

/** After the last try. Faults of this service concern one account only. */
function failureOf(error: unknown): Step {
  if (!(error instanceof ActivityFailure)) throw error;
  const isBank = error.cause instanceof ApplicationFailure && error.cause.type === 'BankError';
  return { kind: 'failed', reason: isBank ? 'bank-away' : 'account-error' };
}
