import type { RequestHandler } from 'express';
import { QUOTA_WINDOW_S, type Quotas } from '../../../infra/limits/quotas.ts';
import type { Services } from '../../../infra/services.ts';
import type { Operation } from '../contract.ts';

export function limitAddresses(
  { id, rateLimit }: Operation,
  { services: { limits }, quotas }: { services: Pick<Services, 'limits'>; quotas: Quotas },
): RequestHandler[] {
  if (rateLimit === undefined) return [];
  return [
    async (_request, { locals }, next) => {
      if (rateLimit === 'introspections' || rateLimit === 'contracts') await quotas.takeFrom(rateLimit, locals.address);
      else await limits.takeFrom(rateLimit, locals.address, id);
      next();
    },
  ];
}

/** The response states the remaining quota even if a later step fails. */
export function limitCallers({ scopes }: Operation, quotas: Quotas): RequestHandler[] {
  if (scopes === 'public') return [];
  return [
    async (_request, response, next) => {
      const { limit, left, resetS } = await quotas.take(response.locals.principal!);
      response.setHeader('RateLimit', `"default";r=${left};t=${resetS}`);
      response.setHeader('RateLimit-Policy', `"default";q=${limit};w=${QUOTA_WINDOW_S}`);
      next();
    },
  ];
}
