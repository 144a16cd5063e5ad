#!/bin/sh
# Runs once, when PostgreSQL's data directory is made: a role and databases each for the service and for Temporal.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set ringfence_password="$(cat /run/secrets/ringfence-password)" \
  --set temporal_password="$(cat /run/secrets/temporal-password)" <<'SQL'
create role ringfence login password :'ringfence_password';
create database ringfence owner ringfence;
create role temporal login password :'temporal_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect on database ringfence, temporal, temporal_visibility from public;
SQL
