import {
  ATTENDED_A_DAY,
  readsADay,
  whyUnreadable,
  type RequestedBy,
  type Unreadable,
} from '../../domain/bank/reading.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { SEAL_USES } from '../../domain/frozen-strings.ts';
import type { Present } from '../../infra/bank/interface.ts';
import type { ConnectionRow } from '../../infra/db/queries/bank.ts';
import * as queries from '../../infra/db/queries/bank-reading.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { enqueue } from '../outbox.ts';
import { requireBank } from './banks.ts';
import type { LockedConnection, RecordServices } from './record.ts';

type Needs = RecordServices & Pick<Services, 'banks'>;

export interface SyncRequest {
  requestedBy: RequestedBy;
  /** By `sealPresent`. Only the person's own request has it. */
  presentSealed: string | null;
  /** For the audit log. Null for what the service does by itself. */
  actor: string | null;
}

/** `joined`: a sync of the connection is open already. `limited`: no account may be read before `retryAt`. */
export type SyncRequested =
  { kind: 'requested' | 'joined' } | { kind: 'limited'; retryAt: Date } | { kind: 'unreadable'; why: Unreadable };

/** The workflow starts after the commit. */
export async function requestSync(
  connection: LockedConnection,
  services: Needs,
  { requestedBy: asked, presentSealed, actor }: SyncRequest,
): Promise<SyncRequested> {
  const { tx, connection_id } = connection;
  const now = await services.clock.now(tx);
  const why = whyUnreadable(connection, londonDateOf(now));
  if (why !== undefined) return { kind: 'unreadable', why };
  if (await tx.maybe(queries.syncOf(connection_id))) return { kind: 'joined' };
  const requestedBy = asked === 'person' && !(await mayAttend(connection)) ? 'request' : asked;
  const retryAt = await nextReadAt(connection, services, requestedBy);
  if (retryAt !== undefined) return { kind: 'limited', retryAt };
  const present_sealed = requestedBy === 'person' ? presentSealed : null;
  const sync_id = services.newId('sync');
  await tx.run(queries.insertSync({ connection_id, sync_id, requested_by: requestedBy, present_sealed }));
  await startSync(connection, services);
  if (actor !== null) {
    const event = { subject: connection_id, kind: 'connection.sync-requested', actor } as const;
    await audit(tx, services, { ...event, data: { sync_id, requested_by: requestedBy }, at: now });
  }
  return { kind: 'requested' };
}

async function mayAttend({ tx, owner_id }: LockedConnection): Promise<boolean> {
  await tx.run(queries.lockAttended(owner_id));
  return (await tx.one(queries.countAttended(owner_id))).count < ATTENDED_A_DAY;
}

/** Undefined if an account may be read now, or the bank has to list the accounts first. */
async function nextReadAt(
  connection: LockedConnection,
  services: Needs,
  requestedBy: RequestedBy,
): Promise<Date | undefined> {
  const { tx, connection_id, read_wait_until, accounts_listed_at, bank_id } = connection;
  if (read_wait_until !== null && new Date(read_wait_until) > (await services.clock.real(tx))) {
    return new Date(read_wait_until);
  }
  if (accounts_listed_at === null || requestedBy === 'person') return undefined;
  const most = readsADay(requireBank(services, bank_id).port.traits.unattendedPerDay, requestedBy);
  const first = await tx.maybe(queries.nextReadOf({ connectionId: connection_id, requestedBy, most }));
  return first === undefined || first.next_read_at === null ? undefined : new Date(first.next_read_at);
}

export async function startSync(
  { tx, connection_id, owner_id }: Pick<LockedConnection, 'tx' | 'connection_id' | 'owner_id'>,
  services: Pick<Services, 'outbox' | 'tracing'>,
): Promise<void> {
  await enqueue(tx, services, 'bank.sync', connection_id, services.tracing.carry({ connection_id, owner_id }));
}

type Subject = Pick<ConnectionRow, 'connection_id'>;

const presentContext = ({ connection_id }: Subject) => ({ use: SEAL_USES.bankPresent, connection_id });

/** Before the transaction, because the key service may be slow. */
export async function sealPresent(
  { keys }: Pick<Services, 'keys'>,
  connection: Subject,
  present: Present,
): Promise<string> {
  return (await keys.seal(JSON.stringify(present), presentContext(connection))).sealed;
}

export async function openPresent(
  { keys }: Pick<Services, 'keys'>,
  connection: Subject,
  sealed: string,
): Promise<Present> {
  return JSON.parse(await keys.open(sealed, presentContext(connection))) as Present;
}
