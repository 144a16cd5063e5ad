import { Migration } from '@mikro-orm/migrations';

/**
 * Functions that lock owners, read what movements need, and post movements. As PL/pgSQL, each statement sees what
 * others committed while an earlier statement waited for a lock. Arrays of many rows save the cost per statement.
 */
export class Migration20261121000002_openings extends Migration {
  override up(): void {
    this.owners();
    this.paychecks();
    this.vaults();
    this.ledgerPost();
    this.ledgerMove();
  }

  /**
   * Locks owners and returns their places. With waiting, all owners are locked, and missing owners are inserted.
   * Without waiting, only free existing owners are locked; busy owners return a negative place.
   */
  private owners(): void {
    this.addSql(`
      create function owners_locked(p_waits boolean, p_owners text[], p_ats timestamptz[])
      returns table (place int, buffer_rate text) language plpgsql as $$
      declare
        v_free int[];
      begin
        if p_waits then
          return query select o.place::int, owner_locked(o.owner_id, o.at)
                         from unnest(p_owners, p_ats) with ordinality as o (owner_id, at, place);
        else
          v_free := array(select asked.place from unnest(p_owners) with ordinality as asked (owner_id, place)
                            join owners o on o.owner_id = asked.owner_id for no key update of o skip locked);
          return query select case when asked.place = any(v_free) then asked.place else -asked.place end::int, o.buffer_rate
                         from unnest(p_owners) with ordinality as asked (owner_id, place)
                         join owners o on o.owner_id = asked.owner_id;
        end if;
      end $$`);
  }

