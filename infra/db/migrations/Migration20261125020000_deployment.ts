import { Migration } from '@mikro-orm/migrations';

/** Records the purpose of the database. Times written to the ledger and the audit log must be the present. */
export class Migration20261125020000_deployment extends Migration {
  override up(): void {
    this.addSql(`
      create table "deployment" ("deployment_id" text not null, "environment" text not null, "made_at" timestamptz(3) not null, "roles_separated_at" timestamptz(3) null, primary key ("deployment_id"), constraint deployment_one check (deployment_id = 'this'), constraint deployment_environment check (environment in ('sandbox', 'production')))`);
    this.addSql(`
      create function deployment_stays() returns trigger language plpgsql as $$
      begin
        raise exception 'a database stays what it was made for' using errcode = 'integrity_constraint_violation';
      end $$`);
    this.addSql(`
      create trigger deployment_stays before delete or truncate or update of environment on deployment
        for each statement execute function deployment_stays()`);
    // In a database without API keys and sandbox payees, the process that migrates it sets the purpose.
    this.addSql(`
      insert into deployment (deployment_id, environment, made_at)
      select 'this', environment, now()
        from (select case when exists (select from providers where starts_with(provider_id, 'prov_sandbox_'))
                            or exists (select from api_keys where environment = 'sandbox') then 'sandbox'
                          when exists (select from api_keys where environment = 'production') then 'production' end
                as environment) found
       where environment is not null`);
    this.present();
  }

  /**
   * Times must be within a minute of the database's clock. In a sandbox, any time up to the business clock is allowed,
   * because a process may have read the clock before a move.
   */
  private present(): void {
    this.addSql(`
      create function require_present(p_ats timestamptz[]) returns void language plpgsql as $$
      declare
        v_from timestamptz := clock_timestamp() - interval '60 seconds';
        v_to timestamptz := clock_timestamp() + interval '60 seconds';
        v_ahead interval;
        v_at timestamptz;
      begin
        -- Compared one by one, because a query over so few would cost several times as much.
        foreach v_at in array coalesce(p_ats, '{}') loop
          if v_at < v_from or v_at > v_to then
            if v_ahead is null then
              select c.offset_ms * interval '1 millisecond' into v_ahead
                from business_clock c, deployment d where d.environment = 'sandbox';
              v_ahead := coalesce(v_ahead, interval '0');
              v_from := least(v_from, v_from + v_ahead);
              v_to := greatest(v_to, v_to + v_ahead);
            end if;
            if v_at < v_from or v_at > v_to then
              raise exception 'a time is more than a minute from the clock of the database' using errcode = 'RF002';
            end if;
          end if;
        end loop;
      end $$`);
    this.addSql(`
      create function business_today() returns date language sql stable as $$
        select ((clock_timestamp() + coalesce((
                  select c.offset_ms * interval '1 millisecond' from business_clock c, deployment d
                   where d.environment = 'sandbox'), interval '0')) at time zone 'Europe/London')::date
      $$`);
  }
}
