-- As PL/pgSQL, each statement sees what others committed during the wait for the lock.
create or replace function payment_open(p_payment text, p_attempt int, p_at timestamptz)
returns table (payment payments, record payment_attempts) language plpgsql as $$
declare
  v_owner text;
begin
  select p.owner_id into v_owner from payments p where p.payment_id = p_payment;
  if not found then
    return;
  end if;
  perform owner_lock(v_owner, p_at);
  select p.* into payment from payments p where p.payment_id = p_payment for update;
  select a.* into record from payment_attempts a
   where a.payment_id = p_payment and a.attempt = coalesce(p_attempt, (payment).attempt);
  return next;
end $$;
