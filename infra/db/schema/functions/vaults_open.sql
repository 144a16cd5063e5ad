-- As PL/pgSQL, each statement sees what others committed while an earlier statement waited for a lock.
-- Looks up one owner at a time, because PostgreSQL plans a look-up by key once per connection.
create or replace function vaults_open(
  p_waits boolean, p_owners text[], p_ats timestamptz[], p_froms text[], p_amounts bigint[], p_allocations text[],
  p_tos text[], p_to_types text[], p_to_labels text[]
) returns table (
  ordinal int, safe_to_spend bigint, found_from text, from_balance bigint, allocations jsonb, found_to text, to_balance bigint
) language plpgsql as $$
declare
  v_ordinal int;
begin
  for v_ordinal in select o.ordinal from owners_locked(p_waits, p_owners, p_ats) o loop
    if v_ordinal < 0 then
      return query select v_ordinal, 0::bigint, null, 0::bigint, '[]'::jsonb, null, 0::bigint;
      continue;
    end if;
    return query
      select v_ordinal, coalesce(s.balance, 0),
             f.vault_id, coalesce(taken.balance, 0),
             case when f.vault_id is null then '[]'
                  else coalesce((
                    select jsonb_agg(jsonb_build_array(oldest.allocation_id, oldest.available))
                      from allocations_to_take(f.vault_id, p_amounts[v_ordinal], p_allocations[v_ordinal]) oldest), '[]') end,
             t.vault_id, coalesce(given.balance, 0)
        from (select p_owners[v_ordinal] as owner_id) requested
        left join ledger_accounts s
          on s.owner_id = requested.owner_id and s.kind = 'safe_to_spend' and s.vault_id = ''
        left join vaults f on f.vault_id = p_froms[v_ordinal] and f.owner_id = requested.owner_id
        left join ledger_accounts taken
          on taken.owner_id = requested.owner_id and taken.kind = 'vault' and taken.vault_id = f.vault_id
        left join vaults t on t.owner_id = requested.owner_id and t.closed_at is null and t.vault_id = coalesce(p_tos[v_ordinal], (
          select v.vault_id from vaults v
           where v.owner_id = requested.owner_id and v.vault_type = p_to_types[v_ordinal] and v.label = p_to_labels[v_ordinal]
             and v.closed_at is null))
        left join ledger_accounts given
          on given.owner_id = requested.owner_id and given.kind = 'vault' and given.vault_id = t.vault_id;
  end loop;
end $$;
