create or replace function business_clock_goes_forward() returns trigger language plpgsql as $$
begin
  raise exception 'the business clock never goes back' using errcode = 'integrity_constraint_violation';
end $$;
