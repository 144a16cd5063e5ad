import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from '../../test/helpers/holds.ts';
import { until } from '../../test/helpers/until.ts';
import { commandsUnder, documented } from './deploying.ts';
import type { Tried } from './prepare.ts';
import { allHealthy } from './closed.ts';
import { pays, queuesAreServed, statusOf } from './serves.ts';

const ASKED_EVERY_MS = 100;
const PSQL = 'compose exec -T -u postgres postgres psql --tuples-only --no-align';

export async function scales(tried: Tried): Promise<void> {
  await tried.deployment.shell('compose up --detach --wait --scale worker-payments=2');
  holds('there are two payment workers', (await tried.deployment.containers('worker-payments')).length === 2);
  await allHealthy(tried);
  await queuesAreServed(tried);
  await pays(tried);
}

/** The migration runs while the old processes serve, and then new processes replace them. */
export async function upgrades(tried: Tried): Promise<void> {
  const { deployment, image } = tried;
  const next = `${image.replace(/:[^:/]+$/, '')}:next`;
  await deployment.ask('tag', image, next);
  try {
    await deployment.set({ RINGFENCE_IMAGE: next });
    const migrating = await awayDuring(tried, () => deployment.shell(documented('compose run --rm --no-deps migrate')));
    holds(`the old processes serve while it migrates, ${migrating.asked} times asked`, migrating.awayMs === 0);
    const replacing = await awayDuring(tried, () => deployment.shell(documented('compose up --detach --wait')));
    holds(`then they are replaced; the API is away for ${(replacing.awayMs / 1_000).toFixed(1)} s`, true);
    await allHealthy(tried);
    const images = new Set((await deployment.containers('api')).map(({ Config }) => Config.Image));
    holds('the new image serves', images.has(next) && images.size === 1);
    await pays(tried);
  } finally {
    await deployment.set({ RINGFENCE_IMAGE: image });
  }
}

/** Measures the longest time during which the API is not ready, and counts the requests sent meanwhile. */
async function awayDuring({ client }: Tried, work: () => Promise<unknown>): Promise<{ awayMs: number; asked: number }> {
  let [answeredAt, awayMs, asked, done] = [performance.now(), 0, 0, false];
  const working = work().finally(() => (done = true));
  // `await working` below reports the error.
  working.catch(() => undefined);
  while (!done) {
    const ready = await client.once('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
    asked += 1;
    if (ready) answeredAt = performance.now();
    else awayMs = Math.max(awayMs, performance.now() - answeredAt);
    await sleep(ASKED_EVERY_MS);
  }
  await working;
  return { awayMs, asked };
}

/** Also checks that the write-ahead log is archived. */
export async function backsUp({ deployment }: Tried): Promise<void> {
  const [backUp] = commandsUnder('backups.md', 'Back up');
  await deployment.shell(backUp!);
  const archive = join(deployment.dir, 'archive');
  const [base] = (await readdir(archive)).filter((name) => name.startsWith('base-'));
  const files = base === undefined ? [] : await readdir(join(archive, base));
  holds('a base backup is there', files.includes('PG_VERSION') && files.includes('backup_label'));
  holds(
    'the log is archived',
    (await readdir(archive)).some((name) => /^[0-9A-F]{24}\.gz$/.test(name)),
  );
}

/** Deletes the database's volume. The documented commands restore even a payment made after the base backup. */
export async function restores(tried: Tried): Promise<void> {
  const { deployment } = tried;
  const paymentId = await pays(tried);
  const sql = (query: string) => deployment.shell(`${PSQL} --command '${query}'`);
  const last = await sql('select pg_walfile_name(pg_switch_wal())');
  const archive = join(deployment.dir, 'archive');
  await until(async () => (await readdir(archive)).includes(`${last}.gz`), `${last} in the archive`);
  await deployment.shell('compose down --volumes --timeout 40');
  const commands = commandsUnder('backups.md', 'Restore');
  await deployment.shell(...commands.slice(0, -1));
  await until(async () => (await deployment.shell(commands.at(-1)!)) === 'f', 'the end of the recovery');
  await deployment.shell('compose up --detach --wait');
  holds('what was paid after the base backup is there', (await statusOf(tried, paymentId)) === 'completed');
  const ledger = await deployment.shell('compose run --rm admin ledger verify');
  holds('the ledger adds up', ledger.includes('true'));
  await pays(tried);
}

export async function restarts(tried: Tried, paymentId: string): Promise<void> {
  await tried.deployment.shell('compose stop', 'compose up --detach --wait');
  await allHealthy(tried);
  holds('a payment of before is still completed', (await statusOf(tried, paymentId)) === 'completed');
  await queuesAreServed(tried);
  await pays(tried);
}
