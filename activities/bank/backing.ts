import { shortfallOf } from '../../domain/bank/backing.ts';
import { DomainError, type ErrorExtra } from '../../domain/errors.ts';
import { backingOf } from '../../infra/db/queries/bank-lists.ts';
import type { Services } from '../../infra/services.ts';
import type { Backing } from '../../openapi/types.ts';

/** @throws DomainError `bank-not-connected` if no authorised connection reads the person's accounts. */
export async function getBacking({ db }: Pick<Services, 'db'>, { user_id }: { user_id: string }): Promise<Backing> {
  const { connected, connection_status, ...held } = await db.one(backingOf(user_id));
  if (!connected) {
    const known: ErrorExtra = connection_status === null ? {} : { connection_status };
    throw new DomainError('bank-not-connected', 'No authorised connection reads accounts of this person.', known);
  }
  const { ring_fenced, in_flight, bank_balance, as_of } = held;
  const shortfall = shortfallOf({ ringFenced: ring_fenced, inFlight: in_flight, bankBalance: bank_balance });
  return { ring_fenced, in_flight, bank_balance, covered: shortfall === 0, shortfall, as_of };
}
