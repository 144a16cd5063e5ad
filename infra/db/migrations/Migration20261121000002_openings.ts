import { Migration } from '@mikro-orm/migrations';

/**
 * What a movement needs to know before it is decided, in one round trip: lock the owner, then read. They are PL/pgSQL
 * because each of its statements sees what was committed while it waited for the lock. And the movement itself, once it is decided.
 */
export class Migration20261121000002_openings extends Migration {
  override up(): void {
    this.paycheck();
    this.vaults();
    this.ledgerPost();
    this.ledgerMove();
  }

  private paycheck(): void {
    this.addSql(`
      create function paycheck_booked(p_owner text, p_pay_date date)
      returns table (revision int, booked jsonb) language sql stable as $$
        select c.revision, jsonb_build_object(
          'gross_income', c.gross_income,
          'locked_buffer', c.locked_buffer,
          'safe_to_spend', c.safe_to_spend,
          'obligations', coalesce((
            select jsonb_agg(jsonb_build_object(
                     'type', o.type, 'category', o.category, 'amount', o.amount, 'vault_id', o.vault_id,
                     'allocation_id', o.allocation_id, 'available', l.available) order by o.position)
              from calculation_obligations o join allocations l using (allocation_id)
             where o.calculation_id = c.calculation_id), '[]'))
          from calculations c where c.owner_id = p_owner and c.pay_date = p_pay_date
         order by c.revision desc limit 1
      $$`);
    this.addSql(`
      create function paycheck_open(p_owner text, p_at timestamptz, p_pay_date date, p_types text[], p_labels text[])
      returns table (
        buffer_rate text, safe_to_spend bigint, buffer bigint, received bigint,
        vault_ids text[], revision int, booked jsonb
      ) language plpgsql as $$
      begin
        buffer_rate := owner_locked(p_owner, p_at);
        return query
          select buffer_rate, owner_balance(p_owner, 'safe_to_spend'), owner_balance(p_owner, 'buffer'),
                 -owner_balance(p_owner, 'employer'),
                 (select coalesce(array_agg(v.vault_id order by named.place), '{}')
                    from unnest(p_types, p_labels) with ordinality as named (vault_type, label, place)
                    left join vaults v
                      on v.owner_id = p_owner and v.vault_type = named.vault_type and v.label = named.label),
                 coalesce(b.revision, 0), b.booked
            from (select) as always left join paycheck_booked(p_owner, p_pay_date) b on true;
      end $$`);
  }

  private vaults(): void {
    this.addSql(`
      create function lots_to_take(p_vault text, p_amount bigint, p_lot text)
      returns table (allocation_id text, available bigint) language plpgsql stable as $$
      declare
        v_missing bigint := p_amount;
      begin
        if p_lot is not null then
          return query select l.allocation_id, l.available from allocations l
                        where l.allocation_id = p_lot and l.vault_id = p_vault;
          return;
        end if;
        for allocation_id, available in
          select l.allocation_id, l.available from allocations l
           where l.vault_id = p_vault and l.available > 0 order by l.seq
        loop
          return next;
          v_missing := v_missing - available;
          exit when v_missing <= 0;
        end loop;
      end $$`);
    this.addSql(`
      create function vault_open(
        p_owner text, p_at timestamptz, p_from text, p_amount bigint, p_lot text, p_to text, p_to_type text, p_to_label text
      ) returns table (
        safe_to_spend bigint, found_from text, from_balance bigint, lots jsonb, found_to text, to_balance bigint
      ) language plpgsql as $$
      begin
        perform owner_locked(p_owner, p_at);
        return query
          select owner_balance(p_owner, 'safe_to_spend'),
                 f.vault_id, owner_balance(p_owner, 'vault', f.vault_id), coalesce(l.lots, '[]'),
                 t.vault_id, owner_balance(p_owner, 'vault', t.vault_id)
            from (select) as always
            left join vaults f on f.vault_id = p_from and f.owner_id = p_owner
            left join lateral (
              select jsonb_agg(jsonb_build_array(lot.allocation_id, lot.available)) as lots
                from lots_to_take(f.vault_id, p_amount, p_lot) lot) l on f.vault_id is not null
            left join vaults t on t.owner_id = p_owner and t.vault_id = coalesce(p_to, (
              select v.vault_id from vaults v
               where v.owner_id = p_owner and v.vault_type = p_to_type and v.label = p_to_label));
      end $$`);
  }

