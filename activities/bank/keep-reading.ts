import { DomainError } from '../../domain/errors.ts';
import { connectionById } from '../../infra/db/queries/bank.ts';
import type { Services } from '../../infra/services.ts';
import type { Session } from '../auth/sessions.ts';
import { prepareReconfirmation, reconfirmConnection } from './renew.ts';

/**
 * The person says on our page that reading may go on.
 * @returns `at-bank` if the bank itself must ask them, which they can begin now.
 */
export async function keepReading(
  services: Services,
  { connectionId: connection_id, session }: { connectionId: string; session: Session },
): Promise<'kept' | 'at-bank' | 'not-yours'> {
  const row = await services.db.maybe(connectionById(connection_id));
  if (row?.owner_id !== session.userId) return 'not-yours';
  const request = { connection_id, actor: session.userId };
  try {
    await prepareReconfirmation(services, request);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'bank-authorisation-needed') return 'at-bank';
    throw error;
  }
  await services.db.transaction((tx) => reconfirmConnection(tx, services, request));
  return 'kept';
}
