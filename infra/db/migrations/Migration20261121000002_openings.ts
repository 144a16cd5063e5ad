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
      declare
        v_owner record;
      begin
        select * into v_owner from owner_lock(p_owner, p_at);
        return query
          select v_owner.buffer_rate, v_owner.safe_to_spend, v_owner.buffer,
                 coalesce((select -a.balance from ledger_accounts a
                            where a.owner_id = p_owner and a.kind = 'employer' and a.vault_id = ''), 0),
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
      create function lots_to_cover(p_vault text, p_amount bigint)
      returns table (allocation_id text, available bigint) language plpgsql stable as $$
      declare
        v_missing bigint := p_amount;
      begin
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
      create function vault_balance(p_owner text, p_vault text) returns bigint language plpgsql stable as $$
      begin
        if p_vault is null then
          return 0;
        end if;
        return coalesce((select a.balance from ledger_accounts a
                          where a.owner_id = p_owner and a.kind = 'vault' and a.vault_id = p_vault), 0);
      end $$`);
    this.addSql(`
      create function vault_open(
        p_owner text, p_at timestamptz, p_from text, p_amount bigint, p_lot text, p_to text, p_to_type text, p_to_label text
      ) returns table (
        safe_to_spend bigint, found_from text, from_balance bigint, lots jsonb, found_to text, to_balance bigint
      ) language plpgsql as $$
      declare
        v_owner record;
      begin
        select * into v_owner from owner_lock(p_owner, p_at);
        safe_to_spend := v_owner.safe_to_spend;
        if p_from is not null then
          select v.vault_id into found_from from vaults v where v.vault_id = p_from and v.owner_id = p_owner;
        end if;
        if p_to is not null then
          select v.vault_id into found_to from vaults v where v.vault_id = p_to and v.owner_id = p_owner;
        elsif p_to_type is not null then
          select v.vault_id into found_to from vaults v
           where v.owner_id = p_owner and v.vault_type = p_to_type and v.label = p_to_label;
        end if;
        if p_lot is not null then
          select jsonb_agg(jsonb_build_array(l.allocation_id, l.available)) into lots from allocations l
           where l.allocation_id = p_lot and l.vault_id = found_from;
        elsif found_from is not null then
          select jsonb_agg(jsonb_build_array(l.allocation_id, l.available)) into lots
            from lots_to_cover(found_from, p_amount) l;
        end if;
        lots := coalesce(lots, '[]');
        from_balance := vault_balance(p_owner, found_from);
        to_balance := vault_balance(p_owner, found_to);
        return next;
      end $$`);
  }

  /** The balances after the legs are told beforehand or null; given back they are what the entries tell. */
  private ledgerPost(): void {
    this.addSql(`
      create function ledger_post(
        p_transfer text, p_owner text, p_kind text, p_subject text, p_at timestamptz,
        p_entries text[], p_accounts text[], p_vaults text[], p_entry_kinds text[], p_amounts bigint[],
        p_told bigint[] default null
      ) returns bigint[] language plpgsql as $$
      declare
        v_balances bigint[];
      begin
        insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
        values (p_transfer, p_owner, p_kind, p_subject, p_at);

        insert into ledger_accounts (owner_id, kind, vault_id)
        select distinct p_owner, leg.account, leg.vault from unnest(p_accounts, p_vaults) as leg (account, vault)
         where not exists (select from ledger_accounts a
                            where a.owner_id = p_owner and a.kind = leg.account and a.vault_id = leg.vault)
        on conflict do nothing;

        with posted as (
          insert into ledger_entries
            (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
          select leg.entry, p_transfer, a.account_id, p_owner, leg.kind, leg.vault, leg.amount, leg.told, p_at
            from unnest(p_entries, p_accounts, p_vaults, p_entry_kinds, p_amounts, p_told)
                 with ordinality as leg (entry, account, vault, kind, amount, told, place)
            join ledger_accounts a on a.owner_id = p_owner and a.kind = leg.account and a.vault_id = leg.vault
           order by leg.place
          returning seq, balance_after)
        select array_agg(balance_after order by seq) into v_balances from posted;

        if cardinality(v_balances) is distinct from cardinality(p_amounts) then
          raise exception 'transfer % lost an entry', p_transfer using errcode = 'integrity_constraint_violation';
        end if;
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
