-- The application whose key stored a PII record, according to the audit log; null if there is none.
create or replace function vault_record_application(p_ref text) returns text language sql stable as $$
  select (select k.app_id from api_keys k where k.key_id = e.actor)
    from audit_events e
   where e.subject = p_ref and e.kind = 'vault.stored' order by e.subject_seq limit 1
$$;
