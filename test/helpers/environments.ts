/** Nothing listens at this address. */
const NOWHERE = 'http://127.0.0.1:9';
const FILE = '/nowhere/file';

const all = (value: string, names: string) => Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** Libraries would read these variables by themselves. Some would prevent a start, or change where a part connects. */
export const OF_LIBRARIES: Readonly<Record<string, string>> = {
  ...all(NOWHERE, 'HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy grpc_proxy'),
  ...all('example.org', 'NO_PROXY no_proxy'),
  ...all(FILE, 'PGSERVICEFILE PGPASSFILE PGSSLROOTCERT PGSSLCERT PGSSLKEY PGDATA'),
  ...all(FILE, 'TEMPORAL_CONFIG_FILE TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
  ...all('other', 'PGDATABASE PGSERVICE PGAPPNAME MIKRO_ORM_SCHEMA MIKRO_ORM_MIGRATIONS_TABLE_NAME TEMPORAL_PROFILE'),
  ...all('1', 'PGPORT PGCONNECT_TIMEOUT PGBINARY PGCTLTIMEOUT NODE_PG_FORCE_NATIVE NODE_USE_ENV_PROXY'),
  ...all('1', 'TEMPORAL_DEBUG NAPI_RS_FORCE_WASI PISCINA_DISABLE_ATOMICS'),
  ...all('LATIN1', 'PGCLIENT_ENCODING PGCLIENTENCODING'),
  PGHOST: 'db.invalid',
  PGHOSTADDR: '192.0.2.1',
  PGUSER: 'nobody',
  PGPASSWORD: 'wrong',
  PGSSLMODE: 'verify-full',
  PGSSLNEGOTIATION: 'direct',
  PGOPTIONS: '-c search_path=other -c default_transaction_read_only=on',
  PGREPLICATION: 'database',
  PGTZ: 'Mars/Base',
  PGDATESTYLE: 'German',
  PGTARGETSESSIONATTRS: 'read-only',
  MIKRO_ORM_CLIENT_URL: 'postgresql://db.invalid/other',
  MIKRO_ORM_DEBUG: 'true',
  GRPC_VERBOSITY: 'DEBUG',
  GRPC_TRACE: 'all',
  DEBUG: '*',
};

/** Node and the system read these variables. A strange value must not prevent a start. */
export const OF_SYSTEM: Readonly<Record<string, string>> = {
  HOME: '/nowhere',
  TMPDIR: `/nowhere/${'long/'.repeat(30)}`,
  LANG: 'xx_YY.UTF-8',
  LC_ALL: 'xx_YY.UTF-8',
  TZ: 'Mars/Base',
  UV_THREADPOOL_SIZE: '1',
  NODE_EXTRA_CA_CERTS: FILE,
  NODE_TLS_REJECT_UNAUTHORIZED: '0',
  SSL_CERT_FILE: FILE,
  OPENSSL_CONF: FILE,
  OTEL_EXPORTER_OTLP_TIMEOUT: 'soon',
  OTEL_TRACES_SAMPLER: 'other',
  npm_config_registry: NOWHERE,
  npm_config_offline: 'true',
};
