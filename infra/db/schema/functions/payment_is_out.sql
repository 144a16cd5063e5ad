-- Whether the money of a payment is in flight or at its payee, by the ledger.
create or replace function payment_is_out(p_payment text) returns boolean language sql stable as $$
  select count(*) filter (where t.kind = 'payment') > count(*) filter (where t.kind <> 'payment') from ledger_transfers t
   where t.subject_id = p_payment and t.kind in ('payment', 'payment_failed', 'payment_cancelled', 'payment_returned')
$$;
