import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LimitsConfig } from '../config/index.ts';

type QuotasConfig = Pick<LimitsConfig, 'keyPerMinute' | 'personPerMinute' | 'personPerDay'>;

export interface Quota {
  limit: number;
  left: number;
  /** Seconds until the current window ends. */
  resetS: number;
}

export type Quotas = ReturnType<typeof openQuotas>;

export const QUOTA_WINDOW_S = 60;
const DAY_S = 86_400;
/** What a change stores takes about ten times the space of what a read leaves in the audit log. */
const POINTS_OF_CHANGE = 10;

/** Counts in this process's memory, because a database query would cost more than most requests. */
export function openQuotas(config: QuotasConfig) {
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: QUOTA_WINDOW_S });
  const ofDay = new RateLimiterMemory({ points: config.personPerDay, duration: DAY_S });
  return {
    /** A rotated API key shares the counter of the key that it replaced. @throws DomainError `rate-limited` */
    async take(principal: Principal, { changes }: { changes: boolean }): Promise<Quota> {
      const { consumedPoints, msBeforeNext } = await counter.consume(callerOf(principal));
      const limit = limitOf(principal, config);
      const resetS = Math.max(1, Math.ceil(msBeforeNext / 1_000));
      if (consumedPoints <= limit) {
        if (principal.kind === 'user') await takeOfDay(ofDay, callerOf(principal), changes);
        return { limit, left: limit - consumedPoints, resetS };
      }
      throw new DomainError(
        'rate-limited',
        `The limit of ${limit} requests a minute has been reached. Try again in ${resetS === 1 ? 'a second' : `${resetS} seconds`}.`,
        { retry_after: resetS, limit, window: QUOTA_WINDOW_S },
      );
    },
  };
}

/** Bounds what one person can leave in the database, whatever the operation. */
async function takeOfDay(ofDay: RateLimiterMemory, who: string, changes: boolean): Promise<void> {
  try {
    await ofDay.consume(who, changes ? POINTS_OF_CHANGE : 1);
  } catch (refused) {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    const limit = ofDay.points;
    throw new DomainError(
      'rate-limited',
      `The limit of ${limit} requests in 24 hours has been reached, of which a change counts as ${POINTS_OF_CHANGE}. Try again later.`,
      { retry_after: Math.max(1, Math.ceil(refused.msBeforeNext / 1_000)), limit, window: DAY_S },
    );
  }
}

function limitOf(principal: Principal, { keyPerMinute, personPerMinute }: Omit<QuotasConfig, 'personPerDay'>): number {
  return principal.kind === 'user' ? personPerMinute : (principal.perMinute ?? keyPerMinute);
}
