import { DatabaseSync } from 'node:sqlite';

// The table `steps` holds planned changes with their due times, because timers do not survive a restart.
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS submissions (
    idempotency_key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, bank_payment_id TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY, payment_id TEXT NOT NULL, attempt INTEGER NOT NULL, provider_id TEXT, amount INTEGER NOT NULL,
    request TEXT NOT NULL, status TEXT NOT NULL, reason_code TEXT, reason_detail TEXT,
    created_at TEXT NOT NULL, changed_at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS payments_by_payment ON payments (payment_id);
  CREATE TABLE IF NOT EXISTS steps (
    seq INTEGER PRIMARY KEY, bank_payment_id TEXT NOT NULL, due_ms INTEGER NOT NULL, to_status TEXT NOT NULL,
    reason_code TEXT, reason_detail TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS steps_by_due ON steps (due_ms);
  CREATE TABLE IF NOT EXISTS outages (payment_id TEXT PRIMARY KEY, times INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS movements (
    seq INTEGER PRIMARY KEY, payment_id TEXT NOT NULL, attempt INTEGER NOT NULL, provider_id TEXT,
    amount INTEGER NOT NULL, direction TEXT NOT NULL, at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS movements_by_payment ON movements (payment_id);
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bank_payment_id TEXT NOT NULL, at TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_open ON events (seq) WHERE done = 0;
`;

export function openDatabase(file: string) {
  const db = new DatabaseSync(file);
  db.exec(SCHEMA);
  return { db, sql: prepare(db) };
}

export type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  return {
    submission: db.prepare(`SELECT body_hash AS bodyHash, bank_payment_id AS bankPaymentId FROM submissions
      WHERE idempotency_key = ?`),
    addSubmission: db.prepare('INSERT INTO submissions VALUES (?, ?, ?) ON CONFLICT DO NOTHING'),
    memory: db.prepare(`SELECT
      coalesce((SELECT times FROM outages WHERE payment_id = ?), 0) AS timesUnavailable,
      (SELECT count(*) FROM payments WHERE payment_id = ?) AS earlierAttempts`),
    outage: db.prepare('INSERT INTO outages VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1'),
    addPayment: db.prepare('INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?)'),
    payment: db.prepare(`SELECT id, request, status, reason_code AS reasonCode, reason_detail AS reasonDetail,
      created_at AS createdAt, changed_at AS changedAt FROM payments WHERE id = ?`),
    changePayment: db.prepare(
      'UPDATE payments SET status = coalesce(?, status), reason_code = ?, reason_detail = ?, changed_at = ? WHERE id = ?',
    ),
    addStep: db.prepare('INSERT INTO steps VALUES (NULL, ?, ?, ?, ?, ?)'),
    dropStep: db.prepare('DELETE FROM steps WHERE seq = ?'),
    dueSteps: db.prepare('SELECT * FROM steps WHERE due_ms <= ? ORDER BY due_ms, seq'),
    nextDue: db.prepare('SELECT min(due_ms) AS due_ms FROM steps'),
    move: db.prepare(`INSERT INTO movements
      SELECT NULL, payment_id, attempt, provider_id, amount, ?, ? FROM payments WHERE id = ?`),
    movements: db.prepare(`SELECT payment_id, attempt, provider_id, amount, direction, at FROM movements
      WHERE ? IS NULL OR payment_id = ? ORDER BY seq`),
    tell: db.prepare('INSERT INTO events (id, bank_payment_id, at) VALUES (?, ?, ?)'),
    openEvents: db.prepare(`SELECT id AS eventId, bank_payment_id AS bankPaymentId, at FROM events
      WHERE done = 0 ORDER BY seq LIMIT ?`),
    acknowledge: db.prepare('UPDATE events SET done = 1 WHERE id = ?'),
  };
}
