import { mayActFor, requireOwner, type Principal } from '../../domain/auth.ts';
import { addDays, startOfLondonDay } from '../../domain/dates.ts';
import { isSettled, type PaymentFailure, type PaymentStatus, type ProviderCategory } from '../../domain/payments.ts';
import * as statements from '../../infra/db/statements/payments.ts';
import type { PaymentRow } from '../../infra/db/statements/payments.ts';
import type { Services } from '../../infra/services.ts';
import { afterCursor, page, type Page } from '../page.ts';
import { requirePayment } from './record.ts';

/** A payment as callers see it. */
export interface PaymentView {
  payment_id: string;
  status: PaymentStatus;
  amount: number;
  currency: string;
  provider_id: string;
  reference?: string;
  initiated_at: string;
  estimated_completion: string;
  vault_allocation_id: string;
  user_id: string;
  attempt: number;
  execute_on: string | null;
  due_date: string | null;
  category: ProviderCategory;
}

/** A payment with its history. */
export interface PaymentDetails extends PaymentView {
  failure: PaymentFailure | null;
  bank_status: string | null;
  attention: boolean;
  timeline: { status: PaymentStatus; at: string; attempt: number; detail: string }[];
  attempts: { attempt: number; status: PaymentStatus; failure: PaymentFailure | null; at: string }[];
}

interface ListRequest {
  principal: Principal;
  user_id?: string;
  status?: PaymentStatus;
  from?: string;
  to?: string;
  limit: number;
  cursor?: string;
}

interface ReadRequest {
  principal: Principal;
  payment_id: string;
  wait_ms?: number;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** Reading payments. */
export function paymentReads(services: Services) {
  const { db, changes } = services;

  /** The payment's row if the caller may see it. @throws DomainError `not-found`, also for somebody else's. */
  async function visible(principal: Principal, paymentId: string): Promise<PaymentRow> {
    const row = requirePayment(await db.maybe(statements.paymentById, [paymentId]));
    return requirePayment(mayActFor(principal, row.owner_id) ? row : undefined);
  }

  return {
    visible,

    /**
     * A payment with its timeline and attempts, and the version its ETag is made of. With `wait_ms` the answer is held
     * until the status is another than at the call, is final, or the time is over.
     */
    async getPayment(request: ReadRequest): Promise<{ payment: PaymentDetails; version: number }> {
      const { principal, payment_id, wait_ms = 0, signal } = request;
      let row = await visible(principal, payment_id);
      if (wait_ms > 0 && !isSettled(row.status)) {
        const before = row.status;
        const deadline = Date.now() + wait_ms;
        const watch = await changes.watch(payment_id);
        try {
          for (;;) {
            row = await visible(principal, payment_id);
            const left = deadline - Date.now();
            if (row.status !== before || isSettled(row.status) || left <= 0 || signal?.aborted) break;
            await watch.next(Math.min(left, 2_000));
          }
        } finally {
          watch.stop();
        }
      }
      const [events, attempts] = await Promise.all([
        db.many(statements.eventsOf, [payment_id]),
        db.many(statements.attemptsOf, [payment_id]),
      ]);
      return {
        version: row.version,
        payment: {
          ...paymentView(row),
          failure: row.failure,
          bank_status: row.bank_status,
          attention: row.attention,
          timeline: events.map(({ status, created_at, attempt, detail }) => ({ status, at: created_at, attempt, detail })),
          attempts: attempts.map(({ attempt, status, failure, created_at }) => ({ attempt, status, failure, at: created_at })),
        },
      };
    },

    /** Payments, newest first: a user's own; a key's filter by `user_id` or all. `from` and `to` are London days, both included. */
    async listPayments({ principal, user_id, status, from, to, limit, cursor }: ListRequest): Promise<Page<PaymentView>> {
      if (user_id !== undefined) requireOwner(principal, user_id);
      const owner = principal.kind === 'user' ? principal.userId : (user_id ?? null);
      const rows = await db.many(statements.listPayments, [
        owner,
        status ?? null,
        from ? startOfLondonDay(from) : null,
        to ? startOfLondonDay(addDays(to, 1)) : null,
        afterCursor(cursor),
        limit + 1,
      ]);
      const { items, next_cursor } = page(rows, limit);
      return { items: items.map(paymentView), next_cursor };
    },
  };
}

/** What a caller sees of a payment's row. */
export function paymentView(row: PaymentRow): PaymentView {
  return {
    payment_id: row.payment_id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    provider_id: row.provider_id,
    ...(row.reference !== null && { reference: row.reference }),
    initiated_at: row.initiated_at,
    estimated_completion: row.estimated_completion,
    vault_allocation_id: row.allocation_id,
    user_id: row.owner_id,
    attempt: row.attempt,
    execute_on: row.execute_on,
    due_date: row.due_date,
    category: row.category,
  };
}
