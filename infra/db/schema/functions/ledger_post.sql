-- Posts the legs of transfers, and creates missing accounts. Computes each balance that the caller does not state.
-- `(select p_moves)` hides the array's length. For each known length, PostgreSQL would plan the join again.
create or replace function ledger_post(
  p_transfers text[], p_owners text[], p_kinds text[], p_subjects text[], p_ats timestamptz[],
  p_moves int[], p_entries text[], p_accounts text[], p_vaults text[], p_entry_kinds text[], p_amounts bigint[],
  p_balances bigint[]
) returns bigint[] language plpgsql as $$
declare
  v_accounts bigint[];
  v_balances bigint[];
begin
  loop
    select array_agg(leg.account_id order by leg.place), array_agg(leg.balance order by leg.place)
      into v_accounts, v_balances
      from (select asked.place, a.account_id,
                   coalesce(asked.balance, (a.balance + sum(asked.amount) over (
                     partition by a.account_id order by asked.place))::bigint) as balance
              from unnest((select p_moves), (select p_accounts), (select p_vaults), (select p_amounts), (select p_balances))
                   with ordinality as asked (move, account, vault_id, amount, balance, place)
              left join ledger_accounts a
                on a.owner_id = p_owners[asked.move] and a.kind = asked.account and a.vault_id = asked.vault_id) leg;
    exit when array_position(v_accounts, null) is null;
    insert into ledger_accounts (owner_id, kind, vault_id)
    select distinct p_owners[leg.move], leg.account, leg.vault_id
      from unnest(p_moves, p_accounts, p_vaults, v_accounts) as leg (move, account, vault_id, account_id)
     where leg.account_id is null
    on conflict do nothing;
  end loop;
  insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
  select made.transfer_id, made.owner_id, made.kind, made.subject_id, made.created_at
    from unnest(p_transfers, p_owners, p_kinds, p_subjects, p_ats) with ordinality
         as made (transfer_id, owner_id, kind, subject_id, created_at, place)
   where made.place = any(p_moves) order by made.place;
  insert into ledger_entries
    (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
  select leg.entry_id, p_transfers[leg.move], leg.account_id, p_owners[leg.move], leg.kind, leg.vault_id, leg.amount,
         leg.balance_after, p_ats[leg.move]
    from unnest(p_moves, p_entries, p_vaults, p_entry_kinds, p_amounts, v_accounts, v_balances) with ordinality
         as leg (move, entry_id, vault_id, kind, amount, account_id, balance_after, place)
   order by leg.place;
  return v_balances;
end $$;
