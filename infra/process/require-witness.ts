import { readdir } from 'node:fs/promises';
import type { ConfigOf } from '../config/index.ts';
import { ConfigError } from '../config/settings.ts';
import { whenThere } from '../db/schema-version.ts';
import type { Services } from '../services.ts';

type Needs = Pick<Services, 'log' | 'restoring'> & { config: ConfigOf<'witness'> };

/** @throws ConfigError if the folder CHECKPOINTS cannot be read. */
export async function requireFolder({ config: { witness }, log }: Omit<Needs, 'restoring'>): Promise<void> {
  const { folder } = witness;
  if (folder === undefined) {
    log.warn({}, 'CHECKPOINTS is not set, so nobody will notice if the database is changed or is a restored backup');
    return;
  }
  await readdir(folder).catch((error: unknown) => {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `CHECKPOINTS names ${folder}, which cannot be read (${code}). Create the folder, or mount it into this process.`,
    );
  });
}

/** Waits while the database is unavailable. @throws ConfigError if the folder CHECKPOINTS is of another database. */
export async function requireWitness({ restoring }: Pick<Needs, 'restoring'>): Promise<void> {
  await whenThere(() => restoring.look());
}
