import { Console } from 'node:console';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../domain/auth.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { commandLine } from '../../test/helpers/command-line.ts';
import { findingsOf, openWorkflows } from '../../test/helpers/faults-checks.ts';
import { openStack, type FaultStack } from '../../test/helpers/faults.ts';
import { until } from '../../test/helpers/until.ts';
import { openCaller, type Caller } from './caller.ts';
import { openSampler, type Sample, type Sampler } from './samples.ts';
import { makeCast, REQUESTS_A_STORY, STORIES, type Cast } from './stories.ts';
import { coursesOf, median, RULE, type Course } from './verdict.ts';

const USAGE = `npm run test:soak -- [--minutes N] [--rate N]

Puts a mixed load on the whole service, as npm start runs it. --rate is the requests a second (default 8). --minutes is how long
(default 30, or SOAK_MINUTES). It fails if memory, connections or unfinished work grow, if an answer is wrong, or if ledger or audit log
are damaged.`;
const SAMPLES = 60;
const LEAST_BETWEEN_MS = 5_000;

const out = new Console(process.stdout);
const say = (line: string) => process.stderr.write(`${line}\n`);

/** Exits with 0 if all is well, 1 if not, and 2 for a wrong number of minutes or requests. */
async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = commandLine(USAGE, { options: { minutes: text, rate: text, help: { type: 'boolean' } } });
  const minutes = Number(values.minutes ?? process.env.SOAK_MINUTES ?? 30);
  const rate = Number(values.rate ?? process.env.SOAK_RATE ?? 8);
  if (values.help || !(minutes > 0 && rate > 0)) {
    say(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  say(`starting the service for ${minutes} minutes at ${rate} requests a second ...`);
  const stack = await openStack({ NODE_OPTIONS: '--inspect-port=0', SANDBOX_BANK_SLOW_MS: '3000' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stack.stop().then(() => process.exit(130)));
  try {
    process.exitCode = (await soak(stack, { minutes, rate })) ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

interface Wanted {
  minutes: number;
  rate: number;
}

async function soak(stack: FaultStack, wanted: Wanted): Promise<boolean> {
  const caller = openCaller(stack);
  const sampler = await openSampler(stack);
  try {
    const pids = await pidsOf(stack);
    const cast = await makeCast(caller, await operatorKey(stack));
    const { samples, stories, failed } = await run(cast, sampler, wanted);
    const open = await drained(stack, sampler);
    const courses = coursesOf(samples, wanted.minutes);
    const restarted = (await pidsOf(stack)) === pids ? [] : ['a part of the service was started again meanwhile'];
    const faults = [
      ...courses.filter(({ flat }) => !flat).map(({ what }) => `${what} is not flat`),
      ...caller.wrongs.map((wrong) => `a wrong answer: ${wrong}`),
      ...failed.slice(0, 20).map((reason) => `a story that broke off: ${reason}`),
      ...(await findingsOf(stack)),
      ...open,
      ...restarted,
    ];
    print({ caller, courses, faults, stories, minutes: wanted.minutes });
    return faults.length === 0;
  } finally {
    await sampler.close();
    await caller.close();
  }
}

async function pidsOf(stack: FaultStack): Promise<string> {
  return [await stack.pid('API'), await stack.pid('worker'), await stack.pid('PostgreSQL')].join();
}

async function operatorKey(stack: FaultStack): Promise<string> {
  const admin = async (...argv: string[]) =>
    JSON.parse((await runCommand(argv, stack.env)).stdout) as Record<string, string>;
  const { app_id } = await admin('app', 'create', '--name', 'Soak');
  return (await admin('key', 'create', '--app', app_id!, '--scopes', SCOPES.join(' '))).key!;
}

/** Keeps a steady pace, even if some stories fail. */
async function run(cast: Cast, sampler: Sampler, { minutes, rate }: Wanted) {
  const begun = Date.now();
  const ends = begun + minutes * 60_000;
  const samples: Sample[] = [];
  const failed: string[] = [];
  const underWay = new Set<Promise<void>>();
  let stories = 0;
  const sampling = (async () => {
    const everyMs = Math.max(LEAST_BETWEEN_MS, (minutes * 60_000) / SAMPLES);
    for (let next = begun + everyMs; next <= ends; next += everyMs) {
      await sleep(Math.max(0, next - Date.now()));
      const sample = await sampler.sample((Date.now() - begun) / 60_000);
      samples.push(sample);
      say(lineOf(sample));
    }
  })();
  while (Date.now() < ends) {
    const story = STORIES[stories % STORIES.length]!;
    const told = story(cast, `soak-${(stories += 1)}`)
      .catch((error: unknown) => void failed.push(String(error)))
      .finally(() => underWay.delete(told));
    underWay.add(told);
    await sleep(Math.max(0, begun + (stories * REQUESTS_A_STORY * 1_000) / rate - Date.now()));
  }
  await sampling;
  await Promise.all(underWay);
  return { samples, stories, failed };
}

/** Waits at most a minute for the work that the requests caused. @returns an error text if work remains. */
async function drained(stack: FaultStack, sampler: Sampler): Promise<string[]> {
  const idle = async () => {
    const { figures } = await sampler.sample(0);
    return figures.outbox === 0 && figures.letters === 0 && (await openWorkflows(stack)) === 0;
  };
  return until(idle, 'the end of all that was under way', 60_000, 1_000).then(
    () => [],
    (error: unknown) => [String(error)],
  );
}

interface Outcome {
  caller: Caller;
  courses: Course[];
  faults: string[];
  stories: number;
  minutes: number;
}

function print({ caller, courses, faults, stories, minutes }: Outcome): void {
  const asked = [...caller.told].map(([what, { count, ms }]) => {
    const sorted = ms.toSorted((one, other) => one - other);
    return {
      what,
      count,
      'p50 ms': Math.round(median(ms)),
      'p99 ms': Math.round(sorted[Math.floor(ms.length * 0.99)]!),
    };
  });
  const requests = asked.reduce((sum, { count }) => sum + count, 0);
  const table = courses.map(({ what, samples, first, last, most, rise, allowed, flat }) => ({
    what,
    samples,
    first: first.toFixed(1),
    last: last.toFixed(1),
    most: most.toFixed(1),
    rise: rise.toFixed(1),
    allowed: allowed.toFixed(1),
    flat: flat ? 'yes' : 'NO',
  }));
  const pace = (requests / (minutes * 60)).toFixed(1);
  out.log(`${requests} requests in ${stories} stories, ${pace} a second, for ${minutes} minutes.`);
  out.table(asked);
  out.log(`${RULE}\nMemory in MB; first and last are medians of the first and the last quarter after the first third.`);
  out.table(table);
  for (const fault of faults) out.log(`FAILED: ${fault}`);
  out.log(faults.length === 0 ? 'soak: all of it held' : `soak: ${faults.length} faults`);
}

function lineOf({ minute, figures }: Sample): string {
  const words = Object.entries(figures).map(([name, figure]) => `${name} ${Math.round(figure)}`);
  return `minute ${minute.toFixed(1)}: ${words.join(', ')}`;
}

await main();
