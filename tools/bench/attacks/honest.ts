import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { percentile } from '../statistics.ts';
import { headOf, open, type Address, type RawRequest } from './connections.ts';

export interface Waits {
  count: number;
  failed: number;
  p50Ms: number;
  p95Ms: number;
  mostMs: number;
}

/** An honest person who sends a request every `everyMs` from an address of their own, until `stop`. */
export function visit(
  { host, port, ca }: Address,
  { from, call, everyMs }: { from: string; call: RawRequest; everyMs: number },
): { stop(): Promise<Waits> } {
  const dispatcher = new Agent({ connect: { ca, localAddress: from, servername: 'localhost' }, connections: 8 });
  const eachMs: number[] = [];
  let failed = 0;
  let stopped = false;
  const pending: Promise<void>[] = [];
  const once = async () => {
    const began = performance.now();
    try {
      const { method, path, headers, body } = call;
      const given = { method, dispatcher, headers: headers ?? {}, ...(body === undefined ? {} : { body }) };
      const answer = await request(`https://${host}:${port}${path}`, given);
      await answer.body.dump();
      if (answer.statusCode >= 400) failed += 1;
    } catch {
      failed += 1;
    }
    eachMs.push(performance.now() - began);
  };
  const running = (async () => {
    while (!stopped) {
      pending.push(once());
      await sleep(everyMs);
    }
    await Promise.all(pending);
    await dispatcher.destroy();
  })();
  return {
    async stop() {
      stopped = true;
      await running;
      const [p50Ms, p95Ms, mostMs] = [50, 95, 100].map((percent) => percentile(eachMs, percent)) as [
        number,
        number,
        number,
      ];
      return { count: eachMs.length, failed, p50Ms, p95Ms, mostMs };
    },
  };
}

const PIECE_MS = 250;

/** A phone that sends a request at `bytesPerSecond`. @returns the status of the answer, and the seconds until it came */
export async function sendSlowly(
  address: Address,
  { from, call, bytesPerSecond }: { from: string; call: RawRequest; bytesPerSecond: number },
): Promise<{ status: string; seconds: number }> {
  const began = performance.now();
  const socket = await open(address, from);
  let answer = '';
  const over = new Promise<void>((resolve) => {
    socket
      .once('data', (chunk: Buffer) => resolve(void (answer = chunk.toString('latin1', 0, 12))))
      .once('close', resolve);
  });
  const body = Buffer.from(call.body ?? '');
  const piece = Math.ceil((bytesPerSecond * PIECE_MS) / 1_000);
  socket.write(headOf(call, body.length));
  for (let at = 0; at < body.length && !socket.destroyed && answer === ''; at += piece) {
    socket.write(body.subarray(at, at + piece));
    await sleep(PIECE_MS);
  }
  await over;
  socket.destroy();
  return { status: /\d{3}$/.exec(answer)?.[0] ?? 'closed', seconds: (performance.now() - began) / 1_000 };
}
