import { randomUUID } from 'node:crypto';
import type { Course, Memory } from './behaviour.ts';
import type { Instruction } from './instruction.ts';
import { openDatabase, type Statements } from './statements.ts';

export interface Submission extends Omit<Instruction, 'account'> {
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
  provider_id: string | null;
  amount: number;
  direction: 'out' | 'returned';
  at: string;
}

export interface StoredEvent {
  eventId: string;
  bankPaymentId: string;
  at: string;
}

export type BankStore = ReturnType<typeof openStore>;

/** Once a method has returned, its changes survive a crash. */
export function openStore(file: string) {
  const { db, sql } = openDatabase(file);

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
    submissionOf(key: string): { bodyHash: string; bankPaymentId: string | null } | null {
      return (sql.submission.get(key) as { bodyHash: string; bankPaymentId: string | null } | undefined) ?? null;
    },
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
      const { paymentId, attempt, providerId, amount, request } = submission;
      const id = `vrp-${randomUUID()}`;
      const at = new Date(nowMs).toISOString();
      atomically(() => {
        sql.addSubmission.run(submission.idempotencyKey, submission.bodyHash, id);
        sql.addPayment.run(id, paymentId, attempt, providerId, amount, request, course.startsAs, at, at);
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
      return sql.movements.all(paymentId, paymentId) as unknown as Movement[];
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

// Call this in a transaction, so that the status, movement and event of a step are stored together.
function applyDue(sql: Statements, nowMs: number, answering: string | null = null): number {
  const due = sql.dueSteps.all(nowMs) as unknown as DueStep[];
  for (const step of due) {
    const at = new Date(nowMs).toISOString();
    const returned = step.to_status === 'returned';
    const status = returned ? null : step.to_status;
    sql.changePayment.run(status, step.reason_code, step.reason_detail, at, step.bank_payment_id);
    if (returned || step.to_status === 'ACCC') sql.move.run(returned ? 'returned' : 'out', at, step.bank_payment_id);
    if (step.bank_payment_id !== answering) sql.tell.run(randomUUID(), step.bank_payment_id, at);
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
