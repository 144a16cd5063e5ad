-- `identity` tells databases apart: a restored database keeps it, and a new one gets another.
-- `stack_id` names the `npm start` stack that created the database; it is null in other databases.
create table deployment (
  deployment_id text primary key,
  environment text not null,
  made_at timestamptz(3) not null,
  identity text not null default gen_random_uuid()::text,
  stack_id text,
  constraint deployment_environment check (environment in ('sandbox', 'production')),
  constraint deployment_one check (deployment_id = 'this')
);

-- The text of each migration, function and trigger that was applied. The row with the latest `applied_at` is in force.
create table schema_files (
  name text not null,
  checksum text not null,
  applied_at timestamptz(3) not null,
  primary key (name, checksum)
);
