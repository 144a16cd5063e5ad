create or replace trigger payee_stays_removed before update of removed_at on payees
  for each row when (old.removed_at is not null and new.removed_at is distinct from old.removed_at)
  execute function stays('removed_at');

-- A payee that was the person's own account, or vouched for, cannot become one of before.
create or replace trigger payee_stays_own before update of own_account_of on payees
  for each row when (old.own_account_of is not null and new.own_account_of is null) execute function stays('own_account_of');

create or replace trigger payee_stays_vouched_for before update of vouched_by on payees
  for each row when (old.vouched_by is not null and new.vouched_by is distinct from old.vouched_by)
  execute function stays('vouched_by');

create or replace trigger payee_stays before update of provider_id, held_by, category, account_fingerprint, created_at on payees
  for each statement execute function stays('provider_id');
