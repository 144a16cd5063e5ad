-- Finds the application of an audit event's subject, by the form of its id; null if no application owns it. Subjects of
-- the service itself belong to no application, even if an owner has such an id.
create or replace function audit_subject_application(p_subject text) returns text language plpgsql stable as $$
declare
  v_owner text;
begin
  case
    when p_subject like 'key\_%' then
      return (select app_id from api_keys where key_id = p_subject);
    when p_subject like 'app\_%' then
      return (select app_id from applications where app_id = p_subject);
    when p_subject like 'client\_%' then
      return (select app_id from oauth_clients where client_id = p_subject);
    when p_subject like 'prov\_%' then
      return (select a.app_id from payees p join applications a on a.app_id = p.held_by
               where p.provider_id = p_subject);
    when p_subject like 'vault:%' then
      return (select app_id from vault_records where vault_ref = p_subject);
    when p_subject like 'pay\_%' then
      select owner_id into v_owner from payments where payment_id = p_subject;
    when p_subject like 'doc\_%' then
      select owner_id into v_owner from documents where doc_id = p_subject;
    when p_subject like 'vlt\_%' then
      select owner_id into v_owner from vaults where vault_id = p_subject;
    when p_subject like 'plan\_%' then
      select owner_id into v_owner from debt_plans where plan_id = p_subject;
    when p_subject like 'conn\_%' then
      select owner_id into v_owner from bank_connections where connection_id = p_subject;
    when p_subject like 'wage\_%' then
      select owner_id into v_owner from bank_wages where wage_id = p_subject;
    when p_subject like 'cred\_%' then
      select owner_id into v_owner from credentials where credential_id = p_subject;
    when p_subject in ('vault', 'master-key', 'credential-key', 'business-clock', 'house-account')
      or p_subject ~ '^(usr|calc|alloc|accr|chk|evt|dpay|ent|fam|cons|jrn|inv|mov|sip|tra|wdr)_'
      or p_subject like 'sign-in:%' then
      return null;
    else
      v_owner := p_subject;
  end case;
  return (select application_of_owner(o.owner_id) from (select v_owner as owner_id) o where owner_has_records(v_owner)
             or exists (select from owner_applications a where a.owner_id = v_owner));
end $$;
