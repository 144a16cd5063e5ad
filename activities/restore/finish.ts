import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import type { TakenAwayKind } from '../../infra/db/entities/restore.ts';
import * as queries from '../../infra/db/queries/restore-steps.ts';
import { raiseCounter } from '../../infra/db/queries/witness.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { actorOf, type Operated } from '../auth/applications.ts';
import { requireBegun, lockBegun, type BegunRestore } from './open.ts';
import { takeAwayAgain, type AgainServices, type TakenAwayCounts } from './take-away.ts';

/** What was taken away since the backup. Null if nobody can read the list, or the deployment has none. */
export interface TakenAwayList {
  /** False if a line is missing or was changed. */
  whole: boolean;
  lines: AsyncIterable<{ kind: TakenAwayKind; subject: string }>;
}

export interface Finished {
  restore_id: string;
  /** Orders of their amounts are in doubt, until an operator explains the debits. */
  debits_unexplained: number;
  list_whole: boolean;
  taken_away_again: TakenAwayCounts;
  passwords_forgotten: number;
  payees_to_confirm: number;
}

type Needs = AgainServices & Operated & Pick<Services, 'keys'>;

interface Ending {
  /** Reads the list since the backup. */
  readList: (since: Date) => Promise<TakenAwayList | null>;
  /** The counter of the folder. The database's rises above it, so that nobody notices the same restore again. */
  witnessed: () => Promise<number | undefined>;
}

/**
 * Takes away again what was taken away since the backup, and opens the service. Safe to repeat.
 * @throws DomainError `invalid-request` while a payment is in doubt, and before a comparison.
 */
export async function finishRestore(services: Needs, { readList, witnessed }: Ending): Promise<Finished> {
  const { db } = services;
  const { backup_at } = requireComparison(await requireBegun(db));
  await requireNoDoubts(services);
  const list = await readList(new Date(backup_at));
  const taken_away_again = await takeAwayAgain(services, list?.lines ?? []);
  const list_whole = list?.whole ?? false;
  const counter = await witnessed();
  return db.transaction(async (tx) => {
    const { restore_id } = requireComparison(await lockBegun(tx));
    await requireNoDoubts({ db: tx });
    const at = await services.clock.now(tx);
    const passwords = list_whole ? 0 : await tx.run(queries.forgetPasswords('all'));
    const payees_to_confirm = list_whole ? 0 : await tx.run(queries.doubtPayees());
    const passwords_forgotten = passwords + taken_away_again.password;
    const { length: debits_unexplained } = await tx.many(queries.openDebits());
    const done = { debits_unexplained, list_whole, taken_away_again, passwords_forgotten, payees_to_confirm };
    const actor = actorOf(services);
    if (counter !== undefined) await tx.one(raiseCounter(counter));
    const ended_at = (await services.clock.real(tx)).toISOString();
    const ended = { state: 'finished', ended_at, ended_by: actor, lost_until: londonDateOf(at) } as const;
    await tx.run(queries.changeRestore(restore_id, ended));
    await audit(tx, services, { subject: restore_id, kind: 'restore.finished', actor, data: done, at });
    return { restore_id, ...done };
  });
}

/** Otherwise nobody knows which payments were made and are lost. */
function requireComparison(restore: BegunRestore): BegunRestore {
  if (restore.compared_at !== null) return restore;
  throw new DomainError('invalid-request', 'Nothing was compared yet. Run "restore compare" first.');
}

async function requireNoDoubts({ db }: { db: Pick<Services['db'], 'one'> }): Promise<void> {
  const { count } = await db.one(queries.countDoubted());
  if (count === 0) return;
  throw new DomainError(
    'invalid-request',
    `${count} payments are in doubt. "restore compare" lists them, and "restore settle" says of each whether it was sent.`,
  );
}

/** @returns the keys that work again. */
export async function confirmKeys(
  services: Pick<Services, 'db' | 'newId'> & Operated,
  of: { keyId?: string; appId?: string },
): Promise<{ key_ids: string[] }> {
  return services.db.transaction(async (tx) => {
    const enabled = (await tx.many(queries.enableKeys(of))).map(({ key_id }) => key_id);
    if (enabled.length === 0)
      throw new DomainError('not-found', 'No such key is disabled. The command "key list" shows all keys.');
    for (const subject of enabled)
      await audit(tx, services, { subject, kind: 'restore.keys-confirmed', actor: actorOf(services), data: {} });
    return { key_ids: enabled };
  });
}
