-- The periods to accrue, in order for each vault, with the entries that count in each. `opening` is the balance before
-- the first period. `amount` is what came in a period, and `moment` what that earns in it, as pence times days.
create or replace function interest_movements(p_vaults text[], p_to date, p_monthly boolean)
returns setof interest_movement language sql stable as $$
  select v.vault_id, v.owner_id, period.from_day, period.to_day, period.annual_rate, period.millionths,
         coalesce(held.balance, 0) - period.recent::bigint, coalesce(held.balance, 0), coalesce(last.remainder, 0),
         coalesce((select -a.balance from ledger_accounts a
                    where a.owner_id = v.owner_id and a.kind = 'interest' and a.vault_id = ''), 0),
         period.amount::bigint, period.moment, least(seen.next_seq, period.later_seq), seen.next_seq
    from unnest(p_vaults) with ordinality as wanted (vault_id, ordinal)
    join vaults v on v.vault_id = wanted.vault_id
    left join ledger_accounts held on held.owner_id = v.owner_id and held.kind = 'vault' and held.vault_id = v.vault_id
   cross join lateral bank_connected_on(v.owner_id) connected
    left join lateral (
      select c.to_date, c.remainder, c.entries_before from accruals c
       where c.vault_id = v.vault_id order by c.to_date desc limit 1) last on true
   cross join lateral (
     select coalesce(last.to_date, (v.created_at at time zone 'Europe/London')::date) as day,
            coalesce(last.entries_before, 0) as seq) start
   cross join lateral (
     with open as (
       select * from interest_periods(v.vault_type, connected.connected_on, start.day, p_to, p_monthly)
     ), bound as (
       select array_agg(from_day order by number) || max(to_day) as days from open having count(*) > 0
     ), moved as (
       select placed.number, sum(e.amount) as amount, sum(e.amount * (bound.days[placed.number + 1] - e.day)) as moment,
              min(e.seq) as first_seq, max(e.seq) as last_seq
         from bound
        cross join lateral interest_entries(held.account_id, start.day, start.seq) e
        cross join lateral (select width_bucket(e.day, bound.days) as number) placed
        group by placed.number)
     select o.*, coalesce(m.amount, 0) as amount, coalesce(m.moment, 0) as moment,
            coalesce(sum(m.amount) over (), 0) as recent, max(m.last_seq) over () + 1 as after_seq,
            min(m.first_seq) over (order by number rows between 1 following and unbounded following) as later_seq
       from open o full join moved m using (number)) period
   cross join lateral (select greatest(period.after_seq, start.seq) as next_seq) seen
   where period.from_day is not null
   order by v.owner_id, wanted.ordinal, period.from_day, period.to_day
$$;
