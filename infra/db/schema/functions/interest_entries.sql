-- A vault's entries from a sequence number on, each with the London day from which it earns. Posted interest earns from
-- `p_from`, the end of the last accrual. So does an entry that came too late for its own day.
create or replace function interest_entries(p_account bigint, p_from date, p_seq bigint)
returns table (seq bigint, kind text, transfer_id text, day date, amount bigint) language sql stable as $$
  select e.seq, e.kind, e.transfer_id,
         greatest(p_from, case when e.kind <> 'interest' then (e.created_at at time zone 'Europe/London')::date end), e.amount
    from ledger_entries e where e.account_id = p_account and e.vault_id <> '' and e.seq >= p_seq
$$;
