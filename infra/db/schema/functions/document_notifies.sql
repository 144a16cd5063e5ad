create or replace function document_notifies() returns trigger language plpgsql as $$
begin
  perform pg_notify('changed', new.doc_id);
  return null;
end $$;
