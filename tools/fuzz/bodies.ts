import { readContract } from '../../api/http/contract.ts';
import { delayOf, senderTo, worstCases, type Case, type Sender, type Target } from './worst-delays.ts';

/** In milliseconds. Other load on the machine delays responses too. */
const MOST_DELAY_MS = 500;
/** Other load on the machine rarely delays every attempt. */
const TRIES = 4;

/** @returns the requests that blocked the API for too long or got a status of 500 or above */
export async function slowBodies(
  target: Target,
  { operations, say }: { operations: string | undefined; say: (line: string) => void },
): Promise<string[]> {
  const wanted = new RegExp(operations ?? '');
  const cases = worstCases(readContract()).filter(({ operation }) => wanted.test(operation.id));
  const sender = senderTo(target);
  const faults: string[] = [];
  let worst = { what: 'nothing', delay: 0 };
  try {
    for (const given of cases) {
      const what = `${given.operation.id}: ${given.body.what}`;
      const { status, delay } = await leastDelay(sender, given);
      if (delay > worst.delay) worst = { what, delay };
      if (status >= 500) faults.push(`${what} is answered ${status}`);
      if (delay > MOST_DELAY_MS) faults.push(`${what} makes the API stand still for ${delay.toFixed(0)} ms`);
    }
  } finally {
    await sender.close();
  }
  say(`fuzz: ${cases.length} worst bodies; the longest delay was ${worst.delay.toFixed(0)} ms, ${worst.what}`);
  return faults;
}

/** @returns the highest status and the shortest delay of several attempts */
async function leastDelay(sender: Sender, given: Case): Promise<{ status: number; delay: number }> {
  let least = await delayOf(sender, given);
  for (let tries = 1; tries < TRIES && least.delay > MOST_DELAY_MS; tries += 1) {
    const { status, delay } = await delayOf(sender, given);
    least = { status: Math.max(status, least.status), delay: Math.min(delay, least.delay) };
  }
  return least;
}
