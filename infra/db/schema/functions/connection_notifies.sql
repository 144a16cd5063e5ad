create or replace function connection_notifies() returns trigger language plpgsql as $$
begin
  perform pg_notify('changed', new.connection_id);
  return null;
end $$;
