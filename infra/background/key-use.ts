import { noteKeysUsed } from '../db/queries/auth.ts';
import type { Services } from '../services.ts';
import { startBackgroundTask, type BackgroundTask } from './task.ts';

const WRITE_EVERY_MS = 30_000;

type Needs = Pick<Services, 'db' | 'keyUse' | 'log'>;

export function startKeyUse({ db, keyUse, log }: Needs, pauseMs = WRITE_EVERY_MS): BackgroundTask {
  const round = async () => {
    const keyIds = [...keyUse];
    if (keyIds.length === 0) return;
    keyUse.clear();
    await db.run(noteKeysUsed(keyIds)).catch((error: unknown) => {
      for (const keyId of keyIds) keyUse.add(keyId);
      throw error;
    });
  };
  const task = startBackgroundTask({ name: 'key use', log, pauseMs }, round);
  return {
    async stop() {
      await task.stop();
      await round().catch(() => undefined);
    },
  };
}
