import { existsSync, mkdirSync, renameSync } from 'node:fs';
import type { Config } from '../../infra/config/index.ts';
import { witnessed } from '../../infra/db/queries/witness.ts';
import { readCounter } from '../../infra/witness/counter.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import { asideOf } from './earlier-state.ts';

/** A new data folder must not look like a restored one, so the checkpoints of an earlier one are moved aside. */
export async function prepareCheckpoints(config: Config, path: string, log: (line: string) => void): Promise<void> {
  if (existsSync(path) && (await isOfAnother(config, path))) {
    const aside = asideOf(path);
    renameSync(path, aside);
    log(`The checkpoints of another data folder were moved to ${aside}.`);
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

async function isOfAnother({ database }: Config, path: string): Promise<boolean> {
  const counter = await readCounter(openFolder(path)).catch(() => undefined);
  if (counter === undefined) return false;
  const { withDatabase } = await import('../admin/database.ts');
  const { identity } = await withDatabase(database, (db) => db.one(witnessed()));
  return counter.deployment !== identity;
}
