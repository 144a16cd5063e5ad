import type { Database } from '../db/database.ts';

/** Listens to a channel of the database from the first `listen` on; where that fails, the next one tries again. */
export function listener(db: Pick<Database, 'listen'>, channel: string, notify: () => void) {
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
