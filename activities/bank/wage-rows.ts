import {
  MOST_CREDITS,
  WAGES_WITHIN_DAYS,
  type Credit,
  type Known,
  type KnownWage,
  type Movement,
} from '../../domain/bank/wages.ts';
import * as queries from '../../infra/db/queries/bank-wages.ts';
import type { CreditRow, KnownWageRow } from '../../infra/db/queries/bank-wages.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { lastLostDay } from '../restore/lost.ts';

export function boundsOf(ownerId: string) {
  return { ownerId, days: WAGES_WITHIN_DAYS, most: MOST_CREDITS };
}

/** What is stored of the owner. @param naming the transactions whose texts name a known payer. */
export async function knownOf(tx: Tx, ownerId: string, naming: ReadonlySet<string>): Promise<Known> {
  const bounds = boundsOf(ownerId);
  const [lostThrough, movements, wages, payers, own, payslips] = await Promise.all([
    lastLostDay(tx),
    tx.many(queries.movementsOf(bounds)),
    tx.many(queries.wagesOf(bounds)),
    tx.many(queries.payersOf(ownerId)),
    tx.many(queries.ownNumbersOf(ownerId)),
    tx.many(queries.payslipsOf(bounds)),
  ]);
  return {
    credits: movements.filter(({ amount }) => amount > 0).map(creditOf),
    debits: movements.filter(({ amount }) => amount < 0).map(debitOf),
    wages: wages.map(wageOf),
    payers: new Map(
      payers.map(({ payer_hash, named_on: namedOn, named_at }) => [
        payer_hash,
        { namedOn, namedAt: new Date(named_at) },
      ]),
    ),
    ownNumbers: new Set(own.map(({ number_hash }) => number_hash)),
    payslips: payslips.map(({ net_pay, pay_date }) => ({ netPay: net_pay!, payDate: pay_date! })),
    naming,
    lostThrough,
  };
}

export function debitOf({
  transaction_id,
  seq,
  account_id,
  amount,
  booked_on,
  counterparty_hash,
}: CreditRow): Movement {
  return {
    transactionId: transaction_id,
    seq,
    accountId: account_id,
    amount: Math.abs(amount),
    bookedOn: booked_on,
    counterpartyHash: counterparty_hash,
  };
}

export function creditOf(row: CreditRow): Credit {
  const { payer_hash: payerHash, debtor_hash: debtorHash, created_at } = row;
  return { ...debitOf(row), payerHash, debtorHash, storedAt: new Date(created_at) };
}

function wageOf(row: KnownWageRow): KnownWage {
  return {
    wageId: row.wage_id,
    seq: row.seq,
    transactionId: row.transaction_id,
    accountId: row.account_id,
    amount: row.amount,
    receivedOn: row.received_on,
    payerHash: row.payer_hash,
    counterpartyHash: row.counterparty_hash,
    debtorHash: row.debtor_hash,
    matchedBy: row.matched_by,
    status: row.status,
    isOrphan: row.orphan,
  };
}
