create or replace trigger outbox_notifies after insert on outbox_messages
  for each statement execute function outbox_notifies();
