import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { readContract, type Operation } from '../../api/http/contract.ts';
import { openServices } from '../../infra/services.ts';
import { freePort } from '../helpers/ports.ts';
import { operationsWithBodies, worstBodies, type WorstBody } from '../helpers/worst-bodies.ts';
import { progress, type Part, type Row } from './report.ts';
import { seedKey, seedTokens } from './seed.ts';
import { withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const IDLE_MS = 2_000;
const MOST_DELAY_MS = 50;
const SHOWN = 10;
/** All of it comes from one address and one account. */
const UNLIMITED = '1000000';

interface Bench {
  /** Sends a body as a caller of the operation would. @returns the status of the answer. */
  send: (operation: Operation, body: WorstBody) => Promise<number>;
  /** The longest delay of the API's event loop since it was last asked, in milliseconds. */
  longestDelay: () => Promise<number>;
}

/** The worst bodies of every operation, and how long the event loop of the API stands still for them. */
export async function benchBodies(profileDir?: string): Promise<Part> {
  return withStack({ temporal: false, profileDir }, async (stack) => measure(await prepare(stack)));
}

async function prepare(stack: BenchStack): Promise<Bench> {
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
  const { publicUrl, tls } = config.api;
  const pki = (file: string) => readFileSync(join(config.dataDir, 'pki', file));
  const client = { cert: pki('vault-client.crt'), key: pki('vault-client.key') };
  const dispatcher = new Agent({ connect: { ca: readFileSync(tls.ca), ...client } });
  return {
    async send(operation, { type, text }) {
      const path = operation.path.replace('{vault_ref}', VAULT_REF).replace(/\{\w+\}/g, 'none');
      // A person's own, or what only persons do, is not for a key.
      const bearer = PERSONS.has(operation.id) ? token! : key;
      const credential =
        operation.credential === 'vault' ? { 'x-vault-api-key': key } : { authorization: `Bearer ${bearer}` };
      const headers = { 'content-type': type, ...(operation.scopes === 'public' ? {} : credential) };
      const { statusCode, body } = await request(`${publicUrl}${path}`, {
        method: operation.method,
        dispatcher,
        headers,
        body: text,
      });
      await body.dump();
      return statusCode;
    },
    async longestDelay() {
      const { body } = await request(`http://127.0.0.1:${metricsPort}/metrics`);
      const found = /^nodejs_eventloop_lag_max_seconds(?:\{.*\})? (\S+)$/m.exec(await body.text());
      return Number(found![1]) * 1_000;
    },
  };
}

const VAULT_REF = 'vault:user_phone:01a201c7-2965-7700-9ff7-08f9f64d20c3';
const PERSONS: ReadonlySet<string> = new Set(['updateProfile', 'changePassword', 'sendVerificationMail']);

async function measure({ send, longestDelay }: Bench): Promise<Part> {
  const contract = readContract('production');
  const cases = operationsWithBodies(contract).flatMap((operation) =>
    worstBodies(contract, operation).map((body) => ({
      operation,
      body,
      delays: [] as number[],
      statuses: new Set<number>(),
    })),
  );
  const idle: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`bodies: round ${round + 1} of ${ROUNDS}, ${cases.length} bodies`);
    await longestDelay();
    await sleep(IDLE_MS);
    idle.push(await longestDelay());
    for (const { operation, body, delays, statuses } of cases) {
      statuses.add(await send(operation, body));
      delays.push(await longestDelay());
    }
  }
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
