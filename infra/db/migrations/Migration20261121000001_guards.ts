import { Migration } from '@mikro-orm/migrations';

/** Makes the database refuse overdrafts, unbalanced transfers, changed history and payments that go backwards. */
export class Migration20261121000001_guards extends Migration {
  override up(): void {
    this.ledger();
    this.ownerLock();
    this.ledgerFaults();
    this.appendOnly();
    this.payments();
    this.audit();
    this.idempotency();
  }

  private ledger(): void {
    // PostgreSQL loads a domain once per connection, but loads a check constraint again for each statement that writes.
    this.addSql(`
      create domain ledger_account_kind as text constraint ledger_accounts_kind check (
        value in ('income', 'safe_to_spend', 'buffer', 'vault', 'in_flight', 'employer', 'payees', 'interest'))`);
    this.addSql(`
      alter table ledger_accounts
        alter column kind type ledger_account_kind,
        add constraint ledger_accounts_not_overdrawn check (
          balance = 0 or (balance < 0) = (kind in ('employer', 'interest')))`);
    this.addSql(`
      alter table ledger_entries add constraint ledger_entries_not_nothing check (amount <> 0)`);
    this.addSql(`
      alter table allocations
        add constraint allocations_available check (available between 0 and amount)`);
    // Leaves free space on each page. An updated balance then stays on its page and needs no new index entries.
    this.addSql(`alter table ledger_accounts set (fillfactor = 80)`);
    this.addSql(`create index allocations_available on allocations (vault_id, seq) where available > 0`);
    // The index includes the columns that histories filter by, so PostgreSQL never reads unwanted entries.
    this.addSql(`
      create index ledger_entries_account on ledger_entries (account_id, seq, kind, created_at) where vault_id <> ''`);
    this.entriesMoveBalances();
    this.lotsAreInVaults();
  }

  /** A lot must stay in a vault of its owner. A foreign key would check less, and cost a statement per row. */
  private lotsAreInVaults(): void {
    this.addSql(`
      create function allocations_in_vaults() returns trigger language plpgsql as $$
      begin
        if exists (select from made where not exists (
             select from vaults v where v.vault_id = made.vault_id and v.owner_id = made.owner_id)) then
          raise exception 'a lot is in no vault of its owner' using errcode = 'integrity_constraint_violation';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger allocations_in_vaults after insert on allocations
        referencing new table as made for each statement execute function allocations_in_vaults()`);
    this.addSql(`
      create function allocation_stays() returns trigger language plpgsql as $$
      begin
        raise exception 'a lot stays in its vault' using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create trigger allocation_stays before update of vault_id, owner_id on allocations
        for each statement execute function allocation_stays()`);
  }

  /**
   * Inserting entries updates the balances of their accounts. An entry must state the correct resulting balance. Used
   * accounts and transfers cannot be deleted, so one check per statement is enough.
   */
  private entriesMoveBalances(): void {
    this.addSql(`
      create function ledger_entries_move_balances() returns trigger language plpgsql as $$
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
          returning c.before + c.amount = a.balance and c.follows as tells,
                    case when a.kind in ('employer', 'interest') then c.most > 0 else c.least < 0 end as overdraws)
        select case when (select count(*) from change) <> (select count(*) from moved)
                      then 'an entry is on no account of its owner'
                    when exists (select from moved where not tells) then 'an entry does not tell the balance after it'
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
      end $$`);
    this.addSql(`
      create trigger ledger_entries_move_balances after insert on ledger_entries
        referencing new table as posted for each statement execute function ledger_entries_move_balances()`);
    this.addSql(`
      create function ledger_balance_only_by_entry() returns trigger language plpgsql as $$
      begin
        raise exception 'a balance changes by a ledger entry only' using errcode = 'integrity_constraint_violation';
      end $$`);
    // A direct statement runs at trigger depth 0. The entries' own trigger runs at depth 1.
    this.addSql(`
      create trigger ledger_balance_only_by_entry before update on ledger_accounts
        for each statement when (pg_trigger_depth() < 1) execute function ledger_balance_only_by_entry()`);
    this.addSql(`
      create trigger ledger_accounts_stay before delete or truncate on ledger_accounts
        for each statement execute function ledger_balance_only_by_entry()`);
    // An account's identity never changes, so only inserts are checked.
    this.addSql(`
      create function ledger_account_starts() returns trigger language plpgsql as $$
      begin
        if new.balance <> 0 then
          raise exception 'a balance changes by a ledger entry only' using errcode = 'integrity_constraint_violation';
        end if;
        if (new.kind = 'vault') <> (new.vault_id <> '') then
          raise exception 'an account is of a vault and names it, or neither'
            using errcode = 'check_violation', constraint = 'ledger_accounts_vault';
        end if;
        return new;
      end $$`);
    this.addSql(`
      create trigger ledger_account_starts before insert on ledger_accounts
        for each row execute function ledger_account_starts()`);
  }

