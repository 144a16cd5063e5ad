create or replace trigger calculations_append_only before update or delete or truncate on calculations
  for each statement execute function refuse_change();
