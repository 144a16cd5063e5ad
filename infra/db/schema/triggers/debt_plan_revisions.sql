create or replace trigger debt_plan_revisions_append_only before update or delete or truncate on debt_plan_revisions
  for each statement execute function refuse_change();
