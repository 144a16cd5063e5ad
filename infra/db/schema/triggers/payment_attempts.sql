create or replace trigger payment_attempt_stays
  before update of payment_id, attempt, bank_id, requested_by, client_id, family_id, created_at on payment_attempts
  for each statement execute function stays('requested_by');

-- What may have been sent cannot become unsent again.
create or replace trigger payment_attempt_stays_sent before update of sends on payment_attempts
  for each row when (new.sends < old.sends) execute function stays('sends');

create or replace trigger payment_attempt_stays_known before update of bank_payment_id on payment_attempts
  for each row when (old.bank_payment_id is not null and new.bank_payment_id is distinct from old.bank_payment_id)
  execute function stays('bank_payment_id');
