import { invalidInput } from '../../domain/errors.ts';
import * as queries from '../../infra/db/queries/restore-steps.ts';
import { raisedAt } from '../../infra/db/queries/witness.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit, auditAll } from '../audit.ts';
import { actorOf, type Operated } from '../auth/applications.ts';

type Needs = Pick<Services, 'clock' | 'db' | 'newId'> & Operated;

export interface Begun {
  restore_id: string;
  backup_at: string;
  keys_disabled: number;
  sign_ins_ended: number;
  splits_paused: number;
  payments_in_doubt: number;
}

/**
 * A backup of this age was restored. Until `finishRestore`, the API takes no writes and no order is sent. All of it happens in
 * one transaction, and the same again only adds what is missing.
 */
export async function beginRestore(services: Needs, { backupAt }: { backupAt: Date }): Promise<Begun> {
  const actor = actorOf(services);
  return services.db.transaction(async (tx) => {
    const real = await services.clock.real(tx);
    if (backupAt > real) throw invalidInput('/backup-at', 'must not be in the future');
    const at = await services.clock.now(tx);
    const { restore_id, backup_at } = await openOrInsert(tx, services, { backupAt, at, real, actor });
    const sign_ins_ended = await endAllAccess(tx);
    const keys_disabled = await tx.run(queries.disableKeys());
    const splits_paused = await pauseSplits(tx, services, { at, actor });
    await tx.run(queries.doubtPayments(restore_id));
    const { count: payments_in_doubt } = await tx.one(queries.countDoubted());
    const done = { backup_at, keys_disabled, sign_ins_ended, splits_paused, payments_in_doubt };
    await audit(tx, services, { subject: restore_id, kind: 'restore.begun', actor, data: done, at });
    return { restore_id, ...done };
  });
}

interface Beginning {
  backupAt: Date;
  /** Of the business clock. */
  at: Date;
  real: Date;
  actor: string;
}

/**
 * Of several backups that were restored one after another, the oldest counts. What `CHECKPOINTS` lists since then is taken away
 * again, so an operator's instant that is too late must not count.
 */
async function openOrInsert(tx: Tx, { newId }: Needs, { backupAt, at, real, actor }: Beginning) {
  const open = await tx.maybe(queries.lockRestore());
  const lastWrite = (await tx.maybe(raisedAt()))?.raised_at;
  const known = [backupAt.toISOString(), open?.backup_at, lastWrite].filter((instant) => instant != null);
  const backup_at = known.toSorted()[0]!;
  const begun = { state: 'begun', backup_at, begun_at: at.toISOString(), begun_by: actor, compared_at: null } as const;
  const restore_id = open?.restore_id ?? newId('rst');
  if (open) await tx.run(queries.changeRestore(restore_id, begun));
  else await tx.run(queries.insertRestore({ restore_id, noticed_at: real.toISOString(), ...begun }));
  return { restore_id, backup_at };
}

/** @returns how many sign-ins ended. */
async function endAllAccess(tx: Tx): Promise<number> {
  let ended = 0;
  for (const what of Object.keys(queries.ACCESS) as (keyof typeof queries.ACCESS)[]) {
    const count = await tx.run(queries.endAccess(what));
    if (what === 'sign_ins') ended = count;
  }
  return ended;
}

async function pauseSplits(
  tx: Tx,
  services: Needs,
  { at, actor }: Omit<Beginning, 'backupAt' | 'real'>,
): Promise<number> {
  const paused = await tx.many(queries.pauseSplits(at, actor));
  await auditAll(
    tx,
    services,
    paused.map(({ owner_id: subject, version }) => {
      return { subject, kind: 'standing-split.paused', actor, data: { version, reason: 'restored' }, at };
    }),
  );
  return paused.length;
}
