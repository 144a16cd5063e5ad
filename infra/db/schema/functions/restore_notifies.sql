create or replace function restore_notifies() returns trigger language plpgsql as $$
begin
  perform pg_notify('changed', 'restores');
  return null;
end $$;
