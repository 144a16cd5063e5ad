import { randomUUID } from 'node:crypto';
import { reconciliationActivities } from '../../activities/reconciliation/run.ts';
import { bankSyncActivities } from '../../activities/bank/sync.ts';
import type { Step } from '../../activities/bank/reading.ts';
import { lockConnection } from '../../activities/bank/record.ts';
import { requestSync, sealPresent, type SyncRequest } from '../../activities/bank/request-sync.ts';
import type { SyncReason } from '../../domain/bank/reading.ts';
import { connectionById, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { AccountRow, TransactionRow } from '../../infra/db/queries/bank-reading.ts';
import { BankError, type BankRow } from '../../infra/bank/interface.ts';
import type { Services } from '../../infra/services.ts';
import { movableClock } from './clock.ts';
import { authorise, connectionsOf } from './connections.ts';
import { withDatabase } from './database.ts';
import { sqlOf } from './oauth.ts';
import { playedBanks, type PlayedAccount } from './played-banks.ts';
import { registerPerson } from './proved.ts';

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
  const steps = { ...bankSyncActivities(services), ...reconciliationActivities(services) };
  const request = async (connection_id: string, by: Partial<SyncRequest> = {}) => {
    const presentSealed = by.requestedBy === 'person' ? await sealPresent(services, { connection_id }, PRESENT) : null;
    const asked = { requestedBy: 'request', presentSealed, actor: null, ...by } as const;
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
    await steps.findWages(ref);
    await steps.reconcileConnection(ref);
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

/** Played banks, which before each test say nothing unusual, and persons whose accounts are read there. */
export function withReaders() {
  const [banks, clock] = [playedBanks(), movableClock()];
  const services = withDatabase({ banks, clock });
  const [bank, sql] = [connectionsOf(services), sqlOf(services)];
  const at = (instant: string) => {
    clock.set(instant);
    return services.clock.now(services.db);
  };
  beforeEach(async () => {
    await at('2026-11-29T12:00:00Z');
    for (const { port } of banks.all) {
      const quiet = { onRead: () => undefined, turnPage: (page: never) => page, failure: null, pageSize: 100 };
      const traits = { ...port.traits, unattendedPerDay: 1_000 };
      Object.assign(port, { ...quiet, accountList: [], calls: [], traits });
    }
  });
  const rowOf = (connection_id: string): Promise<ConnectionRow> => services.db.one(connectionById(connection_id));
  const person = async () => {
    const { user_id, principal } = await registerPerson(services, { proved: false });
    const connect = async (bank_id = 'played-local') => {
      const { connection_id } = await bank.connectBank({ user_id, bank_id, kind: 'accounts', principal });
      await authorise(services, banks, connection_id);
      return connection_id;
    };
    const all = <Row>(table: string, order: string) =>
      sql.many<Row & Record<string, unknown>>(`select * from ${table} where owner_id = $1 order by ${order}`, [
        user_id,
      ]);
    const accounts = () => all<AccountRow>('bank_accounts', 'seq');
    const rows = () => all<TransactionRow>('bank_transactions', 'booked_on, seq');
    return { user_id, principal, connect, accounts, rows };
  };
  return { ...banks, banks, services, bank, sql, syncs: syncsOf(services), at, rowOf, person };
}
