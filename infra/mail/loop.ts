import { createBell } from '../background/wakeup.ts';
import { startLoop, type Loop } from '../background/task.ts';
import type { Services } from '../services.ts';

/** Letters that the mail server did not take are due again within seconds. */
const LOOK_EVERY_MS = 2_000;

/** Sends letters as they fall due, looking for them every `restMs`; woken when one is written down, by whichever process. */
export function startMailLoop(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { sendDueMail }: { sendDueMail: () => Promise<{ due: number }> },
  { restMs = LOOK_EVERY_MS } = {},
): Loop {
  const bell = createBell();
  let listening: Promise<() => Promise<void>> | undefined;
  const listen = async () => {
    listening ??= db.listen('mail', () => bell.ring());
    await listening.catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
  };
  const loop = startLoop({ name: 'mail', log, restMs, wake: bell }, async () => {
    await listen();
    if ((await sendDueMail()).due > 0) bell.ring();
  });
  return {
    async stop() {
      await loop.stop();
      await (
        await listening
      )?.();
    },
  };
}
