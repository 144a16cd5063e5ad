import { londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';

/**
 * Refuses a payment that would exceed the operator's limits. For the daily limit, counts the owner's payments and
 * retries that were ordered on the same day in London, except failed or cancelled ones. Lock the owner in the open
 * transaction first.
 * @throws DomainError `exceeds-payment-limit` with `limit`, `used` and `available`, in pence.
 */
export async function requireWithinLimits(
  { db, config }: Pick<Services, 'db' | 'config'>,
  { owner_id, amount }: { owner_id: string; amount: number },
  at: Date,
): Promise<void> {
  const { payment, ownerPerDay } = config.paymentLimits;
  if (payment !== undefined) requireWithin('A single payment', { limit: payment, used: 0, amount });
  if (ownerPerDay === undefined) return;
  const { used } = await db.one(statements.askedSince(owner_id, startOfLondonDay(londonDateOf(at))));
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
