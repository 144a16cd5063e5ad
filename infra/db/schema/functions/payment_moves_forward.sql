create or replace function payment_moves_forward() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and (old.status || ' ' || new.status) not in (
    'processing completed', 'processing failed', 'processing pending', 'pending processing',
    'pending cancelled', 'failed processing', 'completed returned') then
    raise exception 'payment % cannot go from % to %', new.payment_id, old.status, new.status
      using errcode = 'integrity_constraint_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
