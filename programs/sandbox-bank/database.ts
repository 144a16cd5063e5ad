import { DatabaseSync } from 'node:sqlite';

/** How long a statement waits for another process that uses the file. */
const BUSY_MS = 5_000;

/** Raise it when a table changes. */
const VERSION = 3;

// The table `steps` holds planned changes with their due times, because timers do not survive a restart.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS authorizations (
    model TEXT NOT NULL, id TEXT NOT NULL, payload TEXT NOT NULL, expires_ms INTEGER, grant_id TEXT, uid TEXT,
    PRIMARY KEY (model, id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS authorizations_by_grant ON authorizations (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS authorizations_by_uid ON authorizations (uid) WHERE uid IS NOT NULL;
  CREATE INDEX IF NOT EXISTS authorizations_by_expiry ON authorizations (expires_ms) WHERE expires_ms IS NOT NULL;
  CREATE TABLE IF NOT EXISTS customers (
    number INTEGER PRIMARY KEY, owner_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS accounts (
    id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, kind TEXT NOT NULL, currency TEXT NOT NULL, sort_code TEXT NOT NULL,
    account_number TEXT NOT NULL, balance INTEGER NOT NULL, credit_line INTEGER NOT NULL, opened_at TEXT NOT NULL,
    closed_at TEXT, UNIQUE (owner_id, kind)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS transactions (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, account_id TEXT NOT NULL, amount INTEGER NOT NULL,
    booked_at TEXT NOT NULL, reference TEXT, party_name TEXT, party_account TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS transactions_by_account ON transactions (account_id, seq);
  CREATE TABLE IF NOT EXISTS consents (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, client_id TEXT NOT NULL, request TEXT NOT NULL,
    status TEXT NOT NULL, owner_id TEXT, grant_id TEXT, account_ids TEXT NOT NULL DEFAULT '[]', valid_to TEXT,
    created_at TEXT NOT NULL, changed_at TEXT NOT NULL, ended_at TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS consents_by_owner ON consents (owner_id, seq);
  CREATE INDEX IF NOT EXISTS consents_by_grant ON consents (grant_id) WHERE grant_id IS NOT NULL;
  CREATE TABLE IF NOT EXISTS calls (
    seq INTEGER PRIMARY KEY, owner_id TEXT, api TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL,
    status INTEGER NOT NULL, attended INTEGER NOT NULL, at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS submissions (
    idempotency_key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, bank_payment_id TEXT, made_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY, payment_id TEXT NOT NULL, attempt INTEGER NOT NULL, account TEXT NOT NULL, amount INTEGER NOT NULL,
    request TEXT NOT NULL, status TEXT NOT NULL, reason_code TEXT, reason_detail TEXT,
    created_at TEXT NOT NULL, changed_at TEXT NOT NULL, consent_id TEXT, paid_from TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS payments_by_payment ON payments (payment_id);
  CREATE INDEX IF NOT EXISTS payments_by_consent ON payments (consent_id, created_at) WHERE consent_id IS NOT NULL;
  CREATE TABLE IF NOT EXISTS steps (
    seq INTEGER PRIMARY KEY, bank_payment_id TEXT NOT NULL, due_ms INTEGER NOT NULL, to_status TEXT NOT NULL,
    reason_code TEXT, reason_detail TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS steps_by_due ON steps (due_ms);
  CREATE TABLE IF NOT EXISTS outages (payment_id TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS movements (
    seq INTEGER PRIMARY KEY, payment_id TEXT NOT NULL, attempt INTEGER NOT NULL, account TEXT NOT NULL,
    amount INTEGER NOT NULL, direction TEXT NOT NULL, at TEXT NOT NULL, consent_id TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS movements_by_payment ON movements (payment_id);
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, resource TEXT NOT NULL,
    resource_id TEXT NOT NULL, at TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_open ON events (seq) WHERE done = 0;
  CREATE TABLE IF NOT EXISTS truelayer_consents (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner_id TEXT NOT NULL, grant_id TEXT NOT NULL UNIQUE,
    account_ids TEXT NOT NULL, ids_from TEXT NOT NULL, provider_id TEXT NOT NULL, redeemed INTEGER NOT NULL DEFAULT 0,
    authorized_ms INTEGER NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, ended_at TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS truelayer_consents_by_owner ON truelayer_consents (owner_id, seq);
  CREATE TABLE IF NOT EXISTS truelayer_switches (
    owner_id TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, count INTEGER NOT NULL, since TEXT NOT NULL,
    PRIMARY KEY (owner_id, name)
  ) STRICT;
`;

export interface Database {
  /** Once a statement has returned, its changes survive a power cut. */
  sql: DatabaseSync;
  /** Its changes survive the end of the process, but perhaps not a power cut. */
  quick: DatabaseSync;
  /** Runs in the open transaction if there is one. */
  atomically<T>(work: () => T): T;
  close(): void;
}

export function openDatabase(file: string): Database {
  const sql = open(file, 'FULL');
  requireVersion(sql, file);
  sql.exec(SCHEMA);
  sql.exec(`PRAGMA user_version = ${VERSION}`);
  const quick = open(file, 'NORMAL');
  return {
    sql,
    quick,
    atomically(work) {
      if (sql.isTransaction) return work();
      sql.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        sql.exec('COMMIT');
        return result;
      } catch (error) {
        sql.exec('ROLLBACK');
        throw error;
      }
    },
    close() {
      quick.close();
      sql.close();
    },
  };
}

function open(file: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSync {
  const sql = new DatabaseSync(file, { timeout: BUSY_MS });
  sql.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`);
  return sql;
}

function requireVersion(sql: DatabaseSync, file: string): void {
  const { user_version: version } = sql.prepare('PRAGMA user_version').get() as { user_version: number };
  const isEmpty = sql.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (isEmpty || version === VERSION) return;
  throw new Error(`${file} is from a different version of the sandbox bank. Move the file away, and start again.`);
}
