import { londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
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
