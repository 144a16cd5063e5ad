-- Autovacuum takes growing tables often: statistics choose between indexes, and dead rows slow look-ups down.

-- Records that the service itself needs cannot be erased. Indexes of other tables find such records by reference.
create table vault_records (
  vault_ref text primary key,
  pii_type text not null,
  owner_id text not null,
  sealed text,
  key_version int not null,
  created_at timestamptz(3) not null,
  erased_at timestamptz(3),
  app_id text,
  constraint vault_records_erased check ((sealed is null) = (erased_at is not null))
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index vault_records_key_version on vault_records (key_version, vault_ref);
create index vault_records_owner on vault_records (owner_id);

create table sealed_secrets (
  name text primary key,
  sealed text not null,
  created_at timestamptz(3) not null
);
