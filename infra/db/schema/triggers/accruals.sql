create or replace trigger accruals_append_only before update or delete or truncate on accruals
  for each statement execute function refuse_change();

create or replace trigger accruals_follow after insert on accruals
  referencing new table as posted for each statement execute function accruals_follow();
