import { hash } from 'node:crypto';
import { ownerFor, type Principal } from '../../domain/auth.ts';
import { isEnded, type ConnectionStatus } from '../../domain/bank/connections.ts';
import { consentMonth } from '../../domain/bank/limits.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { maskAccountNumber, maskSortCode } from '../../domain/vault/masks.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { ConnectionRow } from '../../infra/db/queries/bank.ts';
import { accountsOfConnections, type ShownAccount } from '../../infra/db/queries/bank-lists.ts';
import { syncOf } from '../../infra/db/queries/bank-reading.ts';
import { usedInMonths } from '../../infra/db/queries/payers.ts';
import type { Services } from '../../infra/services.ts';
import type { ConnectedAccount, Connection, ConnectionDetails, ConnectionSync } from '../../openapi/types.ts';
import { onceDone } from '../once-done.ts';
import { pagesOf, type Page } from '../page.ts';
import { openDetails } from './accounts.ts';
import { openPayingAccount, requireConnection } from './record.ts';

interface ReadRequest {
  connection_id: string;
  wait_ms?: number;
  signal?: AbortSignal;
}

interface ListRequest {
  principal: Principal;
  user_id?: string;
  status?: ConnectionStatus;
  limit: number;
  cursor?: string;
}

/**
 * `version` changes with each change that a reader can see. `awaited`: the person may be at the bank now, or the accounts
 * are being read.
 */
export async function getConnection(
  services: Services,
  { connection_id, wait_ms = 0, signal }: ReadRequest,
): Promise<{ connection: ConnectionDetails; version: string; awaited: boolean; syncing: boolean }> {
  const read = async (): Promise<Read> => {
    // Read first: a sync that ends meanwhile shows in the connection's version.
    const syncing = (await services.db.maybe(syncOf(connection_id))) !== undefined;
    return { syncing, row: requireConnection(await services.db.maybe(queries.connectionById(connection_id))) };
  };
  const first = await read();
  const isDone = (now: Read) => versionOf(now) !== versionOf(first) || !isAwaited(now);
  const isWaiting = wait_ms > 0 && isAwaited(first);
  const last = isWaiting ? await onceDone(services, connection_id, { read, isDone, withinMs: wait_ms, signal }) : first;
  const connection = await connectionDetails(services, last.row);
  // Figures change while the accounts are read, by another connection to the same account, and by payments.
  const figures = hash('sha256', JSON.stringify(connection.accounts ?? connection.used_this_month), 'base64url').slice(
    0,
    12,
  );
  return { connection, version: `${versionOf(last)}-${figures}`, awaited: isAwaited(last), syncing: last.syncing };
}

interface Read {
  row: ConnectionRow;
  /** Whether its accounts are being read, or will be at once. */
  syncing: boolean;
}

function isAwaited({ row, syncing }: Read): boolean {
  return syncing || isOffered(row);
}

function isOffered({ offered, status }: Pick<ConnectionRow, 'offered' | 'status'>): boolean {
  return offered && !isEnded(status);
}

/** Time alone changes the status, and takes back what was offered. */
function versionOf({ row, syncing }: Read): string {
  return `${row.version}-${row.status}${isOffered(row) ? '-offered' : ''}${syncing ? '-syncing' : ''}`;
}

export async function listConnections(services: Services, request: ListRequest): Promise<Page<ConnectionDetails>> {
  const { principal, user_id, status, limit, cursor } = request;
  const owner = ownerFor(principal, user_id, '/query/user_id');
  const pages = pagesOf(services, { operation: 'listConnections', filter: { owner, status } });
  const wanted = { owner, status, before: await pages.after(cursor), most: limit + 1 };
  const { items, next_cursor } = await pages.page(
    await services.db.many(queries.connectionsOf(wanted)),
    limit,
    (row) => row,
  );
  const [accounts, used] = await Promise.all([accountsOf(services, items), usedThisMonth(services, items)]);
  const shown = items.map((row) =>
    detailsWith(services, row, accounts.get(row.connection_id) ?? [], used.get(row.connection_id)),
  );
  return { items: await Promise.all(shown), next_cursor };
}

export function authoriseUrl({ config }: Pick<Services, 'config'>, connectionId: string): string {
  return `${config.api.publicUrl}/api/v1/bank/connections/${connectionId}/authorise`;
}

type Viewed = Omit<ConnectionRow, 'seq' | 'version' | 'overdue' | 'reminders' | 'starts_on' | StoredLater>;
type StoredLater =
  | 'consent_id'
  | 'paying_account_sealed'
  | 'paying_number_hash'
  | 'payee_sealed'
  | 'reconfirm_by'
  | 'authorised_at'
  | StoredByReading;
type StoredByReading =
  'accounts_listed_at' | 'read_wait_until' | 'synced_at' | `sync_${'outcome' | 'reason' | 'rows_new' | 'rows_refused'}`;

