import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { readContract } from '../../api/http/contract.ts';
import { openServices } from '../../infra/services.ts';
import { freePort } from '../../test/helpers/ports.ts';
import { delayOf, senderTo, worstCases, type Case, type Sender } from '../fuzz/worst-delays.ts';
import { loadAccepted } from './load.ts';
import type { RouteLoad } from './statistics.ts';
import { progress, told, type Part, type Row } from './report.ts';
import { seedKey, seedUsers } from './seed.ts';
import { withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const IDLE_MS = 2_000;
const MOST_ABOVE_IDLE_MS = 15;
const SHOWN = 10;
const FLOODED = 3;
const CONNECTIONS = 8;
const OTHERS_PER_SECOND = 40;
const OTHERS_SECONDS = 8;
const MOST_P95_MS = 60;
/** After each reset, Node drops the first sample. There is one each millisecond. */
const NEXT_SAMPLE_MS = 4;
// All requests come from one IP address and one account.
const UNLIMITED = '1000000';
const WATCH = new URL('./watch-loop.ts', import.meta.url).href;
/** It froze the service before lists were refused by their length. */
const KNOWN = /^\d+ times \{\} at obligations/;

interface Bench {
  sender: Sender;
  /** In milliseconds, since the last delay that was read. */
  processor: () => number;
  others: () => Promise<RouteLoad>;
}

interface Judged extends Case {
  what: string;
  delay: number;
  processor: number;
}

export async function benchWorstBodies(profileDir?: string): Promise<Part> {
  return withStack({ temporal: false, profileDir }, async (stack) => measure(await prepare(stack)));
}

async function prepare(stack: BenchStack): Promise<Bench> {
  const { config } = stack;
  const services = await openServices({ ...config, logLevel: 'silent' }, 'bench');
  const key = await seedKey(services);
  const cast = await seedUsers(services, 1).finally(() => services.close());
  const port = await freePort();
  const limits = ['LIMIT_CREDENTIALS_PER_MINUTE', 'LIMIT_TOKENS_PER_MINUTE'].map((name) => [name, UNLIMITED]);
  await stack.start('api', {
    ...(Object.fromEntries(limits) as Record<string, string>),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${WATCH}`,
    BENCH_LOOP_PORT: String(port),
  });
  const { publicUrl: url, tls } = config.api;
  const loop = watchOn(port);
  const pki = (file: string) => join(config.dataDir, 'pki', file);
  const job = { kind: 'route', url, ca: tls.ca, client: { cert: '', key: '' }, cast, rate: OTHERS_PER_SECOND } as const;
  return {
    sender: senderTo({ url, longestDelay: loop.delay, pki, key, token: key }),
    processor: loop.processor,
    others: () => loadAccepted({ ...job, route: 'auth/me of a user', seconds: OTHERS_SECONDS }),
  };
}

function watchOn(port: number) {
  const [before, now] = [{ processor: 0 }, { processor: 0 }];
  return {
    async delay() {
      const { body } = await request(`http://127.0.0.1:${port}/`);
      const { delay, processor } = (await body.json()) as { delay: number; processor: number };
      [before.processor, now.processor] = [now.processor, processor];
      await sleep(NEXT_SAMPLE_MS);
      return delay;
    },
    processor: () => now.processor - before.processor,
  };
}

async function measure({ sender, processor, others }: Bench): Promise<Part> {
  const cases = worstCases(readContract('production')).map((given) => ({
    ...given,
    delays: [] as number[],
    processors: [] as number[],
    statuses: new Set<number>(),
  }));
  const idle: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`worst-bodies: round ${round + 1} of ${ROUNDS}, ${cases.length} requests`);
    await sender.longestDelay();
    await sleep(IDLE_MS);
    idle.push(await sender.longestDelay());
    for (const { delays, processors, statuses, ...given } of cases) {
      const { status, delay } = await delayOf(sender, given);
      statuses.add(status);
      delays.push(delay);
      processors.push(processor());
    }
  }
  const judged = cases
    .map(({ operation, body, delays, processors, statuses }) => ({
      ...{ operation, body, delay: median(delays), processor: median(processors) },
      what: `${operation.id}: ${body.what} (${[...statuses].join(', ')})`,
    }))
    .sort((a, b) => b.delay - a.delay);
  const floods = await flood({ sender, others }, judged);
  await sender.close();
  return {
    name: 'worst-bodies',
    setting: `${cases.length} worst requests of ${new Set(cases.map(({ operation }) => operation.id)).size} operations; the longest event-loop delay and the main thread's processor time, each the median of ${ROUNDS} runs; then auth/me of another, ${OTHERS_PER_SECOND} a second, beside ${CONNECTIONS} connections that send one body over and over`,
    rows: [
      { what: 'nothing sent', value: `${median(idle).toFixed(1)} ms` },
      ...rowsOf(judged, median(idle)),
      ...floods,
    ],
  };
}

function rowsOf(judged: readonly Judged[], idle: number): Row[] {
  return judged.slice(0, SHOWN).map(({ what, delay, processor }) => ({
    what,
    value: `${delay.toFixed(1)} ms, processor ${processor.toFixed(1)} ms`,
    target: `at most ${MOST_ABOVE_IDLE_MS} ms above nothing`,
    met: delay - idle <= MOST_ABOVE_IDLE_MS,
  }));
}

async function flood({ sender, others }: Pick<Bench, 'sender' | 'others'>, judged: readonly Judged[]): Promise<Row[]> {
  const costly = judged.toSorted((a, b) => b.processor - a.processor).slice(0, FLOODED);
  const rows: Row[] = [{ what: 'auth/me, with nothing else to do', ...told(await others()) }];
  for (const given of [...costly, ...judged.filter(({ body }) => KNOWN.test(body.what)).slice(0, 1)]) {
    progress(`worst-bodies: ${CONNECTIONS} connections of ${given.what}`);
    const busy = new AbortController();
    const until = () => !busy.signal.aborted;
    const sent = Promise.all(Array.from({ length: CONNECTIONS }, () => sendOn(sender, given, until)));
    const load = await others().finally(() => busy.abort());
    await sent;
    const met = load.p95Ms <= MOST_P95_MS;
    rows.push({ what: `auth/me, beside ${given.what}`, ...told(load), target: `p95 <= ${MOST_P95_MS} ms`, met });
  }
  return rows;
}

async function sendOn(sender: Sender, { operation, body }: Case, goesOn: () => boolean): Promise<void> {
  while (goesOn()) await sender.send(operation, body);
}
