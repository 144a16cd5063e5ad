create or replace trigger restore_notifies after insert or update or delete on restores
  for each statement execute function restore_notifies();
