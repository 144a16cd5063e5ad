create or replace trigger outbox_tells after insert on outbox_messages
  for each statement execute function outbox_tells();
