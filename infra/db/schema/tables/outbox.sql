-- Autovacuum takes growing tables often: statistics choose between indexes, and dead rows slow look-ups down.

create table outbox_messages (
  message_id bigserial primary key,
  kind text not null,
  workflow_id text not null,
  payload jsonb not null,
  attempts int not null default 0,
  available_at timestamptz(3) not null,
  created_at timestamptz(3) not null
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index outbox_messages_available on outbox_messages (available_at);
