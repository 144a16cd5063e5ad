create or replace function payment_moves_forward() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and (old.status || ' ' || new.status) not in (
    'processing completed', 'processing failed', 'processing pending', 'pending processing',
    'pending cancelled', 'failed processing', 'completed returned') then
    raise exception 'payment % cannot go from % to %', new.payment_id, old.status, new.status
      using errcode = 'integrity_constraint_violation';
  end if;
  if (new.payment_id, new.owner_id, new.allocation_id, new.vault_id, new.provider_id, new.category, new.amount) <>
     (old.payment_id, old.owner_id, old.allocation_id, old.vault_id, old.provider_id, old.category, old.amount)
    or (new.currency, new.initiated_at) <> (old.currency, old.initiated_at)
    or (new.due_date, new.execute_on) is distinct from (old.due_date, old.execute_on)
    or (new.reference is not null and new.reference is distinct from old.reference) then
    raise exception 'payment % cannot change what is paid, or whom', new.payment_id
      using errcode = 'integrity_constraint_violation';
  end if;
  -- Only what ends the doubt may change the payment.
  if old.doubted_by is not null and new.doubted_by is not null and (new.status <> old.status or new.attempt <> old.attempt) then
    raise exception 'payment % is in doubt since a restore', new.payment_id
      using errcode = 'integrity_constraint_violation';
  end if;
  -- A retry may be paid by another connection, but never by the house account.
  if new.connection_id is distinct from old.connection_id
    and (new.connection_id is null or old.status <> 'failed' or new.status <> 'processing') then
    raise exception 'payment % cannot change who pays it', new.payment_id
      using errcode = 'integrity_constraint_violation';
  end if;
  -- An attempt that gave its money back is over.
  if new.attempt <> old.attempt + (old.status = 'failed' and new.status = 'processing')::int then
    raise exception 'payment % cannot go from attempt % to %', new.payment_id, old.attempt, new.attempt
      using errcode = 'integrity_constraint_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
