create or replace trigger affordability_checks_append_only before update or delete or truncate on affordability_checks
  for each statement execute function refuse_change();
