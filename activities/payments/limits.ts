import { londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import { DomainError, type ErrorExtra } from '../../domain/errors.ts';
import type { LockedOwner } from '../../infra/db/locked-owner.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { Services } from '../../infra/services.ts';

/** The daily limit counts payments and retries ordered on the same London day, except failed or cancelled ones. */
export async function requireWithinLimits(
  owner: LockedOwner,
  { config }: Pick<Services, 'config'>,
  amount: number,
  at: Date,
): Promise<void> {
  const { payment, ownerPerDay } = config.paymentLimits;
  if (payment !== undefined) requireWithin('A single payment', { limit: payment, used: 0, amount });
  if (ownerPerDay === undefined) return;
  const { used } = await owner.tx.one(queries.requestedSince(owner.id, startOfLondonDay(londonDateOf(at))));
  requireWithin('The total of all payments of an owner in one day', { limit: ownerPerDay, used, amount });
}

function requireWithin(what: string, { limit, used, amount }: { limit: number; used: number; amount: number }): void {
  const available = Math.max(0, limit - used);
  if (amount <= available) return;
  throw new DomainError(
    'exceeds-payment-limit',
    `${what} must be at most ${limit} pence. Pay less, or ask the operator to raise the limit.`,
    { limit, used, available },
  );
}

/** A payment that is not yet stored has no id. */
interface Wanted {
  amount: number;
  payment_id?: string;
}

export async function requireEvidence(
  owner: LockedOwner,
  services: Pick<Services, 'config'>,
  wanted: Wanted,
): Promise<void> {
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
  { config }: Pick<Services, 'config'>,
  { amount, payment_id }: Wanted,
): Promise<ErrorExtra | null> {
  if (config.environment === 'sandbox') return null;
  const { evidenced, spent } = await owner.tx.one(queries.ownerEvidence(owner.id, payment_id ?? null));
  const shortfall = spent + amount - evidenced;
  return shortfall > 0 ? { evidenced, spent, shortfall } : null;
}
