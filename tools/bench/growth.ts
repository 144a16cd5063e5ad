import { ownerUrlOf } from '../../infra/db/migrate.ts';
import { grow } from './grow.ts';
import { inOwnProcess } from './load.ts';
import type { RouteName } from './load-routes.ts';
import { progress, type Part, type Row } from './report.ts';
import { accepted, cpuMsIn, middleOf, prepare, type Measured, type RoutesBench } from './routes.ts';
import { withStack } from './stack.ts';
import { median } from './statistics.ts';

export interface GrowthOptions {
  /** The number of ledger entries to reach, ten for each owner. */
  entries: number;
}

const MEASURED: readonly RouteName[] = [
  'auth/me by key',
  'auth/me of a user',
  'calculate',
  'allocate',
  'transfer',
  'vault store',
  'vault get',
];
const ROUNDS = 7;
const SECONDS = 2;
const WARM_UP_SECONDS = 2;
const ENTRIES_OF_AN_OWNER = 10;
const LEAST_RATIO = 0.9;
// With PostgreSQL's defaults, filling the large database would take twice as long.
const STACK = {
  temporal: false,
  postgres: { max_wal_size: '4GB', wal_level: 'minimal', max_wal_senders: '0' },
} as const;

export async function benchGrowth({ entries }: GrowthOptions): Promise<Part> {
  const owners = Math.ceil(entries / ENTRIES_OF_AN_OWNER);
  const rounds = await withStack(STACK, (small) =>
    withStack(STACK, async (large) => {
      await grow(ownerUrlOf(large.config.database), owners);
      return measure({ small: await prepare(small), large: await prepare(large) });
    }),
  );
  return {
    name: 'growth',
    setting: `16 connections, ${ROUNDS} rounds of ${SECONDS} s on either database in turns, medians; grown = ${owners} owners with ${ENTRIES_OF_AN_OWNER} ledger entries each beside the thousand that the requests are about. The ratio is the median of the rounds' own.`,
    rows: MEASURED.flatMap((route) => rowsOf(route, rounds.get(route)!)),
  };
}

type Round = Record<'small' | 'large', Measured>;

function rowsOf(route: RouteName, rounds: readonly Round[]): Row[] {
  const figures = (size: keyof Round) => middleOf(rounds.map((round) => round[size]));
  // The machine's speed varies between rounds, so the speeds of each round are compared.
  const ratio = median(rounds.map(({ small, large }) => large.perSecond / small.perSecond));
  const cpu = median(rounds.map(({ small, large }) => cpuMsIn(small) / cpuMsIn(large)));
  const grown = figures('large');
  return [
    { what: route, ...figures('small') },
    {
      what: `${route}, grown`,
      ...grown,
      value: `${grown.value}, ratio of CPU ${cpu.toFixed(2)}`,
      ratio,
      against: 'the small one',
      target: `>= ${LEAST_RATIO.toFixed(2)}`,
      met: ratio >= LEAST_RATIO,
    },
  ];
}

async function measure(benches: Record<'small' | 'large', RoutesBench>): Promise<ReadonlyMap<RouteName, Round[]>> {
  for (const bench of Object.values(benches)) {
    for (const route of MEASURED) await inOwnProcess(bench.job(route, WARM_UP_SECONDS));
  }
  const on = (size: keyof typeof benches, route: RouteName) =>
    accepted(benches[size], benches[size].job(route, SECONDS));
  const rounds = new Map(MEASURED.map((route) => [route, [] as Round[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const route of MEASURED) {
      const first = round % 2 === 0 ? await on('small', route) : undefined;
      const large = await on('large', route);
      rounds.get(route)!.push({ small: first ?? (await on('small', route)), large });
    }
    progress(`round ${round + 1} of ${ROUNDS}`);
  }
  return rounds;
}
