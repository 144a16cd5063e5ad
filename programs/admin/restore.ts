import { beginRestore } from '../../activities/restore/begin.ts';
import { compareRestore } from '../../activities/restore/compare.ts';
import { finishRestore, type TakenAwayList } from '../../activities/restore/finish.ts';
import { openClock } from '../../infra/clock.ts';
import type { Services } from '../../infra/services.ts';
import { readStatement } from '../../infra/statements/index.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import { readTakenAway } from '../../infra/witness/taken-away.ts';
import type { Tools } from './command.ts';
import { UsageError } from './errors.ts';

type Operated<T> = T & { operator: string };

export function begin(tools: Tools, backupAt: string): Promise<object> {
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(backupAt);
  if (!isInstant || Number.isNaN(Date.parse(backupAt)))
    throw new UsageError(`--backup-at is "${backupAt}", but must be an instant such as 2026-11-30T02:00:00Z.`);
  return beginRestore({ ...tools, clock: openClock(tools.config) }, { backupAt: new Date(backupAt) });
}

interface StatementFile {
  file: string;
  account: string;
}

/** Reads all statements before anything changes. */
export async function compare(services: Operated<Services>, files: readonly StatementFile[]): Promise<object> {
  const statements = [];
  for (const { file, account } of files) statements.push(await readStatement(file, account));
  return compareRestore(services, statements);
}

export async function finish(services: Operated<Services>): Promise<object> {
  const { folder } = services.config.witness;
  const readList = async (since: Date): Promise<TakenAwayList | null> =>
    folder === undefined ? null : readTakenAway(openFolder(folder), { since });
  return finishRestore(services, { readList, raiseCounter: async () => {} });
}
