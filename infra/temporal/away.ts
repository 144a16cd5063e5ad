import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../services.ts';

/** gRPC status codes of a server that is starting or unreachable. */
const AWAY: readonly unknown[] = [4 /* DEADLINE_EXCEEDED */, 14 /* UNAVAILABLE */];

/** Retries while Temporal is starting or unreachable. @throws any other error. */
export async function untilTemporalServes<T>(
  log: Pick<Services['log'], 'warn'>,
  work: () => Promise<T>,
  everyMs = 1_000,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAway(error)) throw error;
      log.warn({ reason: String(error) }, 'Temporal is not ready yet');
      await sleep(everyMs);
    }
  }
}

function isAway(error: unknown): boolean {
  const { name, code, cause } = (error ?? {}) as { name?: unknown; code?: unknown; cause?: { code?: unknown } };
  // The worker's native connection reports no status code.
  return name === 'TransportError' || AWAY.includes(code) || AWAY.includes(cause?.code);
}
