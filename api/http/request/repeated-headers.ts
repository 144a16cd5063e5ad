import type { RequestHandler } from 'express';
import { invalid } from './invalid.ts';

/** Node keeps the first or joins them, so a proxy that keeps the last would see another request (RFC 9110, 5.3). */
const ONCE: ReadonlySet<string> = new Set(['authorization', 'content-type', 'idempotency-key']);

export const refuseRepeatedHeaders: RequestHandler = ({ rawHeaders }, _response, next) => {
  const met = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (!ONCE.has(name)) continue;
    if (met.has(name)) throw invalid([{ pointer: `/header/${name}`, detail: 'must not appear more than once' }]);
    met.add(name);
  }
  next();
};