  /** Locks the owner's row, and creates a missing row. Balances read afterwards cannot change until the commit. */
  private ownerLock(): void {
    this.addSql(`
      create function owner_locked(p_owner text, p_at timestamptz) returns text language plpgsql as $$
      declare
        v_rate text;
      begin
        select o.buffer_rate into v_rate from owners o where o.owner_id = p_owner for no key update;
        if not found then
          insert into owners (owner_id, created_at) values (p_owner, p_at) on conflict do nothing;
          select o.buffer_rate into v_rate from owners o where o.owner_id = p_owner for no key update;
        end if;
        return v_rate;
      end $$`);
    this.addSql(`
      create function owner_balance(p_owner text, p_kind text, p_vault text default '') returns bigint language sql stable as $$
        select coalesce((select a.balance from ledger_accounts a
                          where a.owner_id = p_owner and a.kind = p_kind and a.vault_id = p_vault), 0)
      $$`);
    this.addSql(`
      create function owner_lock(p_owner text, p_at timestamptz)
      returns table (buffer_rate text, safe_to_spend bigint, buffer bigint, in_flight bigint) language plpgsql as $$
      begin
        buffer_rate := owner_locked(p_owner, p_at);
        return query select buffer_rate, owner_balance(p_owner, 'safe_to_spend'), owner_balance(p_owner, 'buffer'),
                            owner_balance(p_owner, 'in_flight');
      end $$`);
  }

  private ledgerFaults(): void {
    this.addSql(`
      create function ledger_faults() returns table (fault text, subject text)
      language sql stable set enable_seqscan = on set enable_hashjoin = on as $$
        select 'transfer does not balance', transfer_id from ledger_entries
         group by transfer_id having sum(amount) <> 0
        union all
        select 'balance is not the sum of its entries', a.account_id::text
          from ledger_accounts a left join ledger_entries e using (account_id)
         group by a.account_id having a.balance <> coalesce(sum(e.amount), 0)
        union all
        select 'vault is not the sum of its lots', a.vault_id
          from ledger_accounts a left join allocations l using (vault_id)
         where a.kind = 'vault' group by a.account_id having a.balance <> coalesce(sum(l.available), 0)
        union all
        select 'lot is in no vault of its owner', l.allocation_id
          from allocations l left join vaults v on v.vault_id = l.vault_id and v.owner_id = l.owner_id
         where v.vault_id is null
        union all
        select 'in flight is not the sum of the open payments', a.owner_id
          from ledger_accounts a
          left join payments p on p.owner_id = a.owner_id and p.status in ('processing', 'pending')
         where a.kind = 'in_flight' group by a.account_id having a.balance <> coalesce(sum(p.amount), 0)
        union all
        select 'payees did not get what was completed', a.owner_id
          from ledger_accounts a
          left join payments p on p.owner_id = a.owner_id and p.status = 'completed'
         where a.kind = 'payees' group by a.account_id having a.balance <> coalesce(sum(p.amount), 0)
        union all
        select 'owner does not add up to nothing', owner_id from ledger_accounts
         group by owner_id having sum(balance) <> 0
      $$`);
  }

