create or replace trigger connection_moves_forward before update on bank_connections
  for each row execute function connection_moves_forward();

create or replace trigger connection_notifies after update on bank_connections
  for each row execute function connection_notifies();
