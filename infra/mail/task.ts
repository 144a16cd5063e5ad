import { createWakeup } from '../background/wakeup.ts';
import { startBackgroundTask, type BackgroundTask } from '../background/task.ts';
import type { Services } from '../services.ts';

const LOOK_EVERY_MS = 2_000;

export function startMailTask(
  { db, log, restoring }: Pick<Services, 'db' | 'log' | 'restoring'>,
  { sendDueMail }: { sendDueMail: () => Promise<{ due: number }> },
  { pauseMs = LOOK_EVERY_MS } = {},
): BackgroundTask {
  const wakeup = createWakeup();
  const listener = db.listener('mail', () => wakeup.notify());
  const task = startBackgroundTask({ name: 'mail', log, pauseMs, wake: wakeup }, async () => {
    await listener.listen();
    // A restored database has letters that were sent already, and links that were used.
    if ((await restoring.isNone()) && (await sendDueMail()).due > 0) wakeup.notify();
  });
  return {
    async stop() {
      await task.stop();
      await listener.stop();
    },
  };
}
