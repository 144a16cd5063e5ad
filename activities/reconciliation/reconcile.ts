import { addDays, londonDateOf, startOfLondonDay } from '../../domain/dates.ts';
import {
  reconcile,
  RECONCILED_WITHIN_DAYS,
  type Found,
  type KnownMatch,
  type SoughtPayment,
} from '../../domain/reconciliation.ts';
import type { Problem } from '../../domain/reconciliation/statuses.ts';
import type { LockedPayment } from '../../infra/db/queries/payments.ts';
import * as queries from '../../infra/db/queries/reconciliation.ts';
import type { SoughtRow } from '../../infra/db/queries/reconciliation.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { openContradictions } from '../payments/attention.ts';
import { lockPayment, markPayment, type ChangeServices } from '../payments/record.ts';
import { readBookings, readWords, type SoughtWords } from './bookings.ts';

export type ReconcileServices = ChangeServices & Pick<Services, 'clock' | 'db' | 'keys'>;

/** How payments stand: of those looked at, how many are found, how many not in time, and how many came back unannounced. */
export interface ReconciledCounts {
  checked: number;
  matched: number;
  missing: number;
  unexplained_returns: number;
}

/** Looks for the payments of one owner among what the bank has reported. The same again changes nothing. */
export async function reconcileOwner(services: ReconcileServices, ownerId: string): Promise<ReconciledCounts> {
  const { db, clock } = services;
  const since = startOfLondonDay(addDays(londonDateOf(await clock.now(db)), -RECONCILED_WITHIN_DAYS));
  const sought = await db.many(queries.soughtOf(ownerId, since));
  if (sought.length === 0) return countsOf([]);
  const words = await readWords(services, sought);
  const bookings = await readBookings(services, ownerId, sought, words);
  return db.transaction(async (tx) => {
    await tx.run(queries.lockReconciliationsOf(ownerId));
    const rows = await tx.many(queries.soughtOf(ownerId, since));
    const known = rows.filter(({ payment_id }) => words.keys.has(payment_id));
    // A booking can be that of a payment that completed meanwhile.
    const onTheirWay = new Set(rows.filter((row) => !known.includes(row)).map(({ amount }) => amount));
    for (const { amount } of await tx.many(queries.amountsOnTheirWay(ownerId))) onTheirWay.add(amount);
    const payments = known.map((row) => paymentOf(row, words));
    const found = reconcile({ payments, bookings, onTheirWay });
    await store(tx, services, { ownerId, known, found });
    return countsOf(found);
  });
}

export function countsOf(found: readonly Pick<Found, 'status' | 'problem'>[]): ReconciledCounts {
  const count = (is: (one: Pick<Found, 'status' | 'problem'>) => boolean) => found.filter(is).length;
  return {
    checked: found.length,
    matched: count(({ status }) => status === 'matched'),
    missing: count(({ status }) => status === 'missing'),
    unexplained_returns: count(({ problem }) => problem === 'unexplained-return'),
  };
}

function paymentOf(row: SoughtRow, { keys }: SoughtWords): SoughtPayment {
  return {
    paymentId: row.payment_id,
    seq: row.seq,
    amount: row.amount,
    account: row.number_hash,
    words: keys.get(row.payment_id)!,
    sentOn: row.sent_on,
    completedOn: londonDateOf(new Date(row.completed_at)),
    returnedOn: row.returned_at === null ? null : londonDateOf(new Date(row.returned_at)),
    readThrough: row.read_through,
    known: knownOf(row),
  };
}

function knownOf(row: SoughtRow): KnownMatch | null {
  if (row.known_status === null) return null;
  const { known_status: status, transaction_id: debit, returned_by: credit, problem } = row;
  return { status, debit, isDebitKept: row.debit_kept, credit, isCreditKept: row.credit_kept, problem };
}

interface Change {
  row: SoughtRow;
  found: Found;
}

interface Reconciled {
  ownerId: string;
  known: readonly SoughtRow[];
  found: readonly Found[];
}

async function store(tx: Tx, services: ReconcileServices, { ownerId, known, found }: Reconciled): Promise<void> {
  const rows = new Map(known.map((row) => [row.payment_id, row]));
  const changes = found.map((one) => ({ row: rows.get(one.paymentId)!, found: one })).filter(isChange);
  if (changes.length === 0) return;
  const at = await services.clock.now(tx);
  const stored: Change[] = [];
  for (const change of changes) {
    const { row, found: now } = change;
    const isNoticed = now.problem === row.problem;
    const payment = isNoticed ? undefined : await lockPayment(tx, row.payment_id, at);
    // What became of the payment meanwhile is left to the next run.
    if (payment && payment.status !== row.status) continue;
    if (payment) await mark(payment, services, { before: row.problem, now: now.problem, at });
    stored.push(change);
  }
  if (stored.length === 0) return;
  const values = stored.map(({ row, found: now }): queries.Stored => {
    const { debit: transaction_id, credit: returned_by, status, problem } = now;
    const { payment_id, number_hash } = row;
    return { payment_id, owner_id: ownerId, number_hash, status, transaction_id, returned_by, problem };
  });
  await tx.run(queries.storeReconciliations(values, at));
  tx.afterCommit(() => {
    for (const change of stored) count(services, change);
  });
}

function isChange({ row, found }: Change): boolean {
  const isSame = found.debit === row.transaction_id && found.credit === row.returned_by;
  return !isSame || found.status !== row.known_status || found.problem !== row.problem;
}

interface Noticed {
  before: Problem | null;
  now: Problem | null;
  at: Date;
}

/** A problem that an operator has acknowledged does not come up again. What the bank contradicts stays for an operator. */
async function mark(payment: LockedPayment, services: ChangeServices, { before, now, at }: Noticed): Promise<void> {
  const attention = now !== null || (await openContradictions(payment)).length > 0;
  if (now === null && payment.attention === attention) return;
  const kind = now === null ? 'payment.reconciled' : 'payment.attention';
  const audit = { kind, actor: 'service', data: { problem: now ?? before } } as const;
  await markPayment(payment, services, { attention, bankStatus: payment.bank_status, at, audit });
}

function count({ metrics }: ChangeServices, { row, found: { status, problem } }: Change): void {
  if (status === 'matched' && row.known_status !== 'matched') metrics.reconciliations.inc({ outcome: 'matched' });
  if (problem !== null && problem !== row.problem) metrics.reconciliations.inc({ outcome: problem });
}
