import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { sandboxPayeeAt } from '../../domain/sandbox-payees.ts';
import type { Course, Memory } from './behaviour.ts';
import type { Instruction } from './instruction.ts';

export interface Submission extends Instruction {
  idempotencyKey: string;
  bodyHash: string;
}

export interface StoredPayment {
  id: string;
  request: string;
  status: string;
  /** Null, like `reasonDetail`, unless the bank rejected, blocked or returned the payment. */
  reasonCode: string | null;
  reasonDetail: string | null;
  createdAt: string;
  changedAt: string;
}

export interface Movement {
  payment_id: string;
  attempt: number;
  /** Null unless the account is a sandbox payee's. */
  provider_id: string | null;
  /** The payee's sort code and account number, 14 digits. */
  account: string;
  amount: number;
  direction: 'out' | 'returned';
  at: string;
}

export interface StoredEvent {
  eventId: string;
  bankPaymentId: string;
  at: string;
}

// The table `steps` holds planned changes with their due times, because timers do not survive a restart.
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS submissions (
    idempotency_key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, bank_payment_id TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS payments (
    id TEXT PRIMARY KEY, payment_id TEXT NOT NULL, attempt INTEGER NOT NULL, account TEXT NOT NULL, amount INTEGER NOT NULL,
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
    seq INTEGER PRIMARY KEY, payment_id TEXT NOT NULL, attempt INTEGER NOT NULL, account TEXT NOT NULL,
    amount INTEGER NOT NULL, direction TEXT NOT NULL, at TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS movements_by_payment ON movements (payment_id);
  CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, bank_payment_id TEXT NOT NULL, at TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX IF NOT EXISTS events_open ON events (seq) WHERE done = 0;
`;

export type BankStore = ReturnType<typeof openStore>;

/** Once a method has returned, its changes survive a crash. */
export function openStore(file: string) {
  const db = new DatabaseSync(file);
  db.exec(SCHEMA);
  const sql = prepare(db);

  function atomically<T>(work: () => T): T {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }

  return {
    /** `bankPaymentId` is null if the bank refused the instruction. */
    submissionOf: (key: string) =>
      sql.submission.get(key) as { bodyHash: string; bankPaymentId: string | null } | undefined,
    memoryOf(paymentId: string): Memory {
      return sql.memory.get(paymentId, paymentId) as unknown as Memory;
    },
    noteUnavailable(paymentId: string): void {
      sql.outage.run(paymentId);
    },
    noteRefused({ idempotencyKey, bodyHash }: Submission): void {
      sql.addSubmission.run(idempotencyKey, bodyHash, null);
    },
    /** Also runs the steps that are already due. Returns the bank's id for the payment. */
    take(submission: Submission, course: Course, nowMs: number): string {
      const { paymentId, attempt, amount, request } = submission;
      const { sortCode, accountNumber } = submission.account;
      const id = `vrp-${randomUUID()}`;
      const at = new Date(nowMs).toISOString();
      atomically(() => {
        sql.addSubmission.run(submission.idempotencyKey, submission.bodyHash, id);
        sql.addPayment.run(
          id,
          paymentId,
          attempt,
          `${sortCode}${accountNumber}`,
          amount,
          request,
          course.startsAs,
          at,
          at,
        );
        for (const { afterMs, to, reason } of course.steps) {
          sql.addStep.run(id, nowMs + afterMs, to, reason?.code ?? null, reason?.detail ?? null);
        }
        // A status that the response reports creates no event. If the response is lost, each status creates one.
        applyDue(sql, nowMs, course.losesReply ? null : id);
      });
      return id;
    },
    payment: (id: string) => sql.payment.get(id) as StoredPayment | undefined,
    /** Runs the due steps, and returns their number. */
    advance: (nowMs: number): number => atomically(() => applyDue(sql, nowMs)),
    nextDueMs(): number | null {
      return (sql.nextDue.get() as { due_ms: number | null }).due_ms;
    },
    /** Oldest first. Null means all payments. */
    movements(paymentId: string | null): Movement[] {
      return (sql.movements.all(paymentId, paymentId) as unknown as StoredMovement[]).map(movementOf);
    },
    /** Oldest first. */
    openEvents(limit: number): StoredEvent[] {
      return sql.openEvents.all(limit) as unknown as StoredEvent[];
    },
    acknowledge(eventIds: readonly string[]): void {
      if (eventIds.length > 0) atomically(() => eventIds.forEach((id) => sql.acknowledge.run(id)));
    },
    close: () => db.close(),
  };
}

type StoredMovement = Omit<Movement, 'provider_id'>;

function movementOf({ payment_id, attempt, account, ...moved }: StoredMovement): Movement {
  const provider_id = sandboxPayeeAt(account.slice(0, 6), account.slice(6))?.providerId ?? null;
  return { payment_id, attempt, provider_id, account, ...moved };
}

// Call this in a transaction, so that the status, movement and event of a step are stored together.
function applyDue(sql: ReturnType<typeof prepare>, nowMs: number, answering: string | null = null): number {
  const due = sql.dueSteps.all(nowMs) as unknown as DueStep[];
  for (const step of due) {
    const at = new Date(nowMs).toISOString();
    const returned = step.to_status === 'returned';
    const status = returned ? null : step.to_status;
    sql.changePayment.run(status, step.reason_code, step.reason_detail, at, step.bank_payment_id);
    if (returned || step.to_status === 'ACCC') sql.move.run(returned ? 'returned' : 'out', at, step.bank_payment_id);
    if (step.bank_payment_id !== answering) sql.addEvent.run(randomUUID(), step.bank_payment_id, at);
    sql.dropStep.run(step.seq);
  }
  return due.length;
}

interface DueStep {
  seq: number;
  bank_payment_id: string;
  to_status: string;
  reason_code: string | null;
  reason_detail: string | null;
}

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
      SELECT NULL, payment_id, attempt, account, amount, ?, ? FROM payments WHERE id = ?`),
    movements: db.prepare(`SELECT payment_id, attempt, account, amount, direction, at FROM movements
      WHERE ? IS NULL OR payment_id = ? ORDER BY seq`),
    addEvent: db.prepare('INSERT INTO events (id, bank_payment_id, at) VALUES (?, ?, ?)'),
    openEvents: db.prepare(`SELECT id AS eventId, bank_payment_id AS bankPaymentId, at FROM events
      WHERE done = 0 ORDER BY seq LIMIT ?`),
    acknowledge: db.prepare('UPDATE events SET done = 1 WHERE id = ?'),
  };
}
