import { setTimeout as sleep } from 'node:timers/promises';
import type { Services } from '../services.ts';

/** gRPC status codes of a server that is starting or unreachable. */
const AWAY: readonly unknown[] = [4 /* DEADLINE_EXCEEDED */, 14 /* UNAVAILABLE */];

/** Retries while Temporal is starting or unreachable. @throws any other error. */
export async function untilTemporalServes(
  log: Pick<Services['log'], 'warn'>,
  work: () => Promise<void>,
  everyMs = 1_000,
): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!isAway(error)) throw error;
      log.warn({ reason: String(error) }, 'Temporal is not ready yet');
      await sleep(everyMs);
    }
  }
}

function isAway(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return AWAY.includes(code) || AWAY.includes(cause?.code);
}
