import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { addressGroup } from './index.ts';
import type { LimitsConfig } from '../config/index.ts';

type QuotasConfig = Pick<
  LimitsConfig,
  'keyPerMinute' | 'personPerMinute' | 'introspectionsPerMinute' | 'tokensPerMinute'
>;

/** What one address may ask of one process in a minute. */
export type AddressQuota = 'introspections' | 'contracts';

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
      if (consumedPoints <= limit) return { limit, left: limit - consumedPoints, resetS };
      throw reached(limit, resetS);
    },
    /** @throws DomainError `rate-limited` */
    async takeFrom(name: AddressQuota, address: string): Promise<void> {
      const { consumedPoints, msBeforeNext } = await counter.consume(`${name} ${addressGroup(address)}`);
      const limit = name === 'introspections' ? config.introspectionsPerMinute : config.tokensPerMinute;
      if (consumedPoints > limit) throw reached(limit, Math.max(1, Math.ceil(msBeforeNext / 1_000)));
    },
  };
}

function reached(limit: number, resetS: number): DomainError {
  const when = resetS === 1 ? 'a second' : `${resetS} seconds`;
  const detail = `The limit of ${limit} requests a minute has been reached. Try again in ${when}.`;
  return new DomainError('rate-limited', detail, { retry_after: resetS, limit, window: QUOTA_WINDOW_S });
}

function limitOf(principal: Principal, { keyPerMinute, personPerMinute }: QuotasConfig): number {
  return principal.kind === 'user' ? personPerMinute : (principal.perMinute ?? keyPerMinute);
}
