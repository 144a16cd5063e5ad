create or replace function document_moves_forward() returns trigger language plpgsql as $$
begin
  if new.status <> old.status then
    if old.status = 'erased' or new.status = 'processing' or (old.status <> 'processing' and new.status <> 'erased') then
      raise exception 'document % cannot go from % to %', new.doc_id, old.status, new.status
        using errcode = 'integrity_constraint_violation';
    end if;
    if new.status = 'erased' and exists (select from document_originals o where o.doc_id = new.doc_id) then
      raise exception 'the original of document % is still there', new.doc_id
        using errcode = 'integrity_constraint_violation';
    end if;
    new.version := old.version + 1;
  end if;
  return new;
end $$;
