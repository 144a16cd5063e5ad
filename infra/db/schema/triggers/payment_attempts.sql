create or replace trigger payment_attempt_stays
  before update of payment_id, attempt, bank_id, requested_by, client_id, family_id, created_at on payment_attempts
  for each statement execute function stays('requested_by');
