create or replace trigger mail_tells after insert on mail_messages for each statement execute function mail_tells();
