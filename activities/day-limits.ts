import { addDays, londonDateOf, startOfLondonDay } from '../domain/dates.ts';
import { DomainError } from '../domain/errors.ts';
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

interface Stored {
  ownerId: string;
  kind: StoredKind;
  count?: number;
  at: Date;
}

/**
 * Counts what an owner stores on a day (London time). In a transaction, a rollback undoes the count.
 * @throws DomainError `rate-limited` if that is more than the limit.
 */
export async function countStored(
  db: Queries,
  { config }: Pick<Services, 'config'>,
  { ownerId, kind, count = 1, at }: Stored,
): Promise<void> {
  const { used } = await db.one(countOfDay(kind, { owner_id: ownerId, day: londonDateOf(at), count }));
  requireWithinDay(config.limits, { kind, used, at });
}

/** `used` counts what is about to be stored too. @throws DomainError `rate-limited` if that is more than the limit. */
export function requireWithinDay(
  config: LimitsConfig,
  { kind, used, at }: { kind: StoredKind; used: number; at: Date },
): void {
  const { of, what } = LIMITS[kind];
  const limit = of(config);
  if (used <= limit) return;
  const tomorrow = startOfLondonDay(addDays(londonDateOf(at), 1));
  const retry_after = Math.max(1, Math.ceil((tomorrow.getTime() - at.getTime()) / 1_000));
  const detail = `This owner has reached the limit of ${limit.toLocaleString('en-GB')} ${what} a day. Try again tomorrow (London time).`;
  throw new DomainError('rate-limited', detail, { retry_after, limit, window: DAY_S });
}
