import { lines } from '../sql.ts';

/**
 * Events, those of one subject in their order: the trigger gives each its place in the subject's chain and its hash. A line: id,
 * subject, kind, actor, data, at.
 */
export const insertEvents = lines(
  'audit.insertEvents',
  `insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
   select e.event_id, e.subject, e.kind, e.actor, e.data::jsonb, e.created_at, 0, '', ''
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
          with ordinality as e (event_id, subject, kind, actor, data, created_at, place)
    order by e.place`,
);
