import { Migration } from '@mikro-orm/migrations';

/** Which owners an application's keys can reach, and which application an owner or a PII record belongs to. */
export class Migration20261124140000_owner_reach extends Migration {
  override up(): void {
    this.before();
    this.reach();
    this.binding();
    this.vaultRecords();
  }

  /** Derives the application of an owner without a row in `owner_applications`, from the writers in the audit log. */
  private before(): void {
    this.addSql(`
      create function owner_application_of_before(p_owner text) returns text language plpgsql stable as $$
      declare
        v_writers text[];
      begin
        if starts_with(p_owner, 'usr_') then
          return null;
        end if;
        select array_agg(distinct k.app_id) into v_writers
          from (select p_owner as subject
                union all select payment_id from payments where owner_id = p_owner
                union all select vault_ref from vault_records where owner_id = p_owner
                union all select doc_id from documents where owner_id = p_owner
                union all select plan_id from debt_plans where owner_id = p_owner
                union all select credential_id from credentials where owner_id = p_owner) as records
          join audit_events e on e.subject = records.subject
          -- An actor is a key's lineage, which is the id of the first key of it.
          join api_keys k on k.key_id = e.actor
         where e.kind not in (
           'vault.retrieved', 'vault.masked', 'vault.verified', 'vault.refused', 'vault.opened', 'vault.tampering-detected',
           'document.accessed', 'document.tax-history-read', 'document.tampering-detected');
        if v_writers is not null then
          return case when cardinality(v_writers) = 1 then v_writers[1] end;
        end if;
        return (select min(app_id) from applications having count(*) = 1);
      end $$`);
    this.addSql(`
      create function application_of_owner(p_owner text) returns text language plpgsql stable as $$
      declare
        v_app text;
      begin
        select app_id into v_app from owner_applications where owner_id = p_owner;
        if not found then
          v_app := owner_application_of_before(p_owner);
        end if;
        return v_app;
      end $$`);
    // Every owner with records has a row in one of these tables.
    this.addSql(`
      create function owner_has_records(p_owner text) returns boolean language sql stable as $$
        select exists (select from owners where owner_id = p_owner)
            or exists (select from vault_records where owner_id = p_owner)
            or exists (select from documents where owner_id = p_owner)
            or exists (select from debt_plans where owner_id = p_owner)
      $$`);
  }

  /**
   * Whether an application can reach an owner.
   * - `within`: the application can reach the owner.
   * - `beyond`: the owner exists, but is out of reach.
   * - `new`: the owner has no records, and the application may create them.
   * - `reserved`: the owner has no records, and another application's prefix reserves the id.
   *
   * A person is within reach through a live grant of one of the scopes, or through any live grant if no scopes are
   * given.
   */
  private reach(): void {
    this.addSql(`
      create function owner_reach(p_owner text, p_app text, p_scopes text[]) returns text language plpgsql stable strict as $$
      declare
        v_app text;
        v_prefix text;
      begin
        if starts_with(p_owner, 'usr_') then
          if exists (
            select from token_families f join oauth_clients c on c.client_id = f.client_id
             where f.user_id = p_owner and c.app_id = p_app and f.ended_at is null and f.expires_at > now()
               and (cardinality(p_scopes) = 0 or f.scopes && p_scopes)) then
            return 'within';
          end if;
          return case when exists (select from users where user_id = p_owner) or owner_has_records(p_owner)
                      then 'beyond' else 'new' end;
        end if;
        select app_id into v_app from owner_applications where owner_id = p_owner;
        if not found then
          if not owner_has_records(p_owner) then
            select owner_prefix into v_prefix from applications where app_id = p_app;
            return case when starts_with(p_owner, v_prefix) then 'new'
                        when v_prefix is not null
                          or exists (select from applications where starts_with(p_owner, owner_prefix)) then 'reserved'
                        else 'new' end;
          end if;
          v_app := owner_application_of_before(p_owner);
        end if;
        return case when v_app = p_app then 'within' else 'beyond' end;
      end $$`);
  }

  /** Binds an owner to `p_app`, unless the owner is already bound. Returns the application that is now bound. */
  private binding(): void {
    this.addSql(`
      create function owner_bind(p_owner text, p_app text) returns text language plpgsql as $$
      begin
        insert into owner_applications (owner_id, app_id) values (p_owner, p_app) on conflict do nothing;
        return (select app_id from owner_applications where owner_id = p_owner);
      end $$`);
  }

  /** The application whose key stored a PII record, according to the audit log; null if there is none. */
  private vaultRecords(): void {
    this.addSql(`
      create function vault_record_application(p_ref text) returns text language sql stable as $$
        select (select k.app_id from api_keys k where k.key_id = e.actor)
          from audit_events e
         where e.subject = p_ref and e.kind = 'vault.stored' order by e.subject_seq limit 1
      $$`);
  }
}
