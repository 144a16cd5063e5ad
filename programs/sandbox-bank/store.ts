import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { sandboxPayeeAt } from '../../domain/sandbox-payees.ts';
import { record } from '../../infra/bank/obie-4.0/json.ts';
import type { Accounts } from './accounts.ts';
import type { Course, Memory } from './behaviour.ts';
import type { BankClock } from './clock.ts';
import type { Database } from './database.ts';
import type { EventStore } from './event-store.ts';
import { referenceOf, type Instruction } from './instruction.ts';

export interface Submission extends Instruction {
  idempotencyKey: string;
  bodyHash: string;
  /** Null for the house account. */
  payerConsentId: string | null;
  /** The customer's account. Null unless a customer chose one. */
  paidFrom: string | null;
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
  /** Null for the house account. */
  consent_id: string | null;
}

/** Forgotten after this time, as the standard says. */
const KEYS_LIVE_MS = 24 * 3_600_000;

export type BankStore = ReturnType<typeof openStore>;

interface Books {
  accounts: Accounts;
  events: EventStore;
  clock: BankClock;
}

/** Once a method has returned, its changes survive a power cut. */
export function openStore(db: Database, books: Books) {
  const sql = prepare(db.sql);
  const { atomically } = db;
  const applyDue = dueStepsOf(sql, books);

  return {
    /** `bankPaymentId` is null if the bank refused the instruction. */
    submissionOf(key: string): { bodyHash: string; bankPaymentId: string | null } | undefined {
      return sql.submission.get(key, Date.now() - KEYS_LIVE_MS) as ReturnType<typeof this.submissionOf>;
    },
    memoryOf(paymentId: string): Memory {
      return sql.memory.get(paymentId, paymentId) as unknown as Memory;
    },
    noteUnavailable(paymentId: string): void {
      sql.outage.run(paymentId);
    },
    /** `madeId` is the id of what the key made. */
    noteKey(key: string, bodyHash: string, madeId: string): void {
      sql.addSubmission.run(key, bodyHash, madeId, Date.now());
    },
    noteRefused({ idempotencyKey, bodyHash }: Submission): void {
      sql.addSubmission.run(idempotencyKey, bodyHash, null, Date.now());
    },
    /** Also runs the steps that are already due. Returns the bank's id for the payment. */
    take(submission: Submission, course: Course, nowMs: number): string {
      const { paymentId, attempt, amount, request, payerConsentId, paidFrom, idempotencyKey, bodyHash } = submission;
      const account = `${submission.account.sortCode}${submission.account.accountNumber}`;
      const id = `vrp-${randomUUID()}`;
      const at = new Date(nowMs + books.clock.offsetMs()).toISOString();
      const made = [id, paymentId, attempt, account, amount, request, course.startsAs, at, at] as const;
      atomically(() => {
        sql.addSubmission.run(idempotencyKey, bodyHash, id, nowMs);
        sql.addPayment.run(...made, payerConsentId, paidFrom);
        for (const { afterMs, to, reason } of course.steps) {
          sql.addStep.run(id, nowMs + afterMs, to, reason?.code ?? null, reason?.detail ?? null);
        }
        // A status that the response reports creates no event. If the response is lost, each status creates one.
        applyDue(nowMs, course.losesReply ? null : id);
      });
      return id;
    },
    payment: (id: string) => sql.payment.get(id) as unknown as StoredPayment | undefined,
    /** Runs the due steps, and returns their number. */
    advance: (nowMs: number): number => atomically(() => applyDue(nowMs)),
    nextDueMs(): number | null {
      return (sql.nextDue.get() as { due_ms: number | null }).due_ms;
    },
    /** Oldest first. Null means all payments. */
    movements(paymentId: string | null): Movement[] {
      return (sql.movements.all(paymentId, paymentId) as unknown as StoredMovement[]).map(movementOf);
    },
    /** In pence: what the consent has paid or will pay since that time. */
    paidBy(consentId: string, since: string): number {
      return (sql.paidBy.get(consentId, since) as { paid: number }).paid;
    },
  };
}

type StoredMovement = Omit<Movement, 'provider_id'>;

function movementOf({ payment_id, attempt, account, ...moved }: StoredMovement): Movement {
  const provider_id = sandboxPayeeAt(account.slice(0, 6), account.slice(6))?.providerId ?? null;
  return { payment_id, attempt, provider_id, account, ...moved };
}

/** Runs in a transaction, so that the status, the movements and the event of a step are stored together. */
function dueStepsOf(sql: ReturnType<typeof prepare>, { accounts, events, clock }: Books) {
  return (nowMs: number, answering: string | null = null): number => {
    const due = sql.dueSteps.all(nowMs) as unknown as DueStep[];
    const at = new Date(nowMs + clock.offsetMs()).toISOString();
    for (const step of due) {
      const id = step.bank_payment_id;
      const returned = step.to_status === 'returned';
      sql.changePayment.run(returned ? null : step.to_status, step.reason_code, step.reason_detail, at, id);
      if (returned || step.to_status === 'ACCC') {
        sql.move.run(returned ? 'returned' : 'out', at, id);
        const paid = sql.paid.get(id) as unknown as Paid;
        if (paid.paidFrom !== null) accounts.book({ ...bookingOf(paid, returned), bookedAt: at });
      }
      if (id !== answering) events.add('resource-update', 'domestic-vrp', id);
      sql.dropStep.run(step.seq);
    }
    return due.length;
  };
}

interface Paid {
  paidFrom: string | null;
  account: string;
  amount: number;
  request: string;
}

function bookingOf({ paidFrom, account, amount, request }: Paid, returned: boolean) {
  const { Data } = JSON.parse(request) as { Data: { Instruction: Record<string, unknown> } };
  const { Name: payee } = record(Data.Instruction['CreditorAccount']);
  return {
    accountId: paidFrom!,
    amount: returned ? amount : -amount,
    reference: referenceOf(Data.Instruction),
    partyName: typeof payee === 'string' ? payee : null,
    partyAccount: account,
  };
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
      WHERE idempotency_key = ? AND made_ms > ?`),
    addSubmission: db.prepare(`INSERT INTO submissions VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      body_hash = excluded.body_hash, bank_payment_id = excluded.bank_payment_id, made_ms = excluded.made_ms`),
    memory: db.prepare(`SELECT
      coalesce((SELECT times FROM outages WHERE payment_id = ?), 0) AS timesUnavailable,
      (SELECT count(*) FROM payments WHERE payment_id = ?) AS earlierAttempts`),
    outage: db.prepare('INSERT INTO outages VALUES (?, 1) ON CONFLICT DO UPDATE SET times = times + 1'),
    addPayment: db.prepare('INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?, ?, ?, ?)'),
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
      SELECT NULL, payment_id, attempt, account, amount, ?, ?, consent_id FROM payments WHERE id = ?`),
    movements: db.prepare(`SELECT payment_id, attempt, account, amount, direction, at, consent_id FROM movements
      WHERE ? IS NULL OR payment_id = ? ORDER BY seq`),
    paid: db.prepare('SELECT paid_from AS paidFrom, account, amount, request FROM payments WHERE id = ?'),
    paidBy: db.prepare(`SELECT coalesce(sum(amount), 0) AS paid FROM payments
      WHERE consent_id = ? AND created_at >= ? AND status NOT IN ('RJCT', 'BLCK')`),
  };
}
