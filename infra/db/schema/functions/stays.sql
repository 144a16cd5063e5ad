-- For triggers on columns that never change, or stay once they are set. The argument names them.
create or replace function stays() returns trigger language plpgsql as $$
begin
  raise exception '%.% stays as it is', tg_table_name, tg_argv[0] using errcode = 'integrity_constraint_violation';
end $$;
