import { callerOf, type Principal } from '../../domain/auth.ts';
import { AUTHORISE_WITHIN_MIN, RECONFIRM_EVERY_DAYS, requireGranted } from '../../domain/bank/connections.ts';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { connectionById, offerJourney, type ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import type { Connection } from '../../openapi/types.ts';
import { holdSignIn } from '../auth/proof.ts';
import { requireBank } from './banks.ts';
import { authoriseUrl, connectionView } from './read.ts';
import {
  changeConnection,
  lockConnection,
  requireConnection,
  type LockedConnection,
  type RecordServices,
} from './record.ts';

type Needs = RecordServices & Pick<Services, 'banks' | 'config'>;

interface Request {
  connection_id: string;
  principal: Principal;
}

/** The connection works as before until the person has authorised it again. */
export async function reauthoriseConnection(
  tx: Tx,
  services: Needs,
  { connection_id, principal }: Request,
): Promise<Connection> {
  await holdSignIn(tx, principal);
  const connection = await lockConnection(tx, connection_id);
  requireGranted(connection.status);
  requireBank(services, connection.bank_id);
  return connectionView(services, await offered(connection, services, callerOf(principal)));
}

async function offered(connection: LockedConnection, services: RecordServices, actor: string): Promise<ConnectionRow> {
  const { connection_id, tx } = connection;
  const { authorise_until } = await tx.one(offerJourney(connection_id, AUTHORISE_WITHIN_MIN));
  return changeConnection(connection, services, {
    authorise_until,
    event: 'connection.reauthorisation-offered',
    actor,
  });
}

/** The law wants the person's own word, and not that of an application. */
export function requireOwnSignIn(principal: Principal): void {
  if (isOwnSignIn(principal)) return;
  throw new DomainError(
    'own-sign-in-required',
    'Only the person can do this: on the page of this service, or with an access token from POST /api/v1/auth/login.',
  );
}

export function isOwnSignIn(principal: Principal): boolean {
  return principal.kind === 'user' && principal.clientId === null;
}

/**
 * Opens its own transaction, so that a journey stays offered although the request is refused.
 * @throws DomainError `bank-authorisation-needed` if the person must go to the bank.
 */
export async function prepareReconfirmation(
  services: Needs & Pick<Services, 'db'>,
  { connection_id, actor }: { connection_id: string; actor: string },
): Promise<void> {
  const known = requireConnection(await services.db.maybe(connectionById(connection_id)));
  requireReading(known);
  const { traits } = requireBank(services, known.bank_id).port;
  if (traits.reconfirm === 'local' && known.status === 'authorised') return;
  await services.db.transaction(async (tx) => {
    const connection = await lockConnection(tx, connection_id);
    requireReading(connection);
    await offered(connection, services, actor);
  });
  throw new DomainError('bank-authorisation-needed', 'The person must go to the bank again, from authorise_url.', {
    authorise_url: authoriseUrl(services, connection_id),
  });
}

/** After `prepareReconfirmation`. */
export async function reconfirmConnection(
  tx: Tx,
  services: Needs,
  { connection_id, actor }: { connection_id: string; actor: string },
): Promise<LockedConnection> {
  const connection = await lockConnection(tx, connection_id);
  requireReading(connection);
  const today = londonDateOf(await services.clock.now(tx));
  const confirmed = { reconfirm_by: addDays(today, RECONFIRM_EVERY_DAYS), reminders: 0 };
  const change = { ...confirmed, event: 'connection.reconfirmed', actor } as const;
  return changeConnection(connection, services, change);
}

function requireReading({ kind, status }: ConnectionRow): void {
  requireGranted(status);
  if (kind === 'accounts') return;
  throw new DomainError('nothing-to-reconfirm', 'This connection makes payments. Nobody needs to confirm it again.');
}
