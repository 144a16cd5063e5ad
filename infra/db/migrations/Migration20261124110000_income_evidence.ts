import { Migration } from '@mikro-orm/migrations';

/** Records the evidence of each income. Keeps `paychecks_open`, because the previous version still calls it. */
export class Migration20261124110000_income_evidence extends Migration {
  override up(): void {
    this.addSql(`
      alter table calculations
        add column income_evidence text not null default 'stated',
        add column calculated_by text,
        add constraint calculations_income_evidence check (income_evidence in ('asserted', 'payslip', 'stated')) not valid`);
    this.limits();
    this.opening();
    this.evidence();
  }

  /** The monthly limits of asserted income, and the totals. The row with owner id '' is for all owners. */
  private limits(): void {
    this.addSql(`
      alter table api_keys
        add column income_per_owner bigint,
        add column income_per_month bigint`);
    this.addSql(`
      create table asserted_income (
        lineage text not null,
        month date not null,
        owner_id text not null,
        amount bigint not null,
        primary key (lineage, month, owner_id))`);
  }

  /**
   * Like `paychecks_open`, with three more facts:
   * - the income evidence of the newest revision,
   * - whether the document already counted for another pay date,
   * - whether interest was posted for a day since the first calculation of the paycheck.
   */
  private opening(): void {
    this.addSql(`
      create function paychecks_open_evidenced(
        p_waits boolean, p_owners text[], p_ats timestamptz[], p_pay_dates date[],
        p_documents text[],
        p_wanted_upto int[], p_wanted_by int[], p_vault_types text[], p_vault_labels text[]
      ) returns table (
        place int, buffer_rate text, safe_to_spend bigint, buffer bigint, received bigint,
        vault_ids jsonb, revision int, booked jsonb, income_evidence text, document_used boolean, has_earned boolean
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
                       join allocations l on l.allocation_id = o.booked ->> 'allocation_id'), '[]')) end,
                 c.income_evidence,
                 asked.document is not null and exists (
                   select from calculations used
                    where used.owner_id = asked.owner_id and used.payslip_doc_id = asked.document
                      and used.income_evidence = 'payslip' and used.pay_date <> asked.pay_date),
                 c.calculation_id is not null and exists (
                   select from calculations first
                     join vaults v on v.owner_id = first.owner_id
                     join accruals a on a.vault_id = v.vault_id
                    where first.owner_id = asked.owner_id and first.pay_date = asked.pay_date and first.revision = 1
                      and a.to_date > (first.calculated_at at time zone 'Europe/London')::date
                      and a.rate_millionths > 0 and a.balance_days > 0)
            from unnest(p_owners, p_pay_dates, p_documents) with ordinality as asked (owner_id, pay_date, document, place)
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
          return query select busy.place, null, 0::bigint, 0::bigint, 0::bigint, '[]'::jsonb, 0, null::jsonb, null, false, false
                         from unnest(v_places) as busy (place) where busy.place < 0;
        end if;
      end $$`);
  }

  /** How much income has evidence, and how much other payments have spent. The caller must have locked the owner. */
  private evidence(): void {
    this.addSql(`
      create function owner_evidence(p_owner text, p_payment text)
      returns table (evidenced bigint, spent bigint) language sql stable as $$
        with newest as (
          select distinct on (pay_date) gross_income, income_evidence from calculations
           where owner_id = p_owner order by pay_date, revision desc)
        select coalesce((select sum(gross_income) from newest where income_evidence = 'asserted'), 0)::bigint
                 + case when exists (select from newest where income_evidence <> 'asserted') then 0
                        else -owner_balance(p_owner, 'interest') end,
               coalesce((select sum(p.amount) from payments p
                          where p.owner_id = p_owner and p.payment_id is distinct from p_payment
                            and p.status in ('completed', 'processing', 'pending')), 0)::bigint
      $$`);
  }
}
