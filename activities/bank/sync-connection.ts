import { callerOf, type Principal } from '../../domain/auth.ts';
import { connectionEnded } from '../../domain/bank/connections.ts';
import { whyUnreadable, type Unreadable } from '../../domain/bank/reading.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Present } from '../../infra/bank/interface.ts';
import { connectionById, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Connection } from '../../openapi/types.ts';
import { holdSignIn } from '../auth/proof.ts';
import type { Session } from '../auth/sessions.ts';
import { isThere } from './attended.ts';
import { connectionView } from './read.ts';
import { lockConnection, type LockedConnection, type RecordServices } from './record.ts';
import { requestSync, sealPresent } from './request-sync.ts';

type Needs = RecordServices & Pick<Services, 'banks' | 'config'>;

interface Asked {
  connection_id: string;
  /** By `prepareSync`. Null unless the person is there. */
  presentSealed: string | null;
}

/** Seals what the bank is told about the person, if the caller is the person and signed in a moment ago. */
export async function prepareSync(
  services: Pick<Services, 'db' | 'keys'>,
  { connection_id, principal, present }: { connection_id: string; principal: Principal; present: Present | null },
): Promise<string | null> {
  if (present === null || !(await isThere(services, principal))) return null;
  return sealPresent(services, { connection_id }, present);
}

/** A sync that is open already is joined. @throws DomainError if the accounts may not be read now. */
export async function syncConnection(
  tx: Tx,
  services: Needs,
  { principal, ...asked }: Asked & { principal: Principal },
): Promise<Connection> {
  await holdSignIn(tx, principal);
  const connection = await lockConnection(tx, asked.connection_id);
  await requireSync(connection, services, { ...asked, actor: callerOf(principal) });
  return connectionView(services, connection);
}

/** The owner presses the button on our page, moments after they signed in. */
export async function readNow(
  services: Needs & Pick<Services, 'db' | 'keys'>,
  { connection_id, session, present }: { connection_id: string; session: Session; present: Present | null },
): Promise<'requested' | 'not-yours'> {
  const row = await services.db.maybe(connectionById(connection_id));
  if (row?.owner_id !== session.userId) return 'not-yours';
  const presentSealed = present && (await sealPresent(services, row, present));
  await services.db.transaction(async (tx) => {
    const connection = await lockConnection(tx, connection_id);
    await requireSync(connection, services, { presentSealed, actor: session.userId });
  });
  return 'requested';
}

async function requireSync(
  connection: LockedConnection,
  services: Needs,
  { presentSealed, actor }: Omit<Asked, 'connection_id'> & { actor: string },
): Promise<void> {
  const requestedBy = presentSealed === null ? 'request' : 'person';
  const requested = await requestSync(connection, services, { requestedBy, presentSealed, actor });
  if (requested.kind === 'unreadable') throw unreadable(connection, requested.why);
  if (requested.kind === 'limited') {
    const waitMs = requested.retryAt.getTime() - (await services.clock.real(connection.tx)).getTime();
    const retry_after = Math.max(1, Math.ceil(waitMs / 1_000));
    throw new DomainError('bank-read-limit', 'No account of this connection may be read again yet.', { retry_after });
  }
}

function unreadable({ status: connection_status, reconfirm_by }: LockedConnection, why: Unreadable): DomainError {
  switch (why) {
    case 'pays':
      return new DomainError('bank-cannot-read', 'This connection makes payments, and reads no accounts.');
    case 'not-connected':
      return new DomainError('bank-not-connected', 'Nobody has authorised this connection at the bank yet.', {
        connection_status,
      });
    case 'reauthorisation-needed':
      return new DomainError(
        'bank-not-connected',
        'The person must authorise this connection at the bank again. Begin with POST to its address followed by /reauthorise.',
        { connection_status },
      );
    case 'ended':
      return connectionEnded(connection_status);
    case 'reconfirmation-needed':
      return new DomainError(
        'bank-reconfirmation-needed',
        `The person allowed reading until ${reconfirm_by}, and has not confirmed since then that it may go on.`,
        { reconfirm_by },
      );
  }
}

/** What the person has to do before the accounts of an authorised connection can be read. */
export async function needsOf(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  row: ConnectionRow,
): Promise<'bank' | 'confirmation' | undefined> {
  const why = whyUnreadable(row, londonDateOf(await clock.now(db)));
  if (why === undefined) return undefined;
  return why === 'reconfirmation-needed' ? 'confirmation' : 'bank';
}
