import { readFile } from 'node:fs/promises';
import { readClock } from '../db/queries/clock.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const PAUSE_MS = 250;
const PAUSE_WHEN_AWAY_MS = 2_000;
/** The bank may have lost what it was told. */
const TELL_AGAIN_MS = 60_000;
const TIMEOUT_MS = 5_000;
/** A bank that is not the sandbox's. */
const HAS_NO_CLOCK = 404;

type Needs = Pick<Services, 'db' | 'log'> & {
  config: { bank: { url: string; tls: { ca: string } } };
};

/** Keeps the sandbox bank's clock at business time. Both keep the offset, so that a restart of either changes nothing. */
export function startBankClock({ db, log, config: { bank } }: Needs): BackgroundTask {
  const told = { offsetMs: Number.NaN, untilMs: 0 };
  const tell = tellerOf(bank);
  return startBackgroundTask({ name: 'bank clock', log, pauseMs: PAUSE_MS }, async () => {
    if (performance.now() < told.untilMs && Number.isNaN(told.offsetMs)) return;
    const { offset_ms: offsetMs } = await db.one(readClock({}));
    if (offsetMs === told.offsetMs && performance.now() < told.untilMs) return;
    Object.assign(told, { offsetMs: Number.NaN, untilMs: performance.now() + PAUSE_WHEN_AWAY_MS });
    await tell(offsetMs);
    Object.assign(told, { offsetMs, untilMs: performance.now() + TELL_AGAIN_MS });
  });
}

function tellerOf({ url, tls }: Needs['config']['bank']) {
  return async (offsetMs: number): Promise<void> => {
    // Imported on use, because a production worker never needs it here.
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({ connect: { ca: await readFile(tls.ca, 'utf8') } });
    try {
      const { statusCode, body } = await request(`${url}/sandbox/clock`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ offset_ms: offsetMs }),
        dispatcher,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await body.dump();
      if (statusCode !== 200 && statusCode !== HAS_NO_CLOCK)
        throw new Error(`the sandbox bank responded with ${statusCode} to its new time`);
    } finally {
      await dispatcher.destroy();
    }
  };
}
