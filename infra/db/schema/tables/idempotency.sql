-- Autovacuum takes growing tables often: statistics choose between indexes, and dead rows slow look-ups down.

create table idempotency_records (
  caller text not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  status int not null,
  headers jsonb not null,
  body text,
  finished boolean not null default true,
  created_at timestamptz(3) not null,
  primary key (caller, operation, key)
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index idempotency_records_created on idempotency_records (created_at);
