create or replace function vault_record_stays_erased() returns trigger language plpgsql as $$
begin
  raise exception '% was erased for good', old.vault_ref using errcode = 'integrity_constraint_violation';
end $$;
