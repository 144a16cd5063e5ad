create or replace function allocation_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a lot stays in its vault' using errcode = 'integrity_constraint_violation';
end $$;
