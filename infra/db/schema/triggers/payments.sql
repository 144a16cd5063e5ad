create or replace trigger payment_moves_forward before update on payments
  for each row execute function payment_moves_forward();

create or replace trigger payment_notifies after update on payments for each row execute function payment_notifies();
