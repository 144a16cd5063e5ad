import { beginRestore } from '../../activities/restore/begin.ts';
import { compareRestore } from '../../activities/restore/compare.ts';
import { explainDebit } from '../../activities/restore/debits.ts';
import { dismissRestore, listRestored } from '../../activities/restore/dismiss.ts';
import { finishRestore, type TakenAwayList } from '../../activities/restore/finish.ts';
import { MINUTE_MS } from '../../domain/dates.ts';
import { openClock } from '../../infra/clock.ts';
import { witnessed } from '../../infra/db/queries/witness.ts';
import type { Services } from '../../infra/services.ts';
import { readStatement } from '../../infra/statements/index.ts';
import { readCounter } from '../../infra/witness/counter.ts';
import { ForeignFolderError } from '../../infra/witness/foreign.ts';
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

export function explain(tools: Tools, said: Parameters<typeof explainDebit>[1]): Promise<object> {
  return explainDebit({ ...tools, clock: openClock(tools.config) }, said);
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

/** Clocks of the two machines can differ, and a transaction of before can commit after the backup. */
const MARGIN_MS = 5 * MINUTE_MS;

/** @throws ForeignFolderError, because the list of another database is whole, and names nothing of this one. */
export async function finish(services: Operated<Services>): Promise<object> {
  const folder = folderOf(services);
  const counter = folder && (await readCounter(folder).catch(() => undefined));
  const { identity } = await services.db.one(witnessed());
  if (folder && counter !== undefined && counter.deployment !== identity) throw new ForeignFolderError(folder.path);
  const readList = async (since: Date): Promise<TakenAwayList | null> => {
    if (folder === undefined) return null;
    const { whole } = await readTakenAway(folder, { since });
    const { lines } = await readTakenAway(folder, { since: new Date(since.getTime() - MARGIN_MS) });
    return { whole, lines };
  };
  return finishRestore(services, {
    readList,
    witnessed: async () => folder && (await readCounter(folder).catch(() => undefined))?.counter,
  });
}

export const show = (tools: Tools): Promise<object> => listRestored(tools);

export function dismiss(tools: Tools, reason: string): Promise<object> {
  return dismissRestore(tools, { reason, folder: folderOf(tools) });
}

function folderOf({ config: { witness } }: Pick<Tools, 'config'>) {
  return witness.folder === undefined ? undefined : openFolder(witness.folder);
}
