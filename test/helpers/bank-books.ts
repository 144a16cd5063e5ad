import { randomUUID } from 'node:crypto';
import { bankSyncActivities } from '../../activities/bank/sync.ts';
import type { Step } from '../../activities/bank/reading.ts';
import { lockConnection } from '../../activities/bank/record.ts';
import { requestSync, sealPresent, type SyncRequest } from '../../activities/bank/request-sync.ts';
import type { SyncReason } from '../../domain/bank/reading.ts';
import { BankError, type BankRow } from '../../infra/bank/interface.ts';
import type { Services } from '../../infra/services.ts';
import type { PlayedAccount } from './played-banks.ts';

let made = 0;

/** An account of a played bank, with a number of its own. */
export function playedAccount(more: Partial<PlayedAccount> = {}): PlayedAccount {
  const number = String(10_000_000 + (made += 1));
  return {
    ref: `ref-${number}`,
    kind: 'current',
    name: 'Main account',
    currency: 'GBP',
    sortCode: '401276',
    accountNumber: number,
    iban: null,
    last4: number.slice(-4),
    balance: { current: 100_000, available: 150_000, creditLine: 50_000 },
    rows: [],
    ...more,
  };
}

export function playedRow(more: Partial<BankRow> = {}): BankRow {
  const texts = { counterparty: 'Employer', payer: 'Employer', debtorAccount: null, reference: 'Salary' };
  return { stableId: randomUUID(), amount: 1_111, bookedOn: '2026-11-28', ...texts, ...more };
}

const PRESENT = { ip: '203.0.113.9', userAgent: 'Browser', language: 'en-GB' };

/** What the workflow makes of a bank that stays away. */
const orAway = (step: Promise<Step>): Promise<Step> =>
  step.catch((error: unknown) => {
    if (error instanceof BankError) return { kind: 'failed', reason: 'bank-away' };
    throw error;
  });

/** Runs the steps of a sync, as the workflow does, but without its waiting. */
export function syncsOf(services: Services) {
  const steps = bankSyncActivities(services);
  const request = async (connection_id: string, by: Partial<SyncRequest> = {}) => {
    const presentSealed = by.askedBy === 'person' ? await sealPresent(services, { connection_id }, PRESENT) : null;
    const asked = { askedBy: 'request', presentSealed, actor: null, ...by } as const;
    return services.db.transaction(async (tx) => requestSync(await lockConnection(tx, connection_id), services, asked));
  };
  const run = async (connection_id: string, onRead: () => void = () => undefined): Promise<Step[]> => {
    const open = await steps.openSync({ connection_id });
    if (!open) return [];
    const { sync_id, lists } = open;
    const ref = { connection_id, sync_id };
    const results: Step[] = lists ? [await orAway(steps.listAccounts(ref))] : [];
    const isOver = () => results.some(({ kind }) => kind === 'stopped' || kind === 'wait');
    if (results.every(({ kind }) => kind === 'done')) {
      for (const account_id of await steps.accountsToRead({ connection_id })) {
        if (!isOver()) results.push(await orAway(steps.readAccount({ ...ref, account_id })));
        onRead();
      }
    }
    const waits = results.flatMap((step) => (step.kind === 'wait' ? step.until : []));
    const reasons = results.flatMap((step): SyncReason[] => {
      if (step.kind === 'done') return [];
      return [step.kind === 'wait' ? 'bank-wait' : step.kind === 'not-final' ? 'not-final' : step.reason];
    });
    await steps.finishSync({ ...ref, lists, reasons, wait_until: waits[0] ?? null });
    return results;
  };
  return {
    ...steps,
    request,
    run,
    async sync(connection_id: string, by: Partial<SyncRequest> = {}) {
      await request(connection_id, by);
      return run(connection_id);
    },
  };
}