  private appendOnly(): void {
    this.addSql(`
      create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
      end $$`);
    const history = ['ledger_transfers', 'ledger_entries', 'audit_events', 'payment_events', 'calculations', 'vaults'];
    for (const table of history) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete or truncate on ${table}
          for each statement execute function refuse_change()`);
    }
  }

  private payments(): void {
    this.addSql(`create unique index payments_seq on payments (seq)`);
    this.addSql(`
      create index payments_open on payments (updated_at) where status in ('processing', 'pending')`);
    this.addSql(`
      alter table payments
        add constraint payments_allocation_fk foreign key (allocation_id) references allocations,
        add constraint payments_provider_fk foreign key (provider_id) references providers,
        add constraint payments_amount check (amount > 0),
        add constraint payments_status check (
          status in ('processing', 'pending', 'completed', 'failed', 'cancelled', 'returned'))`);
    this.addSql(`
      create function payment_moves_forward() returns trigger language plpgsql as $$
      begin
        if new.status <> old.status and (old.status || ' ' || new.status) not in (
          'processing completed', 'processing failed', 'processing pending', 'pending processing',
          'pending cancelled', 'failed processing', 'completed returned') then
          raise exception 'payment % cannot go from % to %', new.payment_id, old.status, new.status
            using errcode = 'integrity_constraint_violation';
        end if;
        new.version := old.version + 1;
        return new;
      end $$`);
    this.addSql(`
      create trigger payment_moves_forward before update on payments
        for each row execute function payment_moves_forward()`);
    this.addSql(`
      create function payment_tells() returns trigger language plpgsql as $$
      begin
        perform pg_notify('changed', new.payment_id);
        return null;
      end $$`);
    this.addSql(`
      create trigger payment_tells after update on payments for each row execute function payment_tells()`);
  }

  private audit(): void {
    this.addSql(`
      create function audit_hash(e audit_events) returns text language sql immutable as $$
        select encode(sha256(convert_to(jsonb_build_array(
          e.previous_hash, e.subject, e.subject_seq, e.event_id, e.kind, e.actor, e.data,
          extract(epoch from e.created_at))::text, 'UTF8')), 'hex')
      $$`);
    this.addSql(`
      create function audit_event_is_chained() returns trigger language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended(new.subject, 4711));
        select subject_seq + 1, hash into new.subject_seq, new.previous_hash
          from audit_events where subject = new.subject order by subject_seq desc limit 1;
        if not found then
          new.subject_seq := 1;
          new.previous_hash := '';
        end if;
        new.hash := audit_hash(new);
        return new;
      end $$`);
    this.addSql(`
      create trigger audit_event_is_chained before insert on audit_events
        for each row execute function audit_event_is_chained()`);
  }

  private idempotency(): void {
    this.addSql(`
      create function stored_meanwhile() returns text language plpgsql as $$
      begin
        raise exception 'an answer that counts is stored under this key' using errcode = 'RF001';
      end $$`);
    // Must be two statements: only the second sees what others committed while the first waited for its locks.
    this.addSql(`
      create function idempotency_claims(
        p_waits boolean, p_locks bigint[], p_callers text[], p_operations text[], p_keys text[]
      ) returns setof int language plpgsql as $$
      declare
        v_locked int[] := array(
          select asked.place from unnest(p_locks) with ordinality as asked (lock, place)
           where pg_try_advisory_xact_lock(asked.lock));
      begin
        return query
          select asked.place::int
            from unnest(p_callers, p_operations, p_keys) with ordinality as asked (caller, operation, key, place)
           where asked.place = any(v_locked) and not exists (
             select from idempotency_records r
              where r.caller = asked.caller and r.operation = asked.operation and r.key = asked.key
                and r.created_at > now() - interval '24 hours');
        if p_waits and not found then
          perform stored_meanwhile();
        end if;
      end $$`);
  }
}
