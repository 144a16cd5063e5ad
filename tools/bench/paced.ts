import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface PacedRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Paced {
  url: string;
  tlsOptions: { ca?: Buffer; cert?: Buffer; key?: Buffer };
  connections: number;
  /** Requests per second. */
  rate: number;
  seconds: number;
  next: () => PacedRequest;
}

/**
 * The time of each timed, accepted request in ms, and the seconds from the first timed request to the last response.
 */
export interface Sent {
  eachMs: number[];
  /** Accepted requests, including those before timing began. */
  answered: number;
  refused: number;
  seconds: number;
}

/** In seconds. The first thousand requests take the sender more time than the service. */
export const PACED_WARM_UP_S = 4;

/** Times each request from its scheduled start, so that waiting behind a slow response counts. */
export async function sendPaced({ url, tlsOptions, connections, rate, seconds, next }: Paced): Promise<Sent> {
  const pool = new Pool(url, { connections, connect: tlsOptions });
  const before = Math.round(rate * PACED_WARM_UP_S);
  const total = before + Math.max(1, Math.round(rate * seconds));
  const eachMs: number[] = [];
  let answered = 0;
  let refused = 0;
  const send = async (place: number, scheduledAt: number) => {
    const { statusCode, body } = await pool.request(next());
    await body.dump();
    if (statusCode < 200 || statusCode > 299) {
      refused += 1;
      return;
    }
    answered += 1;
    if (place >= before) eachMs.push(performance.now() - scheduledAt);
  };
  // The time for opening connections does not count.
  await Promise.all(Array.from({ length: connections }, () => pool.request(next()).then(({ body }) => body.dump())));
  const pending: Promise<void>[] = [];
  const began = performance.now();
  const dueAt = (place: number) => began + (place * 1_000) / rate;
  while (pending.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) * rate) / 1_000) + 1);
    while (pending.length < due) {
      const place = pending.length;
      pending.push(send(place, dueAt(place)).catch(() => void (refused += 1)));
    }
    // A wake-up each millisecond would take processor time from the service.
    await sleep(Math.max(1, dueAt(pending.length) - performance.now()));
  }
  await Promise.all(pending);
  const took = (performance.now() - began) / 1_000 - PACED_WARM_UP_S;
  await pool.close();
  return { eachMs, answered, refused, seconds: took };
}
