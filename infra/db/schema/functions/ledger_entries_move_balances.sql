-- Inserting entries updates the balances of their accounts. An entry must state the correct resulting balance. Used
-- accounts and transfers cannot be deleted, so one check per statement is enough.
create or replace function ledger_entries_move_balances() returns trigger language plpgsql as $$
declare
  v_fault text;
begin
  with entry as (
    select account_id, owner_id, vault_id, seq, amount, balance_after,
           lag(balance_after) over (partition by account_id order by seq) as balance_before
      from posted
  ), change as (
    select account_id, owner_id, vault_id, sum(amount)::bigint as amount,
           min(balance_after - amount) filter (where balance_before is null) as before,
           bool_and(balance_before is null or balance_after = balance_before + amount) as follows,
           min(balance_after) as least, max(balance_after) as most
      from entry group by account_id, owner_id, vault_id
  ), moved as (
    update ledger_accounts a set balance = a.balance + c.amount from change c
     where a.account_id = c.account_id and a.owner_id = c.owner_id and a.vault_id = c.vault_id
    returning c.before + c.amount = a.balance and c.follows as matches,
              case when a.kind in ('employer', 'interest') then c.most > 0 else c.least < 0 end as overdraws)
  select case when (select count(*) from change) <> (select count(*) from moved)
                then 'an entry is on no account of its owner'
              when exists (select from moved where not matches) then 'an entry does not tell the balance after it'
              when exists (select from moved where overdraws) then 'an entry overdraws its account' end into v_fault;
  if v_fault is not null then
    raise exception '%', v_fault using errcode = 'integrity_constraint_violation',
      constraint = case v_fault when 'an entry overdraws its account' then 'ledger_accounts_not_overdrawn' else '' end;
  end if;

  select case when e.left_over <> 0 then 'a transfer does not balance'
              else 'an entry belongs to no transfer of its owner' end into v_fault
    from (select transfer_id, owner_id, sum(amount) as left_over from posted group by transfer_id, owner_id) e
   where e.left_over <> 0
      or e.owner_id is distinct from (select t.owner_id from ledger_transfers t where t.transfer_id = e.transfer_id)
   limit 1;
  if found then
    raise exception '%', v_fault using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
