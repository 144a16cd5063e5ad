import { hasOwnersScope, type Principal } from '../../domain/auth.ts';
import { addDays, startOfLondonDay } from '../../domain/dates.ts';
import { isSettled, type PaymentStatus } from '../../domain/payments.ts';
import { shownStatus } from '../../domain/reconciliation.ts';
import * as queries from '../../infra/db/queries/payments.ts';
import type { PaymentRow } from '../../infra/db/queries/payments.ts';
import { reconciliationOf, type ReconciliationRow } from '../../infra/db/queries/reconciliation.ts';
import type { Services } from '../../infra/services.ts';
import { onceDone } from '../once-done.ts';
import { pagesOf, type Page } from '../page.ts';
import type { Payment, PaymentDetails, PaymentReconciliation } from '../../openapi/types.ts';
import { requirePayment } from './record.ts';

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
  payment_id: string;
  wait_ms?: number;
  signal?: AbortSignal;
}

export async function getPayment(
  services: Services,
  { payment_id, wait_ms = 0, signal }: ReadRequest,
): Promise<{ payment: PaymentDetails; version: number }> {
  const read = async () => requirePayment(await services.db.maybe(queries.paymentById(payment_id)));
  const first = await read();
  const isDone = ({ status }: PaymentRow) => status !== first.status || isSettled(status);
  const row =
    wait_ms === 0 || isSettled(first.status)
      ? first
      : await onceDone(services, payment_id, { read, isDone, withinMs: wait_ms, signal });
  const [events, attempts, reconciliation] = await Promise.all([
    services.db.many(queries.eventsOf(payment_id)),
    services.db.many(queries.attemptsOf(payment_id)),
    row.connection_id === null ? undefined : services.db.maybe(reconciliationOf(payment_id)),
  ]);
  const payment: PaymentDetails = {
    ...paymentView(row),
    failure: row.failure,
    bank_status: row.bank_status,
    attention: row.attention,
    reconciliation: reconciliationView(row, reconciliation),
    timeline: events.map(({ status, created_at, attempt, detail }) => ({ status, at: created_at, attempt, detail })),
    attempts: attempts.map(({ attempt, status, failure, created_at }) => ({
      attempt,
      status,
      failure,
      at: created_at,
    })),
  };
  return { payment, version: row.version };
}

/** `found` is undefined if the house account pays. */
export function reconciliationView(
  { status }: PaymentRow,
  found: ReconciliationRow | undefined,
): PaymentReconciliation {
  const { transaction_id = null, matched_at = null } = found ?? {};
  return { status: shownStatus(status, found?.status ?? null, found?.is_read ?? false), transaction_id, matched_at };
}

/**
 * Without `user_id`, a key sees the payments of its application's owners, or, with `admin:owners`, all payments. `from`
 * and `to` are London dates, both inclusive.
 */
export async function listPayments(services: Services, request: ListRequest): Promise<Page<Payment>> {
  const { principal, user_id, status, from, to, limit, cursor } = request;
  const owner = principal.kind === 'user' ? principal.userId : user_id;
  const application = principal.kind === 'user' || hasOwnersScope(principal) ? undefined : principal.appId;
  const pages = pagesOf(services, { operation: 'listPayments', filter: { application, owner, status, from, to } });
  const rows = await services.db.many(
    queries.paymentsWanted({
      owner,
      application: owner === undefined ? application : undefined,
      status,
      from: from ? startOfLondonDay(from) : undefined,
      to: to ? startOfLondonDay(addDays(to, 1)) : undefined,
      before: await pages.after(cursor),
      most: limit + 1,
    }),
  );
  return pages.page(rows, limit, paymentView);
}

export function paymentView(row: PaymentRow): Payment {
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
    connection_id: row.connection_id,
    user_id: row.owner_id,
    attempt: row.attempt,
    execute_on: row.execute_on,
    due_date: row.due_date,
    category: row.category,
  };
}
