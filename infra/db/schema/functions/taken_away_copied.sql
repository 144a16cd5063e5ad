-- Marks rows as copied, and deletes those that were copied seven days ago.
-- Runs as the schema's owner. The fixed `search_path` stops callers from substituting tables or operators of their own.
create or replace function taken_away_copied(p_seqs bigint[]) returns int language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  update taken_away set copied_at = clock_timestamp() where seq = any(p_seqs) and copied_at is null;
  delete from taken_away where copied_at < clock_timestamp() - interval '7 days';
  return coalesce(cardinality(p_seqs), 0);
end $$;

revoke execute on function taken_away_copied from public;
