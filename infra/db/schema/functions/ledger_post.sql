-- Posts the legs of movements, and creates missing accounts. Computes each balance that the caller does not state.
-- `limit 1` makes PostgreSQL look up each account by its key.
create or replace function ledger_post(p_movements ledger_movement[]) returns bigint[] language plpgsql as $$
declare
  v_balances bigint[];
begin
  insert into ledger_accounts (owner_id, kind, vault_id)
  select distinct m.owner_id, leg.account, leg.vault_id
    from unnest(p_movements) as m, unnest(m.legs) as leg
    left join lateral (
      select a.account_id from ledger_accounts a
       where a.owner_id = m.owner_id and a.kind = leg.account and a.vault_id = leg.vault_id limit 1) known on true
   where known.account_id is null
  on conflict do nothing;

  insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
  select m.transfer_id, m.owner_id, m.kind, m.subject_id, m.at
    from unnest(p_movements) with ordinality as m where cardinality(m.legs) > 0 order by m.ordinality;

  with entry as (
    insert into ledger_entries
      (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
    select leg.entry_id, m.transfer_id, a.account_id, m.owner_id, leg.kind, leg.vault_id, leg.amount,
           coalesce(leg.balance, (a.balance + sum(leg.amount) over (
             partition by a.account_id order by m.ordinality, leg.ordinality))::bigint), m.at
      from unnest(p_movements) with ordinality as m
     cross join unnest(m.legs) with ordinality as leg
     cross join lateral (
       select known.account_id, known.balance from ledger_accounts known
        where known.owner_id = m.owner_id and known.kind = leg.account and known.vault_id = leg.vault_id limit 1) a
     order by m.ordinality, leg.ordinality
    returning seq, balance_after)
  select array_agg(entry.balance_after order by entry.seq) into v_balances from entry;
  return v_balances;
end $$;
