create or replace function audit_head_stays() returns trigger language plpgsql as $$
begin
  raise exception 'audit_heads moves on by an audit event only' using errcode = 'integrity_constraint_violation';
end $$;
