create or replace trigger audit_head_starts before insert on audit_heads
  for each row when (new.subject_seq <> 1) execute function audit_head_stays();

create or replace trigger audit_head_steps before update on audit_heads
  for each row when (new.subject <> old.subject or new.subject_seq <> old.subject_seq + 1)
  execute function audit_head_stays();

create or replace trigger audit_heads_stay before delete or truncate on audit_heads
  for each statement execute function audit_head_stays();
