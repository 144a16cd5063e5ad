create or replace trigger business_clock_goes_forward before update on business_clock
  for each row when (new.offset_ms <= old.offset_ms) execute function business_clock_goes_forward();

create or replace trigger business_clock_stays before delete or truncate on business_clock
  for each statement execute function business_clock_goes_forward();
