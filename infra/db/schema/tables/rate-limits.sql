-- Autovacuum takes growing tables often: statistics choose between indexes, and dead rows slow look-ups down.

create table rate_limits (
  key varchar(255) primary key,
  points int not null,
  expire bigint
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index rate_limits_expire on rate_limits (expire);
