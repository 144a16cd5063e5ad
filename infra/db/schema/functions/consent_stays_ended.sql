create or replace function consent_stays_ended() returns trigger language plpgsql as $$
begin
  if (new.consent_id, new.owner_id, new.bank_id, new.consent_ref, new.kind) <>
     (old.consent_id, old.owner_id, old.bank_id, old.consent_ref, old.kind)
    or (old.end_requested_at is not null and new.end_requested_at is distinct from old.end_requested_at)
    or (old.ended_at is not null and new is distinct from old) then
    raise exception 'consent % cannot change, or begin again', new.consent_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;
