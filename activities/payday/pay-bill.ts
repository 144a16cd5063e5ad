import { londonDateOf, monthStartOf, type CalendarDate } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { leftOutFor, type LeftOut } from '../../domain/payday/bills.ts';
import { billDayOf } from '../../domain/payday/days.ts';
import { moneyOfVault, openVaultNamed } from '../../infra/db/queries/allocations.ts';
import * as queries from '../../infra/db/queries/payday.ts';
import type { EntryRow } from '../../infra/db/queries/payday.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { isDisabled } from '../auth/enabled.ts';
import { requireProvedAddress } from '../auth/proof.ts';
import { orderPayment, type OrderServices } from '../payments/order.ts';
import { unknownPayee } from '../payments/payees.ts';
import type { Authentic } from '../macs.ts';
import { entryInReach } from '../reach.ts';
import { oneLot } from './lots.ts';
import { billAmount, goesOn, keepBill, leaveOut, openPayday, type OpenPayday } from './record.ts';
import type { PaydayRef } from './split-wage.ts';

export interface BillRef extends PaydayRef {
  entry_id: string;
}

/** A step of the workflow: pays the bill of an entry, or says why not. Done once, however often it is called. */
export async function payBill(services: Services, ref: BillRef): Promise<void> {
  const { db } = services;
  const settle = (refused: LeftOut | null) =>
    db.transaction(async (tx) => {
      const open = await openPayday(tx, services, ref.wage_id);
      const entry = await entryToPay(open, ref.entry_id);
      if (entry === null) return;
      const reason = refused ?? (await pay(open, services, entry));
      if (reason !== null) leaveOut(open, services, { entry, reason });
    });
  try {
    await settle(null);
  } catch (error) {
    const reason = error instanceof DomainError ? leftOutFor(error.code) : null;
    if (reason === null) throw error;
    // The first transaction is rolled back, so it left no half of a payment.
    await settle(reason);
  }
}

/** Null if there is nothing to pay any more. */
async function entryToPay(open: OpenPayday, entryId: string): Promise<EntryRow | null> {
  const { owner, payday } = open;
  if (!goesOn(open) || payday.calculation_id === null) return null;
  const entry = await owner.tx.maybe(queries.entryById(entryId));
  if (entry?.owner_id !== owner.id || entry.dropped_at !== null || entry.provider_id === null) return null;
  const done = await owner.tx.many(queries.billsOf(payday.wage_id));
  return done.some(({ entry_id }) => entry_id === entryId) ? null : entry;
}

interface Due {
  day: CalendarDate;
  /** Null for a payment on arrival. */
  month: CalendarDate | null;
}

/** @returns why the entry is left out. @throws DomainError for which `leftOutFor` has the reason. */
async function pay(open: OpenPayday, services: OrderServices & Authentic, entry: EntryRow) {
  const { owner, at } = open;
  const { tx } = owner;
  if ((await isDisabled(tx, owner.id)) || !(await entryInReach(tx, services, entry.entry_id))) return 'authority-ended';
  await requireProvedAddress(tx, services, owner.id);
  const category = await payeeCategory(tx, entry);
  const today = londonDateOf(at);
  const { day, month } = dueOf(open, entry, today);
  if (month !== null && (await tx.maybe(queries.billOfMonth(entry.entry_id, month)))) return null;
  if (entry.pays_from !== null && day < entry.pays_from) return 'starts-next-month';
  const amount = billAmount(entry);
  const vault = { owner_id: owner.id, vault_type: entry.category, label: entry.type };
  const open_vault = await tx.maybe(openVaultNamed(vault));
  if (!open_vault || (await tx.one(moneyOfVault(open_vault))).balance < amount) return 'vault-short';
  const allocation = await oneLot(owner, services, { vaultId: open_vault.vault_id, amount, at });
  const { set_by: requested_by, client_id, family_id } = entry;
  const payment = await orderPayment(owner, services, {
    ...{ allocation, category, amount, provider_id: entry.provider_id!, reference: entry.reference, at },
    ...{ executeOn: day > today ? day : null, dueDate: day },
    orderedBy: { requested_by, client_id, family_id },
  });
  keepBill(open, services, { entry, amount, payment_id: payment.payment_id, month, left_out: null });
  return null;
}

function dueOf({ wage }: OpenPayday, { pay_day, updated_at }: EntryRow, today: CalendarDate): Due {
  if (pay_day === null) return { day: today, month: null };
  const setOn = londonDateOf(new Date(updated_at));
  const day = billDayOf(pay_day, { receivedOn: wage.received_on, setOn, today });
  return { day, month: monthStartOf(day) };
}

/** @throws DomainError `unknown-provider` */
async function payeeCategory(tx: Tx, { entry_id }: EntryRow) {
  const payee = await tx.maybe(queries.payeeOfEntry(entry_id));
  if (payee?.payable !== true) throw unknownPayee();
  return payee.category;
}
