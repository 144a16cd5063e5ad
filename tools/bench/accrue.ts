import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import { addDays, londonDateOf } from '../../domain/dates.ts';
import { textQuery } from '../../test/helpers/text-query.ts';
import { openServices, type Services } from '../../infra/services.ts';
import { seedSavers } from '../../test/helpers/savers.ts';
import type { Cast, RouteName } from './load-routes.ts';
import type { Row } from './report.ts';
import { accepted, middleOf, prepare, type Measured, type RoutesBench } from './routes.ts';
import { withStack } from './stack.ts';

const ROUNDS = 3;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
/** Each request accrues the interest of the next vault, and each pass over the vaults accrues one more month. */
const VAULTS = 1_500;
const DAYS_BACK = 500;
const DAYS_BEFORE = 70;
const SAVERS = { count: VAULTS * (ROUNDS + 1), start: addDays(londonDateOf(new Date()), -DAYS_BACK), deposits: 3 };
const ROUTES = ['bare insert', 'bare transfer', 'accrue'] as const satisfies readonly RouteName[];

/** The baseline is one insert and one balanced transfer in Express and `pg`. */
export async function benchAccrue(profileDir?: string): Promise<Row[]> {
  return withStack({ temporal: false, profileDir }, async (stack) => {
    const bench = await prepare(stack);
    const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
    try {
      return rowsOf(await measure(bench, services, stack.config.dataDir));
    } finally {
      await services.close();
    }
  });
}

type Loads = ReadonlyMap<RouteName, readonly Measured[]>;

async function measure(bench: RoutesBench, services: Services, dataDir: string): Promise<Loads> {
  await seedSavers(services, SAVERS);
  const casts = await castsOf(bench, dataDir);
  const load = (route: RouteName, seconds: number, round: number) =>
    accepted(bench, { ...bench.job(route, seconds), cast: casts[round]! });
  const loads = new Map(ROUTES.map((route) => [route, [] as Measured[]]));
  let posted = 0;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const route of ROUTES) {
      const isWarmUp = round === 0;
      const measured = await load(route, isWarmUp ? WARM_UP_SECONDS : SECONDS, round);
      if (!isWarmUp) loads.get(route)!.push(measured);
      if (route === 'accrue') posted += measured.count;
    }
  }
  await requirePosted(services, posted);
  return loads;
}

async function castsOf(bench: RoutesBench, dataDir: string): Promise<string[]> {
  const cast = JSON.parse(readFileSync(bench.job('accrue', 0).cast, 'utf8')) as Cast;
  const firstDay = addDays(SAVERS.start, DAYS_BEFORE);
  return Promise.all(
    Array.from({ length: ROUNDS + 1 }, async (_, round) => {
      const vaultIds = Array.from({ length: VAULTS }, (_, place) => `vlt_saver-${round * VAULTS + place + 1}`);
      const file = join(dataDir, `cast-${round}.json`);
      await writeFile(file, JSON.stringify({ ...cast, savings: { vaultIds, firstDay } } satisfies Cast));
      return file;
    }),
  );
}

const accruals = textQuery<{ count: number }>('bench.accruals', 'select count(*) as count from accruals');

/** @throws if the database has fewer accruals than `least`, or if the ledger does not balance */
async function requirePosted(services: Services, least: number): Promise<void> {
  const { count } = await services.db.one(accruals());
  if (count < least) throw new Error(`${least} accruals were reported, but the database has ${count}`);
  const faults = await services.db.many(ledgerFaults());
  if (faults.length > 0) throw new Error(`the ledger does not add up: ${JSON.stringify(faults)}`);
}

function rowsOf(loads: Loads): Row[] {
  const figures = (route: RouteName) => middleOf(loads.get(route)!);
  const ratio = (bare: RouteName) => figures('accrue').perSecond / figures(bare).perSecond;
  const accrue = figures('accrue');
  return [
    { what: 'bare insert', ...figures('bare insert') },
    { what: 'bare transfer', ...figures('bare transfer') },
    {
      what: 'accrue one vault over HTTP',
      ...accrue,
      value: `${accrue.value}, ${ratio('bare transfer').toFixed(2)} of bare transfer`,
      ratio: ratio('bare insert'),
      against: 'bare insert',
    },
  ];
}
