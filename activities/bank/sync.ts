import { MAX_WAIT_MS, SYNC_REASONS, syncOutcome, type SyncReason } from '../../domain/bank/reading.ts';
import { invalidInput } from '../../domain/errors.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import * as queries from '../../infra/db/queries/bank-reading.ts';
import type { Services } from '../../infra/services.ts';
import { bind } from '../bind.ts';
import { findWages } from './find-wages.ts';
import { listAgain, lookAtConsent, startLook } from './look.ts';
import { listAccounts } from './list-accounts.ts';
import { readAccount } from './read-account.ts';
import { lockConnection } from './record.ts';
import type { SyncRef } from './reading.ts';
import { startDueLooks, startDueSyncs } from './due.ts';

/** `lists`: the bank must list the accounts before they are read. */
export interface OpenSync {
  sync_id: string;
  lists: boolean;
}

/** Null if nobody has requested a sync, or the last one is over. */
export async function openSync(
  { db }: Pick<Services, 'db'>,
  { connection_id }: Pick<SyncRef, 'connection_id'>,
): Promise<OpenSync | null> {
  const sync = await db.maybe(queries.syncOf(connection_id));
  if (!sync) return null;
  const { accounts_listed_at } = await db.one(connectionById(connection_id));
  return { sync_id: sync.sync_id, lists: accounts_listed_at === null };
}

/** The ids of the accounts that this connection reads. */
export async function accountsToRead(
  { db }: Pick<Services, 'db'>,
  { connection_id }: Pick<SyncRef, 'connection_id'>,
): Promise<string[]> {
  return (await db.many(queries.accountsToRead(connection_id))).map(({ account_id }) => account_id);
}

export interface SyncEnd extends SyncRef {
  lists: boolean;
  /** The first is the one that callers see. */
  reasons: SyncReason[];
  /** Until then, the bank wants no reads. */
  wait_until: string | null;
}

/** Readers who wait for the sync see its end. Several calls do no more than one. */
export async function finishSync(
  services: Services,
  { connection_id, sync_id, lists, reasons, wait_until: waitUntil }: SyncEnd,
): Promise<void> {
  requireReasons(reasons);
  await requireWait(services, waitUntil);
  await services.db.transaction(async (tx) => {
    const connection = await lockConnection(tx, connection_id);
    if ((await tx.run(queries.deleteSync(connection_id, sync_id))) === 0) return;
    const { accounts, rows_new: rowsNew, rows_refused: rowsRefused } = await tx.one(queries.resultsOf(sync_id));
    const outcome = syncOutcome(reasons, accounts);
    const reason = reasons[0] ?? null;
    await tx.run(queries.endSync(connection_id, { outcome, reason, rowsNew, rowsRefused, waitUntil }));
    tx.afterCommit(() => {
      services.metrics.bankSyncs.inc({ outcome });
      services.metrics.bankRows.inc({ kind: 'new' }, rowsNew);
      services.metrics.bankRows.inc({ kind: 'refused' }, rowsRefused);
    });
    // Some banks, asked for one account, do not say that the consent is over.
    const { status, consent_id, owner_id } = connection;
    const isInDoubt = outcome === 'failed' && reason === 'bank-away' && status === 'authorised';
    if (isInDoubt && consent_id !== null) await startLook(tx, services, { consent_id, owner_id });
    // The accounts changed, or another consent took over, while this sync read those that were known.
    if (!lists && connection.accounts_listed_at === null) await listAgain(connection, services);
  });
}

function requireReasons(reasons: unknown): void {
  const known: readonly unknown[] = SYNC_REASONS;
  if (Array.isArray(reasons) && reasons.every((reason) => known.includes(reason))) return;
  throw invalidInput('/reasons', 'must be a list of known reasons');
}

async function requireWait({ clock, db }: Pick<Services, 'clock' | 'db'>, until: unknown): Promise<void> {
  if (until === null) return;
  const ms = typeof until === 'string' ? Date.parse(until) - (await clock.real(db)).getTime() : Number.NaN;
  if (!(ms <= MAX_WAIT_MS)) throw invalidInput('/wait_until', 'must be an instant of the next 25 hours');
}

export const bankSyncActivities = (services: Services) =>
  bind(services, {
    ...{ openSync, listAccounts, accountsToRead, readAccount, findWages, finishSync },
    ...{ lookAtConsent, startDueSyncs, startDueLooks },
  });

export type BankSyncActivities = ReturnType<typeof bankSyncActivities>;
