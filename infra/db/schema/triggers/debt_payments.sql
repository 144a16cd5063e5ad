create or replace trigger debt_payments_append_only before update or delete or truncate on debt_payments
  for each statement execute function refuse_change();
