-- Begins the turn of the party's next owner who may have one. Returns null if there is none.
create or replace function outbox_next_of_party(p_party text, p_per_owner int, p_due_for_s int) returns outbox_messages
language plpgsql as $$
declare
  v_first text;
  v_owner text;
  v_wrapped boolean := false;
  v_message outbox_messages;
begin
  select coalesce((select t.last from outbox_turns t where t.of_party = p_party), '') into v_first;
  v_owner := v_first;
  loop
    select m.owner_id into v_owner from outbox_messages m
     where m.party is not null and m.begun_at is null and m.party = p_party and m.owner_id > v_owner
     order by m.owner_id limit 1;
    if not found and v_wrapped then
      return null;
    elsif not found then
      v_owner := '';
      v_wrapped := true;
      continue;
    elsif (select count(*) from outbox_messages m where m.begun_at is not null and m.owner_id = v_owner) < p_per_owner then
      update outbox_messages set begun_at = now(), attempts = attempts + 1
       where message_id = (
         select m.message_id from outbox_messages m
          where m.party is not null and m.begun_at is null and m.party = p_party and m.owner_id = v_owner
            and m.available_at <= now() - make_interval(secs => p_due_for_s)
          order by m.message_id limit 1)
      returning * into v_message;
      exit when found;
    end if;
    if v_wrapped and v_owner >= v_first then
      return null;
    end if;
  end loop;
  if not exists (select from outbox_messages m where m.party is not null and m.begun_at is null and m.party = p_party) then
    delete from outbox_turns where of_party = p_party;
  else
    insert into outbox_turns (of_party, last) values (p_party, v_owner)
    on conflict (of_party) do update set last = excluded.last;
  end if;
  return v_message;
end $$;
