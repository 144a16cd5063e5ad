import type { Principal } from '../domain/auth.ts';
import { addDays, londonDateOf, startOfLondonDay } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
import { isPersonId } from '../domain/owners.ts';
import type { LimitsConfig } from '../infra/config/index.ts';
import type { Queries } from '../infra/db/connection.ts';
import { countOfDay, type StoredKind } from '../infra/db/queries/owner-days.ts';
import type { Services } from '../infra/services.ts';

const DAY_S = 86_400;

const LIMITS: Readonly<Record<StoredKind, { of: (config: LimitsConfig) => number; what: string }>> = {
  revisions: {
    of: ({ ownerRevisionsPerDay }) => ownerRevisionsPerDay,
    what: 'calculations and changes of paychecks, debt plans and standing splits',
  },
  payees: { of: ({ ownerPayeesPerDay }) => ownerPayeesPerDay, what: 'new and renamed payees' },
  payee_reads: { of: ({ ownerPayeeReadsPerDay }) => ownerPayeeReadsPerDay, what: 'payees in lists' },
  checks: { of: ({ ownerChecksPerDay }) => ownerChecksPerDay, what: 'affordability checks' },
  credentials: { of: ({ ownerCredentialsPerDay }) => ownerCredentialsPerDay, what: 'credentials' },
};

interface Storing {
  /** Clients and API keys may use half of what a person may, so that they cannot keep the person out. */
  by: Principal;
  ownerId: string;
  kind: StoredKind;
  at: Date;
}

/**
 * Counts what an owner stores on a day (London time). In a transaction, a rollback undoes the count.
 * @throws DomainError `rate-limited` if that is more than the limit.
 */
export async function countStored(
  db: Queries,
  { config }: Pick<Services, 'config'>,
  { count = 1, ...storing }: Storing & { count?: number },
): Promise<void> {
  const { ownerId, kind, at } = storing;
  const { used } = await db.one(countOfDay(kind, { owner_id: ownerId, day: londonDateOf(at), count }));
  requireWithinDay(config.limits, { used, ...storing });
}

/** `used` counts what is about to be stored too. @throws DomainError `rate-limited` if that is more than the limit. */
export function requireWithinDay(
  config: LimitsConfig,
  { by, ownerId, kind, used, at }: Storing & { used: number },
): void {
  const { of, what } = LIMITS[kind];
  const isDelegated = isPersonId(ownerId) && (by.kind === 'api_key' || by.clientId !== null);
  const limit = Math.floor(of(config) / (isDelegated ? 2 : 1));
  if (used <= limit) return;
  const tomorrow = startOfLondonDay(addDays(londonDateOf(at), 1));
  const retry_after = Math.max(1, Math.ceil((tomorrow.getTime() - at.getTime()) / 1_000));
  const whose = isDelegated ? 'For clients and API keys, this person' : 'This owner';
  const detail = `${whose} has reached the limit of ${limit.toLocaleString('en-GB')} ${what} a day. Try again tomorrow (London time).`;
  throw new DomainError('rate-limited', detail, { retry_after, limit, window: DAY_S });
}
