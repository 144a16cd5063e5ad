create or replace trigger payment_events_append_only before update or delete or truncate on payment_events
  for each statement execute function refuse_change();
