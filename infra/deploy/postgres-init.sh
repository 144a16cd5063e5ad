#!/bin/sh
# Runs once, when PostgreSQL creates its data directory. The role ringfence owns the service's schema and runs migrations.
# The service runs as ringfence_service, whose rights migrations grant. The owner may end connections of the service.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set ringfence_password="$(cat /run/secrets/ringfence-password)" \
  --set service_password="$(cat /run/secrets/ringfence-service-password)" \
  --set temporal_password="$(cat /run/secrets/temporal-password)" <<'SQL'
create role ringfence login password :'ringfence_password';
create role ringfence_service login password :'service_password';
grant ringfence_service to ringfence;
create database ringfence owner ringfence;
create role temporal login password :'temporal_password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect on database ringfence, temporal, temporal_visibility from public;
SQL
