-- Autovacuum takes growing tables often: statistics choose between indexes, and dead rows slow look-ups down.

create table users (
  user_id text primary key,
  email_ref text not null,
  email_index text not null,
  password_hash text,
  created_at timestamptz(3) not null,
  email_verified_at timestamptz(3),
  disabled_at timestamptz(3),
  constraint users_email_index_unique unique (email_index)
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index users_email_ref on users (email_ref);

create table applications (
  app_id text primary key,
  name text not null,
  created_at timestamptz(3) not null,
  owner_prefix text
);

create table owner_applications (
  owner_id text primary key,
  app_id text,
  bound_at timestamptz(3) not null default current_timestamp(3)
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index owner_applications_app on owner_applications (app_id);

-- `per_minute` is the key's own limit of requests; null means the limit of the deployment. `disabled_at`: since a backup was
-- restored, until an operator confirms the key. `mac` protects what the key may do.
-- A lineage is that of its first key, so that no row can give another application's payments to a lineage.
create table api_keys (
  key_id text primary key,
  app_id text not null,
  lineage text not null,
  secret_hash text not null,
  scopes text[] not null,
  environment text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  income_per_owner bigint,
  income_per_month bigint,
  per_minute int,
  name text,
  last_used_at timestamptz(3),
  disabled_at timestamptz(3),
  mac text not null,
  mac_version int not null,
  constraint api_keys_secret_hash_unique unique (secret_hash),
  constraint api_keys_application_unique unique (key_id, app_id),
  constraint api_keys_lineage_fk foreign key (lineage, app_id) references api_keys (key_id, app_id),
  constraint api_keys_id check (starts_with(key_id, 'key_'))
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index api_keys_app on api_keys (app_id);
create index api_keys_lineage on api_keys (lineage);

create table oauth_clients (
  client_id text primary key,
  app_id text not null,
  name text not null,
  redirect_uris text[] not null,
  scopes text[] not null,
  secret_hash text,
  created_at timestamptz(3) not null,
  origins text[] not null default '{}',
  removed_at timestamptz(3)
);
create index oauth_clients_app on oauth_clients (app_id);

create table consents (
  user_id text not null,
  client_id text not null,
  scopes text[] not null,
  granted_at timestamptz(3) not null,
  primary key (user_id, client_id)
);

create table sessions (
  session_hash text primary key,
  user_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  signed_in_with text not null
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index sessions_expires on sessions (expires_at);
create index sessions_user on sessions (user_id);

create table authorization_codes (
  code_hash text primary key,
  client_id text not null,
  user_id text not null,
  redirect_uri text not null,
  scopes text[] not null,
  code_challenge text,
  family_id text,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  session_hash text
);
create index authorization_codes_expires on authorization_codes (expires_at);

create table token_families (
  family_id text primary key,
  user_id text not null,
  client_id text,
  scopes text[] not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  ended_reason text,
  session_hash text,
  signed_in_with text
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index token_families_ended on token_families (ended_at) where ended_at is not null;
create index token_families_expires on token_families (expires_at);
create index token_families_session on token_families (session_hash);
create index token_families_user on token_families (user_id);

create table access_tokens (
  token_hash text primary key,
  family_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  scopes text[]
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index access_tokens_family on access_tokens (family_id);

create table refresh_tokens (
  token_hash text primary key,
  family_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  rotated_at timestamptz(3),
  successor_sealed text
) with (
  autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1
);
create index refresh_tokens_family on refresh_tokens (family_id);

create table password_resets (
  token_hash text primary key,
  user_id text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index password_resets_expires on password_resets (expires_at);
create index password_resets_user on password_resets (user_id);
