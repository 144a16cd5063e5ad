import { Migration } from '@mikro-orm/migrations';

/**
 * The service writes the ledger and the audit log only through these functions, which run as the schema's owner. The
 * fixed `search_path` stops callers from substituting tables or operators of their own. Two functions keep their names,
 * because the previous version calls them.
 */
export class Migration20261125020100_definers extends Migration {
  override up(): void {
    this.audit();
    this.ledger();
    this.interest();
    this.guards();
    for (const definer of DEFINERS) this.addSql(`revoke execute on function ${definer} from public`);
  }

  /** Appends events in order within each subject. An event without a time gets the database's time. */
  private audit(): void {
    this.addSql(`
      create function audit_append(
        p_events text[], p_subjects text[], p_kinds text[], p_actors text[], p_data text[], p_ats timestamptz[]
      ) returns int language plpgsql security definer
      set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform require_present(p_ats);
        insert into audit_events (event_id, subject, kind, actor, data, created_at, subject_seq, previous_hash, hash)
        select e.event_id, e.subject, e.kind, e.actor, e.data::jsonb, coalesce(e.created_at, clock_timestamp()), 0, '', ''
          from unnest(p_events, p_subjects, p_kinds, p_actors, p_data, p_ats)
               with ordinality as e (event_id, subject, kind, actor, data, created_at, place)
         order by e.place;
        return coalesce(cardinality(p_events), 0);
      end $$`);
  }

  /** Runs as the schema's owner, and accepts only the present time. */
  private ledger(): void {
    this.addSql(`
      create or replace function ledger_move(
        p_transfers text[], p_owners text[], p_kinds text[], p_subjects text[], p_ats timestamptz[],
        p_leg_moves int[], p_entries text[], p_leg_accounts text[], p_leg_vaults text[], p_leg_kinds text[],
        p_leg_amounts bigint[], p_leg_balances bigint[],
        p_vault_moves int[], p_vaults text[], p_vault_types text[], p_vault_labels text[],
        p_lot_moves int[], p_lots text[], p_lot_vaults text[], p_lot_sources text[], p_lot_amounts bigint[],
        p_change_moves int[], p_changed_lots text[], p_amount_changes bigint[], p_available_changes bigint[]
      ) returns bigint[] language plpgsql security definer
      set search_path = pg_catalog, public, pg_temp as $$
      declare
        v_changed int;
      begin
        perform require_present(p_ats);
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

  /** Runs as the schema's owner, accepts only the present time, and refuses an accrual that ends after today. */
  private interest(): void {
    this.addSql(`
      create or replace function interest_post(p_at timestamptz, p_accruals jsonb) returns void language plpgsql security definer
      set search_path = pg_catalog, public, pg_temp as $$
      begin
        perform require_present(array[p_at]);
        if exists (
          select from jsonb_populate_recordset(null::accrual_to_post, p_accruals) a
           where a.to_date > (p_at at time zone 'Europe/London')::date) then
          raise exception 'an accrual ends after today' using errcode = 'integrity_constraint_violation';
        end if;

        with given as (
          select * from jsonb_populate_recordset(null::accrual_to_post, p_accruals) where accrued > 0
        ), transfer as (
          insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
          select transfer_id, owner_id, 'interest', accrual_id, p_at from given)
        insert into ledger_accounts (owner_id, kind, vault_id)
        select distinct g.owner_id, 'interest', '' from given g
         where not exists (
           select from ledger_accounts a where a.owner_id = g.owner_id and a.kind = 'interest' and a.vault_id = '')
        on conflict do nothing;

        with given as materialized (
          select * from jsonb_populate_recordset(null::accrual_to_post, p_accruals)
        ), leg as (
          select place, entry_out as entry_id, transfer_id, owner_id, 'interest' as account, '' as vault_id, -accrued as amount
            from given where accrued > 0
          union all
          select place, entry_in, transfer_id, owner_id, 'vault', vault_id, accrued from given where accrued > 0
        ), entry as (
          insert into ledger_entries
            (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
          select leg.entry_id, leg.transfer_id, a.account_id, leg.owner_id, 'interest', leg.vault_id, leg.amount,
                 a.balance + sum(leg.amount) over (partition by a.account_id order by leg.place, leg.amount), p_at
            from leg
            join ledger_accounts a on a.owner_id = leg.owner_id and a.kind = leg.account and a.vault_id = leg.vault_id
           order by leg.place, leg.amount
        ), lot as (
          insert into allocations (allocation_id, owner_id, vault_id, source, amount, available, created_at)
          select allocation_id, owner_id, vault_id, 'interest', accrued, accrued, p_at
            from given where accrued > 0 order by place)
        insert into accruals
          (accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried, accrued,
           remainder, balance_after, entries_before, posted_at)
        select accrual_id, owner_id, vault_id, from_date, to_date, annual_rate, rate_millionths, balance_days, carried, accrued,
               remainder, balance_after, entries_before, p_at
          from given order by place;
      end $$`);
  }

  /** Functions for the triggers that `upgrade finish` creates. */
  private guards(): void {
    this.addSql(`
      create function ledger_account_stays() returns trigger language plpgsql as $$
      begin
        raise exception 'an account stays what it was made as' using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create function audit_head_stays() returns trigger language plpgsql as $$
      begin
        raise exception 'audit_heads moves on by an audit event only' using errcode = 'integrity_constraint_violation';
      end $$`);
  }
}

const DEFINERS = ['audit_append', 'ledger_move', 'interest_post'];
