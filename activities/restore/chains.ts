import { ChangedCheckpointError, newestSigned } from '../../infra/witness/checkpoint.ts';
import { openFolder } from '../../infra/witness/folder.ts';
import type { Compare } from '../../infra/witness/restoring.ts';
import { chainsBehind, type BehindNeeds } from '../verify/checkpoints.ts';
import { requireOwn } from '../verify/witness.ts';

/** Compares the audit chains with each newest checkpoint once, and again on another server. */
export function compareChains(services: BehindNeeds): Compare {
  const { folder: path } = services.config.witness;
  const folder = path === undefined ? undefined : openFolder(path);
  let compared: string | undefined;
  return async ({ settledAt, server }) => {
    const newest = folder && (await newestSigned(folder).catch(changedIn));
    // After an operator has ended a restore, only a later change or the next checkpoint says something new.
    if (newest instanceof ChangedCheckpointError) {
      const { changedAt, message } = newest;
      return settledAt !== null && changedAt !== undefined && changedAt <= new Date(settledAt) ? undefined : message;
    }
    if (folder) await requireOwn(services.db, folder, newest);
    if (newest === undefined || (settledAt !== null && newest.at <= settledAt)) return undefined;
    const pair = `${newest.name} ${server ?? ''}`;
    if (pair === compared) return undefined;
    const { length } = await chainsBehind(services);
    if (length > 0) return `${length} chains of the audit log are behind the newest checkpoint, ${newest.name}`;
    compared = pair;
    return undefined;
  };
}

/** Somebody who restores a backup could also change the folder. */
function changedIn(error: unknown): ChangedCheckpointError {
  if (error instanceof ChangedCheckpointError) return error;
  throw error;
}
