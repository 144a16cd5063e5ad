import { DomainError, type ErrorExtra } from '../../domain/errors.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';

/** A payment that is not yet stored has no id. */
interface Wanted {
  owner_id: string;
  amount: number;
  payment_id?: string;
}

type Needs = Pick<Services, 'db' | 'config'>;

/** Lock the owner in the open transaction first. */
export async function requireEvidence(services: Needs, wanted: Wanted): Promise<void> {
  const missing = await missingEvidence(services, wanted);
  if (missing === null) return;
  throw new DomainError(
    'income-not-evidenced',
    'The asserted income of this owner does not cover the payment. Ask the person who runs the payroll to calculate the paychecks with an API key that has the scope assert:income.',
    missing,
  );
}

/** Null if nothing is missing. Lock the owner in the open transaction first. */
export async function missingEvidence(
  { db, config }: Needs,
  { owner_id, amount, payment_id }: Wanted,
): Promise<ErrorExtra | null> {
  if (config.environment === 'sandbox') return null;
  const { evidenced, spent } = await db.one(statements.ownerEvidence(owner_id, payment_id ?? null));
  const shortfall = spent + amount - evidenced;
  return shortfall > 0 ? { evidenced, spent, shortfall } : null;
}