  private paychecks(): void {
    this.addSql(`
      create function paychecks_open(
        p_waits boolean, p_owners text[], p_ats timestamptz[], p_pay_dates date[],
        p_wanted_upto int[], p_wanted_by int[], p_vault_types text[], p_vault_labels text[]
      ) returns table (
        place int, buffer_rate text, safe_to_spend bigint, buffer bigint, received bigint,
        vault_ids jsonb, revision int, booked jsonb
      ) language plpgsql as $$
      declare
        v_places int[];
        v_rates text[];
        v_vaults text[];
      begin
        select array_agg(o.place), array_agg(o.buffer_rate) into v_places, v_rates
          from owners_locked(p_waits, p_owners, p_ats) o;
        v_vaults := array(
          select v.vault_id
            from unnest(p_wanted_by, p_vault_types, p_vault_labels) with ordinality as wanted (asked, vault_type, label, place)
            left join vaults v
              on v.owner_id = p_owners[wanted.asked] and v.vault_type = wanted.vault_type and v.label = wanted.label
           order by wanted.place);
        return query
          select asked.place::int, v_rates[array_position(v_places, asked.place::int)],
                 coalesce(s.balance, 0), coalesce(b.balance, 0), -coalesce(e.balance, 0),
                 to_jsonb(v_vaults[coalesce(p_wanted_upto[asked.place::int - 1], 0) + 1 : p_wanted_upto[asked.place::int]]),
                 coalesce(c.revision, 0),
                 case when c.calculation_id is not null then jsonb_build_object(
                   'gross_income', c.gross_income, 'locked_buffer', c.locked_buffer, 'safe_to_spend', c.safe_to_spend,
                   'obligations', coalesce((
                     select jsonb_agg(o.booked || jsonb_build_object('available', l.available) order by o.place)
                       from jsonb_array_elements(c.obligations) with ordinality as o (booked, place)
                       join allocations l on l.allocation_id = o.booked ->> 'allocation_id'), '[]')) end
            from unnest(p_owners, p_pay_dates) with ordinality as asked (owner_id, pay_date, place)
            left join ledger_accounts s
              on s.owner_id = asked.owner_id and s.kind = 'safe_to_spend' and s.vault_id = ''
            left join ledger_accounts b on b.owner_id = asked.owner_id and b.kind = 'buffer' and b.vault_id = ''
            left join ledger_accounts e on e.owner_id = asked.owner_id and e.kind = 'employer' and e.vault_id = ''
            left join lateral (
              select * from calculations last
               where last.owner_id = asked.owner_id and last.pay_date = asked.pay_date
               order by last.revision desc limit 1) c on true
           where asked.place = any(v_places);
        if 0 > any(v_places) then
          return query select busy.place, null, 0::bigint, 0::bigint, 0::bigint, '[]'::jsonb, 0, null::jsonb
                         from unnest(v_places) as busy (place) where busy.place < 0;
        end if;
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
      create function vaults_open(
        p_waits boolean, p_owners text[], p_ats timestamptz[], p_froms text[], p_amounts bigint[], p_lots text[],
        p_tos text[], p_to_types text[], p_to_labels text[]
      ) returns table (
        place int, safe_to_spend bigint, found_from text, from_balance bigint, lots jsonb, found_to text, to_balance bigint
      ) language plpgsql as $$
      declare
        v_places int[] := array(select o.place from owners_locked(p_waits, p_owners, p_ats) o);
      begin
        return query
          select asked.place::int, coalesce(s.balance, 0),
                 f.vault_id, coalesce(taken.balance, 0),
                 case when f.vault_id is null then '[]'
                      else coalesce((
                        select jsonb_agg(jsonb_build_array(lot.allocation_id, lot.available))
                          from lots_to_take(f.vault_id, asked.amount, asked.lot) lot), '[]') end,
                 t.vault_id, coalesce(given.balance, 0)
            from unnest(p_owners, p_froms, p_amounts, p_lots, p_tos, p_to_types, p_to_labels)
                 with ordinality as asked (owner_id, from_vault, amount, lot, to_vault, to_type, to_label, place)
            left join ledger_accounts s
              on s.owner_id = asked.owner_id and s.kind = 'safe_to_spend' and s.vault_id = ''
            left join vaults f on f.vault_id = asked.from_vault and f.owner_id = asked.owner_id
            left join ledger_accounts taken
              on taken.owner_id = asked.owner_id and taken.kind = 'vault' and taken.vault_id = f.vault_id
            left join vaults t on t.owner_id = asked.owner_id and t.vault_id = coalesce(asked.to_vault, (
              select v.vault_id from vaults v
               where v.owner_id = asked.owner_id and v.vault_type = asked.to_type and v.label = asked.to_label))
            left join ledger_accounts given
              on given.owner_id = asked.owner_id and given.kind = 'vault' and given.vault_id = t.vault_id
           where asked.place = any(v_places);
        if 0 > any(v_places) then
          return query select busy.place, 0::bigint, null, 0::bigint, '[]'::jsonb, null, 0::bigint
                         from unnest(v_places) as busy (place) where busy.place < 0;
        end if;
      end $$`);
  }

