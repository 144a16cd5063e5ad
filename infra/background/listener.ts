import type { Database } from '../db/database.ts';

/** The first `listen` subscribes. If the subscription fails, the next `listen` tries again. */
export function listener(db: Pick<Database, 'listen'>, channel: string, notify: (payload: string) => void) {
  let listening: Promise<() => Promise<void>> | undefined;
  return {
    async listen(): Promise<void> {
      listening ??= db.listen(channel, notify);
      await listening.catch((error: unknown) => {
        listening = undefined;
        throw error;
      });
    },
    stop: async () => (await listening)?.(),
  };
}
