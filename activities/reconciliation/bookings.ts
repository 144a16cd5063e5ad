import { setImmediate } from 'node:timers/promises';
import { OWN_MOVE_DAYS, ownCredits } from '../../domain/bank/wages.ts';
import { addDays, londonDateOf, type CalendarDate } from '../../domain/dates.ts';
import { BOOKED_WITHIN_DAYS, type Booking } from '../../domain/reconciliation.ts';
import { paymentsSaid, paymentWords, type PaymentWords } from '../../domain/reconciliation/words.ts';
import { ownNumbersOf } from '../../infra/db/queries/bank-wages.ts';
import { debitDays, freeBookings, type BookingRow, type SoughtRow } from '../../infra/db/queries/reconciliation.ts';
import type { Services } from '../../infra/services.ts';
import { openAccountSecret, openTextsUnder } from '../bank/accounts.ts';
import { openAgreedPayee } from '../bank/record.ts';

type Needs = Pick<Services, 'db' | 'keys'>;

/** So many texts are opened before the process does other work. */
const PART = 200;

/** What payments say in the bank's books: the key of each payment's words, by which payments with the same words are alike. */
export interface SoughtWords {
  keys: ReadonlyMap<string, string>;
  /** By account and amount, then by key. */
  words: ReadonlyMap<string, ReadonlyMap<string, PaymentWords>>;
}

/** Needs no transaction, because the key service may be slow. */
export async function readWords(services: Needs, sought: readonly SoughtRow[]): Promise<SoughtWords> {
  const payees = new Map<string, string>();
  for (const { connection_id, payee_sealed } of sought) {
    if (payee_sealed === null || payees.has(connection_id)) continue;
    payees.set(connection_id, (await openAgreedPayee(services, { connection_id, payee_sealed })).name);
  }
  const keys = new Map<string, string>();
  const words = new Map<string, Map<string, PaymentWords>>();
  for (const { payment_id, connection_id, reference, number_hash, amount } of sought) {
    const said = paymentWords(reference, payees.get(connection_id) ?? null);
    const key = JSON.stringify([said.reference, said.payee]);
    keys.set(payment_id, key);
    const place = placeOf(number_hash, amount);
    words.set(place, (words.get(place) ?? new Map<string, PaymentWords>()).set(key, said));
  }
  return { keys, words };
}

const placeOf = (numberHash: string, amount: number) => `${Math.abs(amount)} ${numberHash}`;

/** The bookings that a payment can be, or can have come back with. Texts are opened in parts, and not kept. */
export async function readBookings(
  services: Needs,
  ownerId: string,
  sought: readonly SoughtRow[],
  { words }: SoughtWords,
): Promise<Booking[]> {
  const wanted = {
    accountIds: [...new Set(sought.flatMap(({ account_ids }) => account_ids))],
    amounts: [...new Set(sought.map(({ amount }) => amount))],
    ...daysOf(sought),
  };
  const isOwn = await ownMoney(services, { ownerId, ...wanted });
  const secrets = new Map<string, string>();
  const bookings: Booking[] = [];
  for (let after = { booked_on: wanted.from, seq: 0 }; ;) {
    const rows = await services.db.many(freeBookings({ ...wanted, after, most: PART }));
    for (const ofAccount of Map.groupBy(rows, ({ account_id }) => account_id).values()) {
      const account = ofAccount[0]!;
      const secret = secrets.get(account.account_id) ?? (await openAccountSecret(services, account));
      secrets.set(account.account_id, secret);
      const texts = await openTextsUnder(secret, account, ofAccount);
      for (const [index, row] of ofAccount.entries()) {
        const said = words.get(placeOf(row.number_hash!, row.amount));
        const says = said ? paymentsSaid(row.amount, texts[index]!, said) : new Set<string>();
        if (says.size > 0) bookings.push(bookingOf(row, says, isOwn));
      }
    }
    if (rows.length < PART) return bookings;
    const { booked_on, seq } = rows.at(-1)!;
    after = { booked_on, seq };
    await setImmediate();
  }
}

function bookingOf(row: BookingRow, says: ReadonlySet<string>, isOwn: (row: BookingRow) => boolean): Booking {
  const { transaction_id: transactionId, seq, amount, booked_on: bookedOn } = row;
  return { transactionId, seq, account: row.number_hash!, amount, bookedOn, says, isOwn: isOwn(row) };
}

/** Whether a credit may be money that the person moved between their accounts. */
async function ownMoney(
  { db }: Needs,
  { ownerId, amounts, from, to }: Parameters<typeof debitDays>[0],
): Promise<(row: BookingRow) => boolean> {
  const around = { from: addDays(from, -OWN_MOVE_DAYS), to: addDays(to, OWN_MOVE_DAYS) };
  const left = await db.many(debitDays({ ownerId, amounts, ...around }));
  const debits = left.map(({ amount, booked_on: bookedOn, account_id: accountId }) => {
    return { amount: -amount, bookedOn, accountId };
  });
  const ownNumbers = new Set((await db.many(ownNumbersOf(ownerId))).map(({ number_hash }) => number_hash));
  const isOwn = ownCredits({ debits, ownNumbers });
  return ({ amount, booked_on: receivedOn, account_id: accountId, debtor_hash: debtorHash }) =>
    amount > 0 && isOwn({ amount, receivedOn, accountId, debtorHash });
}

/** Of all payments and returns. */
function daysOf(sought: readonly SoughtRow[]): { from: CalendarDate; to: CalendarDate } {
  const days = sought
    .flatMap(({ sent_on, completed_at, returned_at }) => [
      sent_on,
      londonDateOf(new Date(completed_at)),
      ...(returned_at === null ? [] : [londonDateOf(new Date(returned_at))]),
    ])
    .toSorted();
  return { from: addDays(days[0]!, -BOOKED_WITHIN_DAYS), to: addDays(days.at(-1)!, BOOKED_WITHIN_DAYS) };
}
