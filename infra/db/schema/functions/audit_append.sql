-- Appends events in order within each subject. An event without a time gets the database's time.
-- Runs as the schema's owner. The fixed `search_path` stops callers from substituting tables or operators of their own.
create or replace function audit_append(
  p_events text[], p_subjects text[], p_kinds text[], p_actors text[], p_data text[], p_ats timestamptz[]
) returns int language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  perform require_present(p_ats);
  insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
  select e.event_id, e.subject, e.kind, e.actor, e.data::jsonb, coalesce(e.created_at, clock_timestamp()), 0, '', ''
    from unnest(p_events, p_subjects, p_kinds, p_actors, p_data, p_ats)
         with ordinality as e (event_id, subject, kind, actor, data, created_at, ordinal)
   order by e.ordinal;
  return coalesce(cardinality(p_events), 0);
end $$;

revoke execute on function audit_append from public;
