create or replace trigger deployment_stays before delete or truncate or update of environment on deployment
  for each statement execute function deployment_stays();
