create or replace function mail_notifies() returns trigger language plpgsql as $$
begin
  perform pg_notify('mail', '');
  return null;
end $$;
