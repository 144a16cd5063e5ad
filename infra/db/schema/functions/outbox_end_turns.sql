-- A turn ends with the first result of the attempt's submission, or after a while, because a worker can die. If a relay died before it
-- delivered the message, the message waits again.
create or replace function outbox_end_turns(p_hold_s int, p_turn_s int) returns void language plpgsql as $$
begin
  delete from outbox_messages m
   where m.begun_at is not null and m.delivered and (m.begun_at < now() - make_interval(secs => p_turn_s) or not exists (
     select from payments p join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
      where p.payment_id = m.workflow_id and p.attempt = (m.payload->>'attempt')::int
        and a.submission <> 'accepted' and p.bank_status is distinct from 'UNKNOWN'
        and (p.status = 'processing' or (m.kind = 'payment.turn' and p.status = 'pending' and a.sends = 0))));
  update outbox_messages m set begun_at = null
   where m.begun_at < now() - make_interval(secs => p_hold_s) and not m.delivered;
end $$;
