create or replace function payment_notifies() returns trigger language plpgsql as $$
begin
  perform pg_notify('changed', new.payment_id);
  return null;
end $$;
