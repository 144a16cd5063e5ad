-- Posts whole movements: new vaults and allocations, changes to allocations, and finally the legs. Returns the balance
-- after each leg.
-- Runs as the schema's owner, accepts only the present time, and refuses interest, which `interest_post` calculates. The fixed `search_path` stops callers from substituting
-- tables or operators of their own.
create or replace function ledger_move(p_movements ledger_movement[]) returns bigint[] language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  v_movement ledger_movement;
  v_leg ledger_leg;
  v_ats timestamptz[];
  v_vaults int := 0;
  v_allocations int := 0;
  v_changes int := 0;
  v_legs int := 0;
  v_changed int;
begin
  foreach v_movement in array p_movements loop
    v_ats := v_ats || v_movement.at;
    v_vaults := v_vaults + cardinality(v_movement.vaults);
    v_allocations := v_allocations + cardinality(v_movement.allocations);
    v_changes := v_changes + cardinality(v_movement.changes);
    v_legs := v_legs + cardinality(v_movement.legs);
    foreach v_leg in array coalesce(v_movement.legs, '{}') loop
      if 'interest' in (v_movement.kind, v_leg.kind, v_leg.account) then
        raise exception 'a movement posts interest' using errcode = 'integrity_constraint_violation';
      end if;
      -- So what an owner has grows only by kinds of movement that `owner_evidence` compares with their causes.
      if (v_leg.account = 'employer' and v_movement.kind not in ('paycheck', 'paycheck_revision'))
        or (v_leg.account in ('in_flight', 'payees') and v_leg.amount < 0 and v_movement.kind not in (
             'payment_completed', 'payment_failed', 'payment_cancelled', 'payment_returned'))
        or (v_movement.kind = 'payment_completed' and v_leg.account not in ('in_flight', 'payees')) then
        raise exception 'a movement of the kind % moves money of %', v_movement.kind, v_leg.account
          using errcode = 'integrity_constraint_violation';
      end if;
    end loop;
  end loop;
  perform require_present(v_ats);
  -- Each insert into vaults or allocations, even of no rows, would run its triggers.
  if v_vaults > 0 then
    insert into vaults (vault_id, owner_id, vault_type, label, created_at)
    select made.vault_id, m.owner_id, made.vault_type, made.label, m.at
      from unnest(p_movements) with ordinality as m, unnest(m.vaults) with ordinality as made
     order by m.ordinality, made.ordinality;
  end if;
  if v_allocations > 0 then
    insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
    select made.allocation_id, m.owner_id, made.vault_id, made.source, made.amount, made.amount, m.at
      from unnest(p_movements) with ordinality as m, unnest(m.allocations) with ordinality as made
     order by m.ordinality, made.ordinality;
  end if;
  if v_changes > 0 then
    update allocations l
       set amount = l.amount + change.amount, available = l.available + change.available,
           emptied_at = case when l.available + change.available = 0 then m.at end
      from unnest(p_movements) as m, unnest(m.changes) as change
     where l.allocation_id = change.allocation_id and l.owner_id = m.owner_id;
    get diagnostics v_changed = row_count;
    if v_changed <> v_changes then
      raise exception 'a lot of money that must exist does not' using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  return case when v_legs > 0 then ledger_post(p_movements) else '{}' end;
end $$;

revoke execute on function ledger_move from public;
