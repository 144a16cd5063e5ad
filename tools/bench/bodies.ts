import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readContract } from '../../api/http/contract.ts';
import { openServices } from '../../infra/services.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { delayOf, senderTo, worstCases, type Sender } from '../fuzz/worst-delays.ts';
import { progress, type Part, type Row } from './report.ts';
import { seedKey, seedTokens } from './seed.ts';
import { withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const IDLE_MS = 2_000;
const MOST_DELAY_MS = 50;
const SHOWN = 10;
// All requests come from one IP address and one account.
const UNLIMITED = '1000000';

export async function benchBodies(profileDir?: string): Promise<Part> {
  return withStack({ temporal: false, profileDir }, async (stack) => measure(await prepare(stack)));
}

async function prepare(stack: BenchStack): Promise<Sender> {
  const { config } = stack;
  const services = await openServices({ ...config, logLevel: 'silent' }, 'bench');
  const key = await seedKey(services);
  const [token] = await seedTokens(services, 1);
  await services.close();
  const metricsPort = await freePort();
  const limits = ['LIMIT_CREDENTIALS_PER_MINUTE', 'LIMIT_TOKENS_PER_MINUTE'].map((name) => [name, UNLIMITED]);
  await stack.start('api', {
    ...(Object.fromEntries(limits) as Record<string, string>),
    METRICS_PORT_API: String(metricsPort),
  });
  const pki = (file: string) => join(config.dataDir, 'pki', file);
  return senderTo({ url: config.api.publicUrl, metricsPort, pki, key, token: token! });
}

async function measure(sender: Sender): Promise<Part> {
  const cases = worstCases(readContract('production')).map((given) => ({
    ...given,
    delays: [] as number[],
    statuses: new Set<number>(),
  }));
  const idle: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`bodies: round ${round + 1} of ${ROUNDS}, ${cases.length} bodies`);
    await sender.longestDelay();
    await sleep(IDLE_MS);
    idle.push(await sender.longestDelay());
    for (const { delays, statuses, ...given } of cases) {
      const { status, delay } = await delayOf(sender, given);
      statuses.add(status);
      delays.push(delay);
    }
  }
  await sender.close();
  const judged = cases
    .map(({ operation, body, delays, statuses }) => ({
      what: `${operation.id}: ${body.what} (${[...statuses].join(', ')})`,
      delay: median(delays),
    }))
    .sort((a, b) => b.delay - a.delay);
  const rows: Row[] = judged.slice(0, SHOWN).map(({ what, delay }) => ({
    what,
    value: `${delay.toFixed(0)} ms`,
    target: `at most ${MOST_DELAY_MS} ms`,
    met: delay <= MOST_DELAY_MS,
  }));
  return {
    name: 'bodies',
    setting: `${cases.length} worst bodies of ${new Set(cases.map(({ operation }) => operation.id)).size} operations; the longest event-loop delay, median of ${ROUNDS} runs`,
    rows: [{ what: 'nothing sent', value: `${median(idle).toFixed(0)} ms` }, ...rows],
  };
}
