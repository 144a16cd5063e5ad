-- Whether an application can reach an owner.
-- - `within`: the application can reach the owner.
-- - `beyond`: the owner exists, but is out of reach.
-- - `new`: the owner has no records, and the application may create them.
-- - `reserved`: the owner has no records, and another application's prefix reserves the id.
-- A person is within reach through a live grant of one of the scopes, or through any live grant if no scopes are given.
create or replace function owner_reach(p_owner text, p_app text, p_scopes text[]) returns text
language plpgsql stable strict as $$
declare
  v_app text;
  v_prefix text;
begin
  if starts_with(p_owner, 'usr_') then
    if exists (
      select from token_families f join oauth_clients c on c.client_id = f.client_id
       where f.user_id = p_owner and c.app_id = p_app and f.ended_at is null and f.expires_at > now()
         and (cardinality(p_scopes) = 0 or f.scopes && p_scopes)) then
      return 'within';
    end if;
    return case when exists (select from users where user_id = p_owner) or owner_has_records(p_owner)
                then 'beyond' else 'new' end;
  end if;
  select app_id into v_app from owner_applications where owner_id = p_owner;
  if not found then
    if not owner_has_records(p_owner) then
      select owner_prefix into v_prefix from applications where app_id = p_app;
      return case when starts_with(p_owner, v_prefix) then 'new'
                  when v_prefix is not null
                    or exists (select from applications where starts_with(p_owner, owner_prefix)) then 'reserved'
                  else 'new' end;
    end if;
    return 'beyond';
  end if;
  return case when v_app = p_app then 'within' else 'beyond' end;
end $$;
