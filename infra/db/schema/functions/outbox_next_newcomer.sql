-- Begins the turn of the party that came last, if it has no other message waiting or under way, so that a bill need not wait for all parties that came at
-- about the same time. Returns null if there is none.
create or replace function outbox_next_newcomer(p_due_for_s int) returns outbox_messages language plpgsql as $$
declare
  c_looks constant int := 8;
  v_message outbox_messages;
begin
  update outbox_messages set begun_at = now(), attempts = attempts + 1
   where message_id = (
     select n.message_id
       from (select m.message_id, m.party, m.owner_id, m.available_at from outbox_messages m
              where m.party is not null and m.begun_at is null order by m.message_id desc limit c_looks) n
      where n.available_at <= now() - make_interval(secs => p_due_for_s)
        and not exists (select from outbox_messages o where o.begun_at is not null and (o.owner_id = n.owner_id or o.party = n.party))
        and not exists (select from outbox_messages o
                         where o.party is not null and o.begun_at is null and o.party = n.party and o.message_id <> n.message_id)
      order by n.message_id desc limit 1)
  returning * into v_message;
  delete from outbox_turns where of_party = v_message.party;
  return v_message;
end $$;
