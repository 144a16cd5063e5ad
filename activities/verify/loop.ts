import { setTimeout as sleep } from 'node:timers/promises';
import { startBackgroundTask, type BackgroundTask } from '../../infra/background/task.ts';
import { ChangedCheckpointError, checkpointNames, newestSigned, signedLineOf } from '../../infra/witness/checkpoint.ts';
import { openFolder, type WitnessFolder } from '../../infra/witness/folder.ts';
import type { Services } from '../../infra/services.ts';
import type { Verified } from './index.ts';
import type { VerifyNeeds } from './part.ts';
import { makeCheckpoint, type Written } from './witness.ts';

const EVERY_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;
const TRIES = 20;
const TRY_AGAIN_MS = 500;

type LoopNeeds = VerifyNeeds & Pick<Services, 'log' | 'metrics'>;

/** Writes a checkpoint each hour, and one at the end if a chain has changed. Undefined without a folder. */
export function startCheckpoints(services: LoopNeeds): BackgroundTask | undefined {
  const { folder: path } = services.config.witness;
  if (path === undefined) return undefined;
  const folder = openFolder(path);
  const options = { name: 'checkpoints', log: services.log, pauseMs: LOOK_EVERY_MS };
  const task = startBackgroundTask(options, () => checkpointIfDue(services, folder));
  return {
    async stop() {
      await task.stop();
      await makeCheckpoint(services, { onlyChanges: true }).catch((error: unknown) =>
        services.log.warn({ reason: String(error) }, 'the last checkpoint could not be written'),
      );
    },
  };
}

/** @throws Error, which the log shows, if somebody changed the newest checkpoint, or chains are behind it. */
export async function checkpointIfDue(services: LoopNeeds, folder: WitnessFolder): Promise<void> {
  try {
    const newest = await newestSigned(folder);
    const now = await services.clock.real(services.db);
    const age = newest === undefined ? Infinity : now.getTime() - Date.parse(newest.at);
    if (age >= EVERY_MS) requireNotBehind(await makeCheckpoint(services));
    await showNewest(services, folder);
  } catch (error) {
    if (error instanceof ChangedCheckpointError) services.metrics.tampering.inc({ what: 'checkpoints' });
    throw error;
  }
}

function requireNotBehind(written: Written): void {
  if ('not' in written && written.not === 'behind') throw new ChangedCheckpointError('chains are behind it');
}

/** Until the first run of `verify`, its time is that of the first checkpoint. */
async function showNewest({ metrics }: Pick<Services, 'metrics'>, folder: WitnessFolder): Promise<void> {
  const newest = await newestSigned(folder);
  if (newest === undefined) return;
  metrics.checkpointLast.set(Date.parse(newest.at) / 1_000);
  const [first] = newest.verified_at === null ? await checkpointNames(folder) : [];
  const began = first === undefined ? undefined : await signedLineOf(folder, first);
  metrics.verifiedLast.set(Date.parse(newest.verified_at ?? began?.at ?? newest.at) / 1_000);
}

/** Tries again while another process writes a checkpoint. */
export async function recordVerified(
  needs: VerifyNeeds,
  { verified, begunAt }: Pick<Verified, 'verified' | 'begunAt'>,
): Promise<Written> {
  for (let tries = 1; ; tries += 1) {
    const written = await makeCheckpoint(needs, { verified, begunAt });
    if (!('not' in written) || written.not !== 'busy' || tries === TRIES) return written;
    await sleep(TRY_AGAIN_MS);
  }
}
