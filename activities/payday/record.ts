import { pence } from '../../domain/money.ts';
import { DomainError } from '../../domain/errors.ts';
import type { LeftOut } from '../../domain/payday/bills.ts';
import { lockOne, type LockedOwner } from '../../infra/db/locked-owner.ts';
import { wageById, type WageRow } from '../../infra/db/queries/bank-wages.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import * as queries from '../../infra/db/queries/payday.ts';
import type { BillRow, EntryRow, PaydayRow, SplitRow } from '../../infra/db/queries/payday.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { audit } from '../audit.ts';
import { lastRestore } from '../restore/lost.ts';

export const ACTOR = 'payday-workflow';

/** Until the transaction ends, nobody else changes the payday, the standing split, or the money of its owner. */
export interface OpenPayday {
  owner: LockedOwner;
  payday: PaydayRow;
  wage: WageRow;
  split: SplitRow | undefined;
  restoredAt: Date | null;
  at: Date;
}

/** @throws DomainError `not-found` */
export async function openPayday(tx: Tx, { clock }: Pick<Services, 'clock'>, wageId: string): Promise<OpenPayday> {
  const found = await tx.maybe(queries.paydayOf(wageId));
  if (!found) throw new DomainError('not-found', 'This wage has no payday.');
  const at = await clock.now(tx);
  const { owner } = await lockOne(tx, lockOwner(found.owner_id, at));
  const [payday, wage, split, restoredAt] = await Promise.all([
    tx.one(queries.paydayOf(wageId)),
    tx.one(wageById(wageId)),
    tx.maybe(queries.splitOf(owner.id)),
    lastRestore(tx),
  ]);
  return { owner, payday, wage, split, restoredAt, at };
}

/**
 * Whether there still is a wage, and a standing split that says what to do with it. A payday from before a restore ends, because
 * it might have paid since the backup.
 */
export function goesOn({ payday, wage, split, restoredAt }: OpenPayday): boolean {
  if (payday.ended_at !== null || wage.status !== 'confirmed') return false;
  if (restoredAt !== null && Date.parse(payday.started_at) <= restoredAt.getTime()) return false;
  return split !== undefined && split.paused_at === null;
}

type BillServices = Pick<Services, 'metrics'>;
type Outcome = Pick<BillRow, 'payment_id' | 'month' | 'left_out'>;

/** What an entry with a payee pays at a time. */
export function billAmount({ amount, pay_amount }: EntryRow): number {
  return pay_amount ?? amount;
}

/** Does not wait for the database. */
export function keepBill(
  { owner, payday, at }: OpenPayday,
  { metrics }: BillServices,
  { entry: { entry_id, type }, amount, ...outcome }: { entry: EntryRow; amount: number } & Outcome,
): void {
  const of = { wage_id: payday.wage_id, entry_id, owner_id: owner.id };
  void owner.tx.run(queries.insertBill({ ...of, type, amount, ...outcome, created_at: at.toISOString() }));
  owner.tx.afterCommit(() => metrics.paydayBills.inc({ outcome: outcome.left_out ?? 'paid' }));
}

export function leaveOut(
  open: OpenPayday,
  services: BillServices,
  { entry, amount = billAmount(entry), reason }: { entry: EntryRow; amount?: number; reason: LeftOut },
): void {
  keepBill(open, services, { entry, amount: pence(amount), payment_id: null, month: null, left_out: reason });
}

/** `attention` says why the person should look at the payday. */
export async function end(
  { owner: { tx }, payday: { wage_id, calculation_id }, at }: OpenPayday,
  services: Pick<Services, 'newId' | 'metrics'>,
  attention: string | null,
): Promise<void> {
  await tx.run(queries.paydayEnded(wage_id, { ended_at: at.toISOString(), attention }));
  const bills = await tx.many(queries.billsOf(wage_id));
  const payments = bills.filter(({ payment_id }) => payment_id !== null).length;
  const data = { calculation_id, payments, left_out: bills.length - payments };
  const by = { subject: wage_id, actor: ACTOR, at };
  await audit(tx, services, { ...by, kind: 'payday.ended', data });
  if (attention !== null) await audit(tx, services, { ...by, kind: 'payday.attention', data: { reason: attention } });
  tx.afterCommit(() => services.metrics.paydays.inc({ outcome: attention === null ? 'done' : 'attention' }));
}
