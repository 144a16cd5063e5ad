create or replace trigger audit_event_is_chained before insert on audit_events
  for each row execute function audit_event_is_chained();

create or replace trigger audit_events_append_only before update or delete or truncate on audit_events
  for each statement execute function refuse_change();
