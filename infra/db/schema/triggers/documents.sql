create or replace trigger document_moves_forward before update on documents
  for each row execute function document_moves_forward();

create or replace trigger document_notifies after update on documents
  for each row when (new.status <> old.status) execute function document_notifies();
