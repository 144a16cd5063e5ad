import { DomainError } from '../../domain/errors.ts';
import type { Queries } from '../../infra/db/connection.ts';
import { lockRestore, openRestore, type RestoreRow } from '../../infra/db/queries/restore-steps.ts';
import type { Tx } from '../../infra/db/transaction.ts';

/** A restore that an operator has begun. */
export type BegunRestore = RestoreRow & { backup_at: string };

/** @throws DomainError `invalid-request`. */
export async function requireBegun(db: Queries): Promise<BegunRestore> {
  return begun(await db.maybe(openRestore()));
}

/** Nobody else ends the restore until the transaction ends. @throws DomainError `invalid-request`. */
export async function lockBegun(tx: Tx): Promise<BegunRestore> {
  return begun(await tx.maybe(lockRestore()));
}

function begun(restore: RestoreRow | undefined): BegunRestore {
  if (restore?.state === 'begun' && restore.backup_at !== null) return { ...restore, backup_at: restore.backup_at };
  throw new DomainError('invalid-request', 'No restore has begun. Begin with the command "restore begin".');
}
