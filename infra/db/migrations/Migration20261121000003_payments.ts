import { Migration } from '@mikro-orm/migrations';

/**
 * Functions that lock an owner and read what a payment change needs. As PL/pgSQL, each statement sees what others
 * committed during the wait for the lock. Also notifies the worker of new outbox messages.
 */
export class Migration20261121000003_payments extends Migration {
  override up(): void {
    this.addSql(`
      create function allocation_open(p_allocation text, p_at timestamptz) returns setof allocations language plpgsql as $$
      declare
        v_owner text;
      begin
        select l.owner_id into v_owner from allocations l where l.allocation_id = p_allocation;
        if not found then
          return;
        end if;
        perform owner_lock(v_owner, p_at);
        return query select * from allocations l where l.allocation_id = p_allocation;
      end $$`);
    this.addSql(`
      create function payment_open(p_payment text, p_attempt int, p_at timestamptz)
      returns table (payment payments, record payment_attempts) language plpgsql as $$
      declare
        v_owner text;
      begin
        select p.owner_id into v_owner from payments p where p.payment_id = p_payment;
        if not found then
          return;
        end if;
        perform owner_lock(v_owner, p_at);
        select p.* into payment from payments p where p.payment_id = p_payment for update;
        select a.* into record from payment_attempts a
         where a.payment_id = p_payment and a.attempt = coalesce(p_attempt, (payment).attempt);
        return next;
      end $$`);
    this.addSql(`
      create function outbox_tells() returns trigger language plpgsql as $$
      begin
        perform pg_notify('outbox', '');
        return null;
      end $$`);
    this.addSql(`
      create trigger outbox_tells after insert on outbox_messages for each statement execute function outbox_tells()`);
  }
}
