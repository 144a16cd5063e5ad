-- Hands over messages that take turns: first the next party, then its next owner, then the oldest message. Parties and owners follow
-- in the order of their ids, from those who last had a turn on. But every second turn is a newcomer's, if there is one.
-- At most `p_per_owner` messages of an owner are under way, and of those that began in the last `p_window_s` seconds, at most `p_window`
-- for which no worker has begun to send the payment. Those whose worker died, or whose bank is not configured, stop nobody for longer.
-- The relays take turns with this function.
create or replace function outbox_take_turns(
  p_most int, p_hold_s int, p_turn_s int, p_due_for_s int, p_per_owner int, p_window int, p_window_s int
) returns setof outbox_messages language plpgsql as $$
declare
  v_free int;
  v_took text;
  v_last text;
  v_party text;
  v_message outbox_messages;
  v_taken int := 0;
  v_wrapped boolean := false;
  v_newest boolean;
begin
  if not exists (select from outbox_messages m where m.party is not null) then
    return;
  end if;
  perform pg_advisory_xact_lock(8022054);
  perform outbox_end_turns(p_hold_s, p_turn_s);
  -- Other relays are at work.
  if p_due_for_s > 0 and exists (
    select from outbox_messages m where m.begun_at > now() - make_interval(secs => p_due_for_s)) then
    return;
  end if;
  select least(p_most, p_window - count(*)) into v_free from outbox_messages m
    join payment_attempts a on a.payment_id = m.workflow_id and a.attempt = (m.payload->>'attempt')::int
   where m.begun_at > now() - make_interval(secs => p_window_s) and a.sends = 0;
  insert into outbox_turns (of_party, last) values ('', '') on conflict do nothing;
  select t.last, t.newest into v_took, v_newest from outbox_turns t where t.of_party = '';
  v_last := v_took;
  while v_free > 0 loop
    v_newest := not v_newest;
    if v_newest then
      v_message := outbox_next_newcomer(p_due_for_s);
      if v_message.message_id is not null then
        v_free := v_free - 1;
        return next v_message;
        continue;
      end if;
    end if;
    select m.party into v_party from outbox_messages m
     where m.party is not null and m.begun_at is null and m.party > v_last order by m.party limit 1;
    if not found then
      exit when v_wrapped and v_taken = 0;
      v_last := '';
      v_wrapped := true;
      v_taken := 0;
      continue;
    end if;
    v_last := v_party;
    v_message := outbox_next_of_party(v_party, p_per_owner, p_due_for_s);
    if v_message.message_id is not null then
      v_took := v_party;
      v_taken := v_taken + 1;
      v_free := v_free - 1;
      return next v_message;
    end if;
  end loop;
  update outbox_turns set last = v_took, newest = v_newest where of_party = '' and (last, newest) <> (v_took, v_newest);
end $$;
