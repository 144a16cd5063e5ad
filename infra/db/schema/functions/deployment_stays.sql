create or replace function deployment_stays() returns trigger language plpgsql as $$
begin
  raise exception 'a database stays what it was made for' using errcode = 'integrity_constraint_violation';
end $$;
