create or replace trigger mail_notifies after insert on mail_messages for each statement execute function mail_notifies();
