-- Binds an owner to `p_app`, unless the owner is already bound. Returns the application that is now bound.
create or replace function owner_bind(p_owner text, p_app text) returns text language plpgsql as $$
begin
  insert into owner_applications (owner_id, app_id) values (p_owner, p_app) on conflict do nothing;
  return (select app_id from owner_applications where owner_id = p_owner);
end $$;
