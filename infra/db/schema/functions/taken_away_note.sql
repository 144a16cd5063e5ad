-- Its arguments: the kind, and the column with the id. Runs as the schema's owner, because the service's role may not
-- write the table.
create or replace function taken_away_note() returns trigger language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into taken_away (kind, subject, at) values (tg_argv[0], to_jsonb(new) ->> tg_argv[1], clock_timestamp());
  perform pg_notify('taken_away', '');
  return null;
end $$;

revoke execute on function taken_away_note from public;
