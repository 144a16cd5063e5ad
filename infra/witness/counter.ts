import * as z from 'zod';
import { ConfigError } from '../config/settings.ts';
import type { WitnessFolder } from './folder.ts';

const COUNTER = 'counter.json';

const counter = z.object({
  /** Names the database, so that a folder of another one does not look like a restore. */
  deployment: z.string(),
  /** When the folder was begun: it shows nothing from before. */
  begun: z.iso.datetime(),
  counter: z.number().int(),
  at: z.iso.datetime(),
  /** How far the list of what was taken away reached. */
  taken: z.object({ lines: z.number().int(), hash: z.string().nullable() }),
});
export type Counter = z.infer<typeof counter>;

/** @returns undefined in a new folder. @throws ConfigError if somebody changed the file. */
export async function readCounter(folder: Pick<WitnessFolder, 'read'>): Promise<Counter | undefined> {
  const text = await folder.read(COUNTER);
  if (text === undefined) return undefined;
  try {
    return counter.parse(JSON.parse(text));
  } catch {
    throw new ConfigError(
      `${COUNTER} in the folder CHECKPOINTS was changed by hand, so it cannot show whether the database was restored. Put its backup in its place.`,
    );
  }
}

export function writeCounter(folder: Pick<WitnessFolder, 'replace'>, value: Counter): Promise<void> {
  return folder.replace(COUNTER, `${JSON.stringify(value)}\n`);
}