  /**
   * Posts the legs of transfers, and creates missing accounts. Computes each balance that the caller does not state.
   */
  private ledgerPost(): void {
    this.addSql(`
      create function ledger_post(
        p_transfers text[], p_owners text[], p_kinds text[], p_subjects text[], p_ats timestamptz[],
        p_moves int[], p_entries text[], p_accounts text[], p_vaults text[], p_entry_kinds text[], p_amounts bigint[],
        p_balances bigint[]
      ) returns bigint[] language plpgsql as $$
      declare
        v_accounts bigint[];
        v_balances bigint[];
      begin
        loop
          select array_agg(leg.account_id order by leg.place), array_agg(leg.balance order by leg.place)
            into v_accounts, v_balances
            from (select asked.place, a.account_id,
                         coalesce(asked.balance, (a.balance + sum(asked.amount) over (
                           partition by a.account_id order by asked.place))::bigint) as balance
                    from unnest(p_moves, p_accounts, p_vaults, p_amounts, p_balances) with ordinality
                         as asked (move, account, vault_id, amount, balance, place)
                    left join ledger_accounts a
                      on a.owner_id = p_owners[asked.move] and a.kind = asked.account and a.vault_id = asked.vault_id) leg;
          exit when array_position(v_accounts, null) is null;
          insert into ledger_accounts (owner_id, kind, vault_id)
          select distinct p_owners[leg.move], leg.account, leg.vault_id
            from unnest(p_moves, p_accounts, p_vaults, v_accounts) as leg (move, account, vault_id, account_id)
           where leg.account_id is null
          on conflict do nothing;
        end loop;
        insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
        select made.transfer_id, made.owner_id, made.kind, made.subject_id, made.created_at
          from unnest(p_transfers, p_owners, p_kinds, p_subjects, p_ats) with ordinality
               as made (transfer_id, owner_id, kind, subject_id, created_at, place)
         where made.place = any(p_moves) order by made.place;
        insert into ledger_entries
          (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
        select leg.entry_id, p_transfers[leg.move], leg.account_id, p_owners[leg.move], leg.kind, leg.vault_id, leg.amount,
               leg.balance_after, p_ats[leg.move]
          from unnest(p_moves, p_entries, p_vaults, p_entry_kinds, p_amounts, v_accounts, v_balances) with ordinality
               as leg (move, entry_id, vault_id, kind, amount, account_id, balance_after, place)
         order by leg.place;
        return v_balances;
      end $$`);
  }

  /**
   * Posts whole movements: new vaults and lots, changes to lots, and finally the legs. Each part has one array per
   * column; the first array holds the number of the movement.
   */
  private ledgerMove(): void {
    this.addSql(`
      create function ledger_move(
        p_transfers text[], p_owners text[], p_kinds text[], p_subjects text[], p_ats timestamptz[],
        p_leg_moves int[], p_entries text[], p_leg_accounts text[], p_leg_vaults text[], p_leg_kinds text[],
        p_leg_amounts bigint[], p_leg_balances bigint[],
        p_vault_moves int[], p_vaults text[], p_vault_types text[], p_vault_labels text[],
        p_lot_moves int[], p_lots text[], p_lot_vaults text[], p_lot_sources text[], p_lot_amounts bigint[],
        p_change_moves int[], p_changed_lots text[], p_amount_changes bigint[], p_available_changes bigint[]
      ) returns bigint[] language plpgsql as $$
      declare
        v_changed int;
      begin
        if cardinality(p_vaults) > 0 then
          insert into vaults (vault_id, owner_id, vault_type, label, created_at)
          select made.vault_id, p_owners[made.move], made.vault_type, made.label, p_ats[made.move]
            from unnest(p_vault_moves, p_vaults, p_vault_types, p_vault_labels) with ordinality
                 as made (move, vault_id, vault_type, label, place)
           order by made.place;
        end if;
        if cardinality(p_lots) > 0 then
          insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
          select made.allocation_id, p_owners[made.move], made.vault_id, made.source, made.amount, made.amount, p_ats[made.move]
            from unnest(p_lot_moves, p_lots, p_lot_vaults, p_lot_sources, p_lot_amounts) with ordinality
                 as made (move, allocation_id, vault_id, source, amount, place)
           order by made.place;
        end if;
        if cardinality(p_changed_lots) > 0 then
          update allocations l set amount = l.amount + change.amount, available = l.available + change.available
            from unnest(p_change_moves, p_changed_lots, p_amount_changes, p_available_changes)
                 as change (move, allocation_id, amount, available)
           where l.allocation_id = change.allocation_id and l.owner_id = p_owners[change.move];
          get diagnostics v_changed = row_count;
          if v_changed <> cardinality(p_changed_lots) then
            raise exception 'a lot of money that must exist does not' using errcode = 'integrity_constraint_violation';
          end if;
        end if;
        if cardinality(p_entries) = 0 then
          return '{}';
        end if;
        return ledger_post(
          p_transfers, p_owners, p_kinds, p_subjects, p_ats,
          p_leg_moves, p_entries, p_leg_accounts, p_leg_vaults, p_leg_kinds, p_leg_amounts, p_leg_balances);
      end $$`);
  }
}
