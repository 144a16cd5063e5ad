import { query } from '../sql.ts';

/** The trigger gives the event its place in the subject's chain and its hash. */
export const insertEvent = query(
  'audit.insertEvent',
  `insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
   values ($1, $2, $3, $4, $5, $6, 0, '', '')`,
);

/** Several events at once, each a place in these lists: ids, subjects, kinds, actors, data, at. */
export const insertEvents = query(
  'audit.insertEvents',
  `insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
   select e.event_id, e.subject, e.kind, e.actor, e.data::jsonb, e.created_at, 0, '', ''
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
          with ordinality as e (event_id, subject, kind, actor, data, created_at, place)
    order by e.place`,
);
