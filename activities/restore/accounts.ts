import { matchDebits, type Bookable, type Debit } from '../../domain/restore/match.ts';
import { addDays, startOfLondonDay } from '../../domain/dates.ts';
import { BOOKED_WITHIN_DAYS } from '../../domain/reconciliation.ts';
import { BankError } from '../../infra/bank/interface.ts';
import { soughtInDoubt } from '../../infra/db/queries/reconciliation.ts';
import { readingConnections, type DoubtedRow } from '../../infra/db/queries/restore-steps.ts';
import type { Services } from '../../infra/services.ts';
import { listAccounts } from '../bank/list-accounts.ts';
import { readAccount } from '../bank/read-account.ts';
import type { Step } from '../bank/reading.ts';
import { lockConnection } from '../bank/record.ts';
import { requestSync } from '../bank/request-sync.ts';
import { accountsToRead, finishSync, openSync } from '../bank/sync.ts';
import { readBookings, readWords } from '../reconciliation/bookings.ts';

/** Reads the accounts of the owners anew, and looks there for payments in doubt that their own banks pay. */
export async function bookedInAccounts(
  services: Services,
  doubted: readonly DoubtedRow[],
): Promise<ReadonlyMap<string, string>> {
  const owners = new Set(doubted.flatMap(({ owner_id, connection_id }) => (connection_id === null ? [] : [owner_id])));
  const found = new Map<string, string>();
  for (const { connection_id } of await services.db.many(readingConnections([...owners])))
    await readAnew(services, connection_id);
  for (const ownerId of owners) {
    for (const [paymentId, booking] of await bookedFor(services, ownerId, doubted)) found.set(paymentId, booking);
  }
  return found;
}

async function bookedFor(services: Services, ownerId: string, doubted: readonly DoubtedRow[]) {
  const days = doubted.filter(({ owner_id }) => owner_id === ownerId).map(({ sent_on }) => sent_on);
  const since = startOfLondonDay(addDays(days.toSorted()[0]!, -1 - BOOKED_WITHIN_DAYS));
  const sought = await services.db.many(soughtInDoubt(ownerId, since));
  if (sought.length === 0) return new Map<string, string>();
  const words = await readWords(services, sought);
  const bookings = await readBookings(services, ownerId, sought, words);
  const payments = sought.map(({ payment_id: paymentId, number_hash: account, amount, sent_on: sentOn }): Bookable => {
    return { paymentId, account, amount, words: words.keys.get(paymentId)!, sentOn };
  });
  const debits = bookings
    .filter(({ amount }) => amount < 0)
    .map(({ transactionId: id, account, amount, bookedOn, says }): Debit => {
      return { id, account, amount: -amount, bookedOn, names: [], says };
    });
  return matchDebits(payments, debits).found;
}

/** As the workflow of a sync does, which does not run now, but without the wages. A bank that is away is left out. */
async function readAnew(services: Services, connection_id: string): Promise<void> {
  await services.db.transaction(async (tx) => {
    const connection = await lockConnection(tx, connection_id);
    await requestSync(connection, services, { requestedBy: 'request', presentSealed: null, actor: null });
  });
  const sync = await openSync(services, { connection_id });
  if (sync === null) return;
  const ref = { connection_id, sync_id: sync.sync_id };
  const reasons: ('bank-away' | 'account-error')[] = [];
  const take = async (step: () => Promise<Step>) => {
    try {
      if ((await step()).kind !== 'done') reasons.push('account-error');
    } catch (error) {
      if (!(error instanceof BankError)) throw error;
      reasons.push('bank-away');
    }
  };
  if (sync.lists) await take(() => listAccounts(services, ref));
  for (const account_id of await accountsToRead(services, ref))
    await take(() => readAccount(services, { ...ref, account_id }));
  await finishSync(services, { ...ref, lists: sync.lists, reasons, wait_until: null });
}
