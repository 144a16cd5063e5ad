import { Migration } from '@mikro-orm/migrations';

/**
 * What a movement needs to know before it is decided, in one round trip: lock the owner, then read. They are PL/pgSQL
 * because each of its statements sees what was committed while it waited for the lock.
 */
export class Migration20261121000002_openings extends Migration {
  override up(): void {
    this.paycheck();
    this.vaults();
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
}