export function connectionView(services: Pick<Services, 'config'>, row: Viewed): Connection {
  const { per_payment, per_month, valid_until } = row;
  return {
    connection_id: row.connection_id,
    user_id: row.owner_id,
    bank_id: row.bank_id,
    institution_id: row.institution_id,
    kind: row.kind,
    provider_id: row.provider_id,
    vrp_type: row.vrp_type,
    limits: per_payment === null || per_month === null ? null : { per_payment, per_month, valid_until },
    status: row.status,
    authorise_url: isOffered(row) ? authoriseUrl(services, row.connection_id) : null,
    expires_at: isOffered(row) ? row.authorise_until : null,
    created_at: row.created_at,
  };
}

export async function connectionDetails(
  services: Pick<Services, 'clock' | 'config' | 'db' | 'keys'>,
  row: ConnectionRow,
): Promise<ConnectionDetails> {
  if (row.kind === 'accounts') return detailsWith(services, row, await accountsOfConnection(services, row));
  return detailsWith(services, row, [], (await usedThisMonth(services, [row])).get(row.connection_id));
}

/**
 * @param accounts by `accountsOfConnection`, which may have to wait for the key service.
 * @param used in pence, of a connection that pays: what its payments use of this month.
 */
export async function detailsWith(
  services: Pick<Services, 'config' | 'keys'>,
  row: ConnectionRow,
  accounts: ConnectedAccount[],
  used = 0,
): Promise<ConnectionDetails> {
  const view = connectionView(services, row);
  if (row.kind === 'accounts') return { ...view, accounts, reconfirm_by: row.reconfirm_by, last_sync: lastSync(row) };
  const account = await openPayingAccount(services, row);
  const paying_account = account && {
    sort_code_masked: maskSortCode(account.sortCode),
    account_number_masked: maskAccountNumber(account.accountNumber),
  };
  return { ...view, paying_account, used_this_month: used };
}

/** In pence, by the id of each connection that was authorised to pay. */
async function usedThisMonth(
  { db, clock }: Pick<Services, 'clock' | 'db'>,
  connections: readonly Pick<ConnectionRow, 'connection_id' | 'kind' | 'starts_on'>[],
): Promise<Map<string, number>> {
  const today = londonDateOf(await clock.now(db));
  const months = connections.flatMap(({ connection_id, kind, starts_on }) => {
    if (kind !== 'payments' || starts_on === null) return [];
    const { from: first, to: last } = consentMonth(starts_on, today);
    return [{ connection_id, first, last }];
  });
  if (months.length === 0) return new Map();
  const rows = await db.many(usedInMonths(months, null));
  return new Map(rows.map(({ connection_id, used }) => [connection_id, used]));
}

function lastSync(row: ConnectionRow): ConnectionSync | null {
  const { synced_at: finished_at, sync_outcome: outcome, sync_reason: reason } = row;
  if (finished_at === null || outcome === null) return null;
  return { finished_at, outcome, reason, rows_new: row.sync_rows_new!, rows_refused: row.sync_rows_refused! };
}

export async function accountsOfConnection(
  services: Pick<Services, 'db' | 'keys'>,
  { connection_id }: { connection_id: string },
): Promise<ConnectedAccount[]> {
  return (await accountsOf(services, [{ connection_id, kind: 'accounts' }])).get(connection_id) ?? [];
}

/** The accounts of each connection that reads any, by the connection's id. */
async function accountsOf(
  services: Pick<Services, 'db' | 'keys'>,
  connections: readonly Pick<ConnectionRow, 'connection_id' | 'kind'>[],
): Promise<Map<string, ConnectedAccount[]>> {
  const reading = connections.filter(({ kind }) => kind === 'accounts').map(({ connection_id }) => connection_id);
  if (reading.length === 0) return new Map();
  const rows = await services.db.many(accountsOfConnections(reading));
  const shown = await Promise.all(
    rows.map(async (row) => ({ of: row.connection_id, view: await accountView(services, row) })),
  );
  return new Map([...Map.groupBy(shown, ({ of }) => of)].map(([id, found]) => [id, found.map(({ view }) => view)]));
}

async function accountView(services: Pick<Services, 'keys'>, row: ShownAccount): Promise<ConnectedAccount> {
  const { account_id, kind, currency, balance, available, credit_line, as_of } = row;
  const { name, sortCode, accountNumber, last4 } = await openDetails(services, row);
  const figures = { balance, available, credit_line, as_of };
  return {
    ...{ account_id, name, kind, currency },
    sort_code_masked: sortCode === null ? null : maskSortCode(sortCode),
    account_number_masked: accountNumber === null ? lastOnly(last4) : maskAccountNumber(accountNumber),
    ...(row.gone ? NO_FIGURES : figures),
  };
}

const NO_FIGURES = { balance: null, available: null, credit_line: null, as_of: null };

/** Of a card, the bank itself shows no more. */
function lastOnly(last4: string | null): string | null {
  return last4 === null ? null : `****${last4}`;
}
