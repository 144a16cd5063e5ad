-- Posts whole movements: new vaults and lots, changes to lots, and finally the legs. Each part has one array per column;
-- the first array holds the number of the movement.
-- Runs as the schema's owner, and accepts only the present time. The fixed `search_path` stops callers from substituting
-- tables or operators of their own.
create or replace function ledger_move(
  p_transfers text[], p_owners text[], p_kinds text[], p_subjects text[], p_ats timestamptz[],
  p_leg_moves int[], p_entries text[], p_leg_accounts text[], p_leg_vaults text[], p_leg_kinds text[],
  p_leg_amounts bigint[], p_leg_balances bigint[],
  p_vault_moves int[], p_vaults text[], p_vault_types text[], p_vault_labels text[],
  p_lot_moves int[], p_lots text[], p_lot_vaults text[], p_lot_sources text[], p_lot_amounts bigint[],
  p_change_moves int[], p_changed_lots text[], p_amount_changes bigint[], p_available_changes bigint[]
) returns bigint[] language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  v_changed int;
begin
  perform require_present(p_ats);
  if cardinality(p_vaults) > 0 then
    insert into vaults (vault_id, owner_id, vault_type, label, created_at)
    select made.vault_id, p_owners[made.move], made.vault_type, made.label, p_ats[made.move]
      from unnest(p_vault_moves, p_vaults, p_vault_types, p_vault_labels) with ordinality
           as made (move, vault_id, vault_type, label, place)
     order by made.place;
  end if;
  if cardinality(p_lots) > 0 then
    insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
    select made.allocation_id, p_owners[made.move], made.vault_id, made.source, made.amount, made.amount, p_ats[made.move]
      from unnest(p_lot_moves, p_lots, p_lot_vaults, p_lot_sources, p_lot_amounts) with ordinality
           as made (move, allocation_id, vault_id, source, amount, place)
     order by made.place;
  end if;
  if cardinality(p_changed_lots) > 0 then
    update allocations l set amount = l.amount + change.amount, available = l.available + change.available
      from unnest(p_change_moves, p_changed_lots, p_amount_changes, p_available_changes)
           as change (move, allocation_id, amount, available)
     where l.allocation_id = change.allocation_id and l.owner_id = p_owners[change.move];
    get diagnostics v_changed = row_count;
    if v_changed <> cardinality(p_changed_lots) then
      raise exception 'a lot of money that must exist does not' using errcode = 'integrity_constraint_violation';
    end if;
  end if;
  if cardinality(p_entries) = 0 then
    return '{}';
  end if;
  return ledger_post(
    p_transfers, p_owners, p_kinds, p_subjects, p_ats,
    p_leg_moves, p_entries, p_leg_accounts, p_leg_vaults, p_leg_kinds, p_leg_amounts, p_leg_balances);
end $$;

revoke execute on function ledger_move from public;
