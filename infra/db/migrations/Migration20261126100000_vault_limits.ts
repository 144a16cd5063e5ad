import { Migration } from '@mikro-orm/migrations';

/** Limits the vaults of an owner, and the lots that one movement can take money from. */
export class Migration20261126100000_vault_limits extends Migration {
  override up(): void {
    this.vaults();
    this.lots();
  }

  /** As PL/pgSQL, `vaults_held` sees what others committed while the calling statement waited for the owner's lock. */
  private vaults(): void {
    this.addSql(`
      create function vaults_held(p_owner text) returns int language plpgsql as $$
      begin
        return (select count(*) from vaults v where v.owner_id = p_owner);
      end $$`);
    this.addSql(`
      create function vaults_within_limit() returns trigger language plpgsql as $$
      begin
        if exists (select from (select distinct owner_id from made) m where vaults_held(m.owner_id) > 500) then
          raise exception 'an owner can have at most 500 vaults' using errcode = 'integrity_constraint_violation';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger vaults_within_limit after insert on vaults
        referencing new table as made for each statement execute function vaults_within_limit()`);
  }

  /** Returns the oldest lots, at most 1,000, even if they hold less than the amount. */
  private lots(): void {
    this.addSql(`
      create or replace function lots_to_take(p_vault text, p_amount bigint, p_lot text)
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
           where l.vault_id = p_vault and l.available > 0 order by l.seq limit 1000
        loop
          return next;
          v_missing := v_missing - available;
          exit when v_missing <= 0;
        end loop;
      end $$`);
  }
}
