import { RateLimiterMemory } from 'rate-limiter-flexible';
import { callerOf, type Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { addressGroup } from './index.ts';
import type { LimitsConfig } from '../config/index.ts';

type QuotasConfig = Pick<LimitsConfig, 'keyPerMinute' | 'personPerMinute' | 'tokensPerMinute'>;

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
/** A server of an application asks about each token that it gets. */
const INTROSPECTIONS = 50;

/** Counts in this process's memory, because a database query would cost more than most requests. */
export function openQuotas(config: QuotasConfig) {
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: QUOTA_WINDOW_S });
  return {
    /** A rotated API key shares the counter of the key that it replaced. @throws DomainError `rate-limited` */
    async take(principal: Principal): Promise<Quota> {
      const { consumedPoints, msBeforeNext } = await counter.consume(callerOf(principal));
      const limit = limitOf(principal, config);
      const resetS = Math.max(1, Math.ceil(msBeforeNext / 1_000));
      if (consumedPoints <= limit) return { limit, left: limit - consumedPoints, resetS };
      throw reached(limit, resetS);
    },
    /** @throws DomainError `rate-limited` */
    async takeFrom(name: AddressQuota, address: string): Promise<void> {
      const { consumedPoints, msBeforeNext } = await counter.consume(`${name} ${addressGroup(address)}`);
      const limit = config.tokensPerMinute * (name === 'introspections' ? INTROSPECTIONS : 1);
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
