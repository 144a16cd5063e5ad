create or replace function audit_hash(e audit_events) returns text language sql immutable as $$
  select encode(sha256(convert_to(jsonb_build_array(
    e.previous_hash, e.subject, e.subject_seq, e.event_id, e.kind, e.actor, e.data,
    extract(epoch from e.created_at))::text, 'UTF8')), 'hex')
$$;