  /** The balances after the legs are told beforehand or null; given back they are what the entries tell. */
  private ledgerPost(): void {
    this.addSql(`
      create function ledger_account_ids(p_owner text, p_accounts text[], p_vaults text[]) returns bigint[] language sql stable as $$
        select array_agg((select a.account_id from ledger_accounts a
                           where a.owner_id = p_owner and a.kind = leg.account and a.vault_id = leg.vault) order by leg.place)
          from unnest(p_accounts, p_vaults) with ordinality as leg (account, vault, place)
      $$`);
    this.addSql(`
      create function ledger_post(
        p_transfer text, p_owner text, p_kind text, p_subject text, p_at timestamptz,
        p_entries text[], p_accounts text[], p_vaults text[], p_entry_kinds text[], p_amounts bigint[],
        p_told bigint[] default null
      ) returns bigint[] language plpgsql as $$
      declare
        v_accounts bigint[] := ledger_account_ids(p_owner, p_accounts, p_vaults);
        v_balances bigint[] := p_told;
      begin
        if array_position(v_accounts, null) is not null then
          insert into ledger_accounts (owner_id, kind, vault_id)
          select distinct p_owner, leg.account, leg.vault
            from unnest(v_accounts, p_accounts, p_vaults) as leg (account_id, account, vault) where leg.account_id is null
          on conflict do nothing;
          v_accounts := ledger_account_ids(p_owner, p_accounts, p_vaults);
        end if;
        if v_balances is null then
          v_balances := array(
            select (a.balance + sum(leg.amount) over (partition by leg.account_id order by leg.place))::bigint
              from unnest(v_accounts, p_amounts) with ordinality as leg (account_id, amount, place)
              join ledger_accounts a using (account_id) order by leg.place);
        end if;

        insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
        values (p_transfer, p_owner, p_kind, p_subject, p_at);
        insert into ledger_entries
          (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
        select leg.entry, p_transfer, leg.account_id, p_owner, leg.kind, leg.vault, leg.amount, leg.balance, p_at
          from unnest(p_entries, v_accounts, p_entry_kinds, p_vaults, p_amounts, v_balances)
               with ordinality as leg (entry, account_id, kind, vault, amount, balance, place)
         order by leg.place;
        return v_balances;
      end $$`);
  }

  /** A whole movement: vaults and lots that it makes, lots that it changes, and last its legs; each may be nothing. */
  private ledgerMove(): void {
    this.addSql(`
      create function ledger_move(
        p_transfer text, p_owner text, p_kind text, p_subject text, p_at timestamptz,
        p_entries text[], p_accounts text[], p_vaults text[], p_entry_kinds text[], p_amounts bigint[],
        p_new_vaults text[], p_vault_types text[], p_vault_labels text[],
        p_new_lots text[], p_lot_vaults text[], p_lot_sources text[], p_lot_amounts bigint[],
        p_lots text[], p_lot_changes bigint[], p_available_changes bigint[],
        p_told bigint[] default null
      ) returns bigint[] language plpgsql as $$
      declare
        v_changed int;
      begin
        if p_new_vaults <> '{}' then
          insert into vaults (vault_id, owner_id, vault_type, label, created_at)
          select made.vault_id, p_owner, made.vault_type, made.label, p_at
            from unnest(p_new_vaults, p_vault_types, p_vault_labels)
                 with ordinality as made (vault_id, vault_type, label, place)
           order by made.place;
        end if;
        if p_new_lots <> '{}' then
          insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
          select made.allocation_id, p_owner, made.vault_id, made.source, made.amount, made.amount, p_at
            from unnest(p_new_lots, p_lot_vaults, p_lot_sources, p_lot_amounts)
                 with ordinality as made (allocation_id, vault_id, source, amount, place)
           order by made.place;
        end if;
        if p_lots <> '{}' then
          update allocations l set amount = l.amount + change.amount, available = l.available + change.available
            from unnest(p_lots, p_lot_changes, p_available_changes) as change (allocation_id, amount, available)
           where l.allocation_id = change.allocation_id and l.owner_id = p_owner;
          get diagnostics v_changed = row_count;
          if v_changed <> cardinality(p_lots) then
            raise exception 'a lot of money that must exist does not' using errcode = 'integrity_constraint_violation';
          end if;
        end if;
        if p_amounts = '{}' then
          return '{}';
        end if;
        return ledger_post(p_transfer, p_owner, p_kind, p_subject, p_at,
                           p_entries, p_accounts, p_vaults, p_entry_kinds, p_amounts, p_told);
      end $$`);
  }
}
