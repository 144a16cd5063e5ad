-- How many revisions the owner has stored on this day.
-- As PL/pgSQL, sees what others committed while the calling statement waited for the owner's lock.
create or replace function revisions_of_day(p_owner text, p_day date) returns int language plpgsql as $$
begin
  return coalesce((select d.revisions from owner_days d where d.owner_id = p_owner and d.day >= p_day), 0);
end $$;
