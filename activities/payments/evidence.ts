import { DomainError, type ErrorExtra } from '../../domain/errors.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';

/** A payment that is not yet stored has no id. */
interface Wanted {
  amount: number;
  payment_id?: string;
}

type Needs = Pick<Services, 'config'>;

export async function requireEvidence(owner: LockedOwner, services: Needs, wanted: Wanted): Promise<void> {
  const missing = await missingEvidence(owner, services, wanted);
  if (missing === null) return;
  throw new DomainError(
    'income-not-evidenced',
    'The asserted income of this owner does not cover the payment. Ask the person who runs the payroll to calculate the paychecks with an API key that has the scope assert:income.',
    missing,
  );
}

/** Null if nothing is missing. */
export async function missingEvidence(
  owner: LockedOwner,
  { config }: Needs,
  { amount, payment_id }: Wanted,
): Promise<ErrorExtra | null> {
  if (config.environment === 'sandbox') return null;
  const { evidenced, spent } = await owner.tx.one(queries.ownerEvidence(owner.id, payment_id ?? null));
  const shortfall = spent + amount - evidenced;
  return shortfall > 0 ? { evidenced, spent, shortfall } : null;
}
