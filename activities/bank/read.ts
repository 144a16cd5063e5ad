import { ownerFor, type Principal } from '../../domain/auth.ts';
import { isEnded, type ConnectionStatus } from '../../domain/bank/connections.ts';
import { maskAccountNumber, maskSortCode } from '../../domain/vault/masks.ts';
import * as queries from '../../infra/db/queries/bank.ts';
import type { ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import type { Connection, ConnectionDetails } from '../../openapi/types.ts';
import { onceDone } from '../once-done.ts';
import { pagesOf, type Page } from '../page.ts';
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

/** `version` changes with each change that a reader can see. `awaited`: the person may be at the bank now. */
export async function getConnection(
  services: Services,
  { connection_id, wait_ms = 0, signal }: ReadRequest,
): Promise<{ connection: ConnectionDetails; version: string; awaited: boolean }> {
  const read = async () => requireConnection(await services.db.maybe(queries.connectionById(connection_id)));
  const first = await read();
  const isDone = (row: ConnectionRow) => versionOf(row) !== versionOf(first) || !isAwaited(row);
  const isWaiting = wait_ms > 0 && isAwaited(first);
  const row = isWaiting ? await onceDone(services, connection_id, { read, isDone, withinMs: wait_ms, signal }) : first;
  return { connection: await connectionDetails(services, row), version: versionOf(row), awaited: isAwaited(row) };
}

function isAwaited({ offered, status }: Pick<ConnectionRow, 'offered' | 'status'>): boolean {
  return offered && !isEnded(status);
}

/** Time alone changes the status, and takes back what was offered. */
function versionOf(row: ConnectionRow): string {
  return `${row.version}-${row.status}${isAwaited(row) ? '-offered' : ''}`;
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
  return { items: await Promise.all(items.map((row) => connectionDetails(services, row))), next_cursor };
}

export function authoriseUrl({ config }: Pick<Services, 'config'>, connectionId: string): string {
  return `${config.api.publicUrl}/api/v1/bank/connections/${connectionId}/authorise`;
}

type Viewed = Omit<ConnectionRow, 'seq' | 'version' | 'overdue' | 'reminders' | 'starts_on' | StoredLater>;
type StoredLater = 'consent_id' | 'paying_account_sealed' | 'reconfirm_by' | 'authorised_at' | StoredByReading;
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
    authorise_url: isAwaited(row) ? authoriseUrl(services, row.connection_id) : null,
    expires_at: isAwaited(row) ? row.authorise_until : null,
    created_at: row.created_at,
  };
}

export async function connectionDetails(
  services: Pick<Services, 'config' | 'keys'>,
  row: ConnectionRow,
): Promise<ConnectionDetails> {
  const view = connectionView(services, row);
  // The service neither reads accounts yet, nor pays by connections.
  if (row.kind === 'accounts') return { ...view, accounts: [], reconfirm_by: row.reconfirm_by, last_sync: null };
  const account = await openPayingAccount(services, row);
  const paying_account = account && {
    sort_code_masked: maskSortCode(account.sortCode),
    account_number_masked: maskAccountNumber(account.accountNumber),
  };
  return { ...view, paying_account, used_this_month: 0 };
}
