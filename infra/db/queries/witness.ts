import { sql } from 'kysely';
import { insertEvents, type AuditLine } from './audit.ts';
import type { RestoreState, TakenAwayKind } from '../entities/restore.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';
import type { Tx } from '../transaction.ts';

/** Another value means that this may be another database, or one that was restored. */
export const serverIdentity = query(
  'witness.server',
  () => sql<{ server: string }>`
    select concat_ws(' ', s.system_identifier, c.timeline_id, d.oid, extract(epoch from pg_postmaster_start_time())) as server
      from pg_control_system() s, pg_control_checkpoint() c, pg_database d where d.datname = current_database()`,
);

export interface OpenRestore {
  restore_id: string;
  state: Extract<RestoreState, 'noticed' | 'begun'>;
  found: string | null;
  noticed_at: string;
}

/** A restore that no operator has ended. While there is one, nothing is sent and nothing is written. */
export const openRestore = query('witness.openRestore', () =>
  tables
    .selectFrom('restores')
    .select(['restore_id', 'found', 'noticed_at'])
    .select(sql<OpenRestore['state']>`state`.as('state'))
    .where('ended_at', 'is', null),
);

/** `settled_at`: when an operator ended the last restore. Checkpoints from before show nothing new. */
export const witnessed = query(
  'witness.witnessed',
  () => sql<{ identity: string; counter: number; settled_at: string | null }>`
    select (select identity from deployment) as identity,
           coalesce((select counter from witness), 0)::bigint as counter,
           (select max(ended_at) from restores) as settled_at`,
);

export const raisedAt = query('witness.raisedAt', () => tables.selectFrom('witness').select('raised_at'));

/** Raises the counter above itself and above the number. @returns the new counter. */
export const raiseCounter = query(
  'witness.raise',
  (above: number) => sql<{ counter: number }>`select witness_raise(${above}::bigint) as counter`,
);

/** Until the transaction ends, no other process writes to the folder. */
export const lockFolder = query(
  'witness.lock',
  () => sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(hashtext('ringfence witness')) as locked`,
);

/** `at` is the real time. */
export interface TakenAwayRow {
  seq: number;
  kind: TakenAwayKind;
  subject: string;
  at: string;
}

export const takenAwayToCopy = query(
  'witness.takenAwayToCopy',
  (most: number) => sql<TakenAwayRow>`
    select seq, kind, subject, at from taken_away where copied_at is null order by seq limit ${most}`,
);

export const markCopied = query(
  'witness.markCopied',
  (seqs: readonly number[]) => sql`select taken_away_copied(${[...seqs]}::bigint[]) as copied`,
);

const insertNoticed = query('witness.insertNoticed', (restoreId: string, found: string, at: Date) =>
  tables
    .insertInto('restores')
    .values({ restore_id: restoreId, state: 'noticed', found, noticed_at: at.toISOString() })
    .onConflict((open) =>
      open
        .expression(sql`(true)`)
        .where('ended_at', 'is', null)
        .doNothing(),
    )
    .returning('restore_id'),
);

/** Stores the restore and its audit event, unless one is open. */
export async function recordNoticed(tx: Tx, noticed: { found: string; at: Date; audit: AuditLine }): Promise<void> {
  const { found, at, audit } = noticed;
  if ((await tx.maybe(insertNoticed(audit.subject, found, at))) === undefined) return;
  await tx.run(insertEvents(audit));
}

/** A false alarm. Returns no row if there is nothing to dismiss. */
export const dismissNoticed = query('witness.dismiss', ({ at, by, reason }: { at: Date; by: string; reason: string }) =>
  tables
    .updateTable('restores')
    .set({ state: 'dismissed', ended_at: at.toISOString(), ended_by: by, reason })
    .where('state', '=', 'noticed')
    .where('ended_at', 'is', null)
    .returning(['restore_id', 'noticed_at']),
);

/** The newest first. */
export const listRestores = query('witness.listRestores', (most: number) =>
  tables.selectFrom('restores').selectAll().orderBy('noticed_at', 'desc').limit(most),
);
export type RestoreRow = Row<'restores'>;
