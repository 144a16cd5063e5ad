import { query } from '../sql.ts';

/** The trigger gives the event its place in the subject's chain and its hash. */
export const insertEvent = query(
  'audit.insertEvent',
  `insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
   values ($1, $2, $3, $4, $5, $6, 0, '', '')`,
);
