-- A rotation of the keys changes the MAC.
create or replace trigger calculations_append_only before delete or truncate or update of
    calculation_id, seq, owner_id, pay_date, number, revision, gross_income, locked_for_bills, locked_buffer, safe_to_spend,
    buffer_rate, obligations, calculated_at, payslip_doc_id, wage_id, income_evidence, calculated_by
  on calculations for each statement execute function refuse_change();
