-- Changes are grouped by the London day from which they earn interest. Posted interest earns from the end of the last
-- accrual. Entries that the last accrual counted are not read.
create or replace function interest_standing(p_vaults text[]) returns setof vault_standing language sql stable as $$
  select v.vault_id, v.owner_id, v.vault_type, v.label, made.made_on, last.to_date, coalesce(last.remainder, 0),
         coalesce(held.balance, 0),
         coalesce((select -a.balance from ledger_accounts a
                    where a.owner_id = v.owner_id and a.kind = 'interest' and a.vault_id = ''), 0),
         greatest(entries.next_seq, last.entries_before, 0), coalesce(entries.changes, '[]'),
         connected.connected_on
    from unnest(p_vaults) with ordinality as wanted (vault_id, ordinal)
    join vaults v on v.vault_id = wanted.vault_id
    left join ledger_accounts held on held.owner_id = v.owner_id and held.kind = 'vault' and held.vault_id = v.vault_id
   cross join lateral (select (v.created_at at time zone 'Europe/London')::date as made_on) made
   cross join lateral bank_connected_on(v.owner_id) connected
    left join lateral (
      select c.to_date, c.remainder, c.entries_before from accruals c
       where c.vault_id = v.vault_id order by c.to_date desc limit 1) last on true
   cross join lateral (
     select max(by_day.last_seq) + 1 as next_seq,
            jsonb_agg(jsonb_build_array(by_day.day, by_day.amount, by_day.first_seq) order by by_day.day) as changes
       from (
         select e.day, sum(e.amount)::bigint as amount, min(e.seq) as first_seq, max(e.seq) as last_seq
           from interest_entries(held.account_id, coalesce(last.to_date, made.made_on), coalesce(last.entries_before, 0)) e
          group by e.day) by_day) entries
   order by wanted.ordinal
$$;
