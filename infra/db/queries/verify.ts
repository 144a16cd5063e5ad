import { sql } from 'kysely';
import { query } from '../query.ts';

/** `seq` of the newest events and entries, of transactions in progress too. `xmax` and `at` are for `areOver`. */
export interface ReachedRow {
  audit: number;
  ledger: number;
  xmax: string;
  at: string;
}

export const reached = query(
  'verify.reached',
  () => sql<ReachedRow>`
    select coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit_events', 'seq')::regclass), 0) as audit,
           coalesce(pg_sequence_last_value(pg_get_serial_sequence('ledger_entries', 'seq')::regclass), 0) as ledger,
           pg_snapshot_xmax(pg_current_snapshot())::text as xmax, clock_timestamp()::text as at`,
);

/** Whether all transactions have ended that were in progress then. One that has not written yet has no number. */
export const areOver = query(
  'verify.areOver',
  ({ xmax, at }: Pick<ReachedRow, 'xmax' | 'at'>) => sql<{ over: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${xmax}::text::xid8 and not exists (
             select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                and xact_start <= ${at}::text::timestamptz) as over`,
);

export interface HeadRow {
  seq: number;
  subject: string;
  subject_seq: number;
  hash: string;
}

/** The last event of each chain among those after `after` and up to `upto`, in the order of `seq`. */
export const headsBetween = query(
  'verify.headsBetween',
  (after: number, upto: number, limit: number) => sql<HeadRow>`
    select e.seq, e.subject, e.subject_seq, e.hash
      from audit_events e
     where e.seq > ${after} and e.seq <= ${upto} and not exists (
             select from audit_events n
              where n.subject = e.subject and n.subject_seq = e.subject_seq + 1 and n.seq <= ${upto})
     order by e.seq limit ${limit}`,
);

export const eventsBySeq = query(
  'verify.eventsBySeq',
  (seqs: readonly number[]) => sql<HeadRow>`
    select seq, subject, subject_seq, hash from audit_events where seq = any(${seqs}::bigint[])`,
);

export interface EventsRow {
  checked: number;
  faults: { what: string; id: string }[];
}

/** Each event's own hash, the event before it, and the event after it or the end of the chain. */
export const eventFaults = query(
  'verify.eventFaults',
  (after: number, upto: number) => sql<EventsRow>`
    with event as materialized (
      select e.event_id, case
               when e.hash is distinct from audit_hash(e) then 'its content does not match its hash'
               when e.previous_hash is distinct from case when e.subject_seq = 1 then '' else (
                      select p.hash from audit_events p
                       where p.subject = e.subject and p.subject_seq = e.subject_seq - 1) end
                 then 'an event before it is missing or was changed'
               when h.subject is null or h.subject_seq < e.subject_seq
                    or (h.subject_seq = e.subject_seq and h.hash is distinct from e.hash)
                 then 'the end of its chain is missing or was changed'
               when h.subject_seq > e.subject_seq and not exists (
                      select from audit_events n where n.subject = e.subject and n.subject_seq = e.subject_seq + 1)
                 then 'an event after it is missing' end as what
        from audit_events e left join audit_heads h on h.subject = e.subject
       where e.seq > ${after} and e.seq <= ${upto})
    select count(*) as checked,
           coalesce(jsonb_agg(jsonb_build_object('what', what, 'id', event_id)) filter (where what is not null), '[]') as faults
      from event`,
);

/** Events with numbers that were never given out, which no block and no checkpoint has. */
export const strangeNumbers = query(
  'verify.strangeNumbers',
  () => sql<{ what: string; id: string }>`
    select 'its number was never given out' as what, event_id as id from audit_events
     where seq < 1 or seq > (
             select coalesce(pg_sequence_last_value(pg_get_serial_sequence('audit_events', 'seq')::regclass), 0))
     limit 100`,
);

export interface HeadsRow {
  checked: number;
  next: string | null;
  missing: string[];
}

/** Ends of chains whose event is missing. A null `slice` chooses all subjects. */
export const headFaults = query(
  'verify.headFaults',
  (after: string, slice: number | null, limit: number) => sql<HeadsRow>`
    with page as materialized (
      select subject, subject_seq, hash from audit_heads where subject > ${after} order by subject limit ${limit}
    ), chosen as (
      select * from page where in_slice(subject, ${slice}))
    select (select count(*) from chosen) as checked,
           (select max(subject) from page having count(*) = ${limit}) as next,
           array(select c.subject from chosen c where not exists (
                   select from audit_events e
                    where e.subject = c.subject and e.subject_seq = c.subject_seq and e.hash = c.hash)) as missing`,
);

/** Of owners in the slice, and of those with entries after `after`. */
export const ledgerFaultsOf = query(
  'verify.ledgerFaultsOf',
  (slice: number, after: number) => sql<{ fault: string; subject: string }>`
    select fault, subject from ledger_faults(${slice}, ${after})
     union all select fault, subject from ledger_causes(${slice}, ${after}) limit 100`,
);

/** Entries of the slice, and those after `after`. A null `slice` counts all. */
export const countEntries = query(
  'verify.countEntries',
  (slice: number | null, after: number) => sql<{ entries: number }>`
    select count(*) as entries from ledger_entries where in_slice(owner_id, ${slice}) or seq > ${after}`,
);

/** Restores that an operator ended. */
export const endedRestores = query(
  'verify.endedRestores',
  () => sql<{ restore_id: string; backup_at: string | null; open: boolean }>`
    select restore_id, case when state = 'finished' then backup_at end as backup_at, ended_at is null as open
      from restores order by noticed_at`,
);

/** Until the transaction ends, no other process writes a checkpoint. Does not wait. */
export const lockCheckpoints = query(
  'verify.lockCheckpoints',
  (key: number) => sql<{ held: boolean }>`select pg_try_advisory_xact_lock(${key}::bigint) as held`,
);
