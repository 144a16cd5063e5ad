create or replace function connection_moves_forward() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and (old.status || ' ' || new.status) not in (
    'awaiting_authorisation authorised', 'awaiting_authorisation rejected', 'awaiting_authorisation expired',
    'authorised reauthorisation_needed', 'authorised revoked', 'authorised expired',
    'reauthorisation_needed authorised', 'reauthorisation_needed revoked', 'reauthorisation_needed expired') then
    raise exception 'connection % cannot go from % to %', new.connection_id, old.status, new.status
      using errcode = 'integrity_constraint_violation';
  end if;
  if (new.connection_id, new.owner_id, new.bank_id, new.kind, new.created_at) <>
     (old.connection_id, old.owner_id, old.bank_id, old.kind, old.created_at)
    or (new.institution_id, new.provider_id, new.vrp_type) is distinct from
       (old.institution_id, old.provider_id, old.vrp_type)
    or (old.authorised_at is not null and new.authorised_at is distinct from old.authorised_at)
    or (old.status <> 'awaiting_authorisation' and old.kind = 'payments'
        and (new.per_payment, new.per_month, new.starts_on, new.valid_until) is distinct from
            (old.per_payment, old.per_month, old.starts_on, old.valid_until)) then
    raise exception 'connection % cannot change its owner, bank, kind, payee, limits or first day', new.connection_id
      using errcode = 'integrity_constraint_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
