import { daysToRead, hasTransactions, MAX_ROWS, readsADay, type SyncReason } from '../../domain/bank/reading.ts';
import { reconcile, type ReadRow, type Reconciled, type StoredRow } from '../../domain/bank/rows.ts';
import { addDays, type Period } from '../../domain/dates.ts';
import {
  BankError,
  type BankBalance,
  type BankRow,
  type BankRows,
  type RowsWanted,
} from '../../infra/bank/interface.ts';
import * as accounts from '../../infra/db/queries/bank-accounts.ts';
import * as queries from '../../infra/db/queries/bank-reading.ts';
import type { AccountToRead } from '../../infra/db/queries/bank-reading.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { openAccountSecret, sealTexts } from './accounts.ts';
import { accountNumberHash, nameHash } from './identities.ts';
import { lockConnection } from './record.ts';
import { readBank, type Reading, type Step, type SyncRef } from './reading.ts';

interface AccountRef extends SyncRef {
  account_id: string;
}

/**
 * A step of the workflow: reads the figures and transactions of one account, and stores them in one transaction. If the step is
 * repeated, it begins anew, which changes nothing that is stored.
 */
export async function readAccount(services: Services, ref: AccountRef): Promise<Step> {
  return readBank(services, ref, async (reading) => {
    const account = await services.db.maybe(queries.accountToRead(ref.connection_id, ref.account_id));
    if (!account) return { kind: 'done' };
    const counted = await countRead(services, { reading, syncId: ref.sync_id, account });
    if (counted === undefined) return { kind: 'failed', reason: 'read-limit' };
    try {
      return await readNow(services, { ref, account, reading, readThrough: counted.read_through });
    } catch (error) {
      if (!(error instanceof BankError) || error.kind !== 'account-gone') throw error;
      await accountGone(services, ref);
      return { kind: 'done' };
    }
  });
}

/** Before the bank is called, so that no crash leaves a read uncounted. Undefined if the day's reads are used up. */
async function countRead(
  { db }: Pick<Services, 'db'>,
  { reading, syncId, account }: { reading: Reading; syncId: string; account: AccountToRead },
): Promise<{ read_through: string | null } | undefined> {
  const { bank, requestedBy } = reading;
  const most = readsADay(bank.port.traits.unattendedPerDay, requestedBy);
  return db.transaction(async (tx) => {
    const { account_id: accountId, read_through } = await tx.one(accounts.lockAccount(account.account_id));
    const limit = Number.isFinite(most) ? most : null;
    const counted = await tx.maybe(queries.countRead({ syncId, accountId, requestedBy, most: limit }));
    return counted && { read_through };
  });
}

/** Locks the connection before the account, as a list does. */
async function accountGone({ db }: Pick<Services, 'db'>, { connection_id, account_id }: AccountRef): Promise<void> {
  await db.transaction(async (tx) => {
    await lockConnection(tx, connection_id);
    await tx.one(accounts.lockAccount(account_id));
    await tx.run(accounts.unlinkAccount(connection_id, account_id));
    await tx.run(accounts.markGone(connection_id));
    // The list tells whether that was a fault of the bank.
    await tx.run(queries.listAgain(connection_id));
  });
}

interface Read {
  ref: AccountRef;
  account: AccountToRead;
  reading: Reading;
  readThrough: string | null;
}

async function readNow(services: Services, given: Read): Promise<Step> {
  const { account, reading, readThrough } = given;
  const { port } = reading.bank;
  const balance = await port.balance(reading.access, account);
  if (!hasTransactions(account)) {
    await store(services, { ...given, balance, rows: undefined });
    return { kind: 'done' };
  }
  const rows = await collectRows(reading, account, daysToRead(readThrough, reading.today, port.traits));
  await store(services, { ...given, balance, rows });
  if (rows.failure) throw rows.failure;
  return rows.reason === undefined ? { kind: 'done' } : { kind: 'failed', reason: rows.reason };
}

interface Collected {
  items: BankRow[];
  days: Period;
  refused: number;
  /** Why the rows are not complete. */
  reason: SyncReason | undefined;
  /** What the bank said instead of a later page. */
  failure: BankError | undefined;
}

/** The bank goes back less far for some accounts than for others, so a first read may have to ask for fewer days. */
async function collectRows(reading: Reading, account: AccountToRead, days: Period): Promise<Collected> {
  const shorter = { from: addDays(reading.today, -reading.bank.port.traits.laterDays), to: reading.today };
  try {
    return await collectPages(reading, account, days);
  } catch (error) {
    const isTooFar = error instanceof BankError && error.kind === 'range' && days.from < shorter.from;
    if (!isTooFar) throw error;
    return collectPages(reading, account, shorter);
  }
}

/** Errors that concern the rest of the sync too. */
const CONCERN_ALL: readonly BankError['kind'][] = ['wait', 'reauthorise', 'ended', 'configuration'];
const MAX_PAGES = 1_000;

/** A bank that repeats cursors, or never ends, does not keep the service reading. What came stays. */
async function collectPages(reading: Reading, account: AccountToRead, days: Period): Promise<Collected> {
  const collected: Collected = { items: [], days, refused: 0, reason: undefined, failure: undefined };
  const seen = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const page = await pageOf(reading, { account, ...days, cursor });
    if (page instanceof BankError) {
      if (cursor === null || page.kind === 'account-gone') throw page;
      const failure = CONCERN_ALL.includes(page.kind) ? page : undefined;
      return { ...collected, reason: 'rows-cut', failure };
    }
    // What a bank adds outside of these days belongs to another read.
    const items = page.items.filter(({ bookedOn }) => bookedOn >= days.from && bookedOn <= days.to);
    const left = MAX_ROWS - collected.items.length;
    collected.items.push(...items.slice(0, left));
    collected.refused += page.refused;
    if (!page.complete || items.length > left) collected.reason = 'rows-cut';
    cursor = page.cursor;
    if (cursor === null) return collected;
    const isFull = collected.items.length === MAX_ROWS || seen.size === MAX_PAGES;
    if (isFull || seen.has(cursor)) return { ...collected, reason: 'rows-cut' };
    seen.add(cursor);
  }
}

async function pageOf({ bank, access }: Reading, wanted: RowsWanted): Promise<BankRows | BankError> {
  try {
    return await bank.port.transactions(access, wanted);
  } catch (error) {
    if (error instanceof BankError) return error;
    throw error;
  }
}

type Identified = BankRow & ReadRow;

/** `rows` undefined: only the figures are read. */
async function store(
  services: Services,
  { ref, account, reading, balance, rows }: Read & { balance: BankBalance; rows: Collected | undefined },
): Promise<void> {
  const { account_id: accountId, owner_id } = account;
  const { bankId } = reading.bank;
  const incoming = (rows?.items ?? []).map((row) => identified(services, accountId, row));
  const secret = incoming.length > 0 ? await openAccountSecret(services, account) : undefined;
  const isComplete = rows?.reason === undefined;
  await services.db.transaction(async (tx) => {
    await tx.one(accounts.lockAccount(accountId));
    const change =
      rows && secret !== undefined ? await changeOf(tx, { accountId, bankId, incoming, days: rows.days }) : NOTHING;
    const added = await Promise.all(
      change.insert.map(async ({ row, ordinal }): Promise<accounts.NewTransaction> => {
        const transaction_id = services.newId('txn');
        const { amount, bookedOn: booked_on, stableHash: stable_hash, fingerprint } = row;
        const texts_sealed = await sealTexts(secret!, { account_id: accountId, transaction_id }, row);
        const found = { amount, booked_on, stable_hash, fingerprint, ordinal, texts_sealed };
        const parties = partiesOf(services, owner_id, row);
        return { transaction_id, account_id: accountId, owner_id, bank_id: bankId, ...found, ...parties };
      }),
    );
    if (added.length > 0) await tx.run(accounts.insertTransactions(added));
    const gained = change.gain.map(({ row, ...identity }) => ({ ...identity, ...partiesOf(services, owner_id, row) }));
    if (gained.length > 0) await tx.run(accounts.gainIdentity(bankId, gained));
    await tx.run(
      queries.changeAccount(accountId, {
        balance: balance.current,
        available: balance.available,
        credit_line: balance.creditLine,
        as_of: balance.asOf.toISOString(),
        gone_at: null,
        ...(rows && isComplete && { read_through: rows.days.to }),
      }),
    );
    const rowsRefused = (rows?.refused ?? 0) + change.refused;
    const result = { accountId, syncId: ref.sync_id, isComplete, rowsNew: added.length, rowsRefused };
    await tx.run(queries.storeReadResult(result));
  });
}

const NOTHING: Reconciled<Identified> = { insert: [], gain: [], refused: 0 };

function identified({ keys }: Pick<Services, 'keys'>, accountId: string, row: BankRow): Identified {
  const { stableId, bookedOn, amount, counterparty, reference } = row;
  const texts = JSON.stringify([accountId, bookedOn, amount, counterparty, reference]);
  return {
    ...row,
    stableHash:
      stableId === null ? null : keys.blindIndex('bank transaction id', JSON.stringify([accountId, stableId])),
    fingerprint: keys.blindIndex('bank transaction', texts),
  };
}

/** By which wages are recognised, without their texts. */
function partiesOf(services: Pick<Services, 'keys'>, ownerId: string, row: BankRow) {
  const { amount, payer, counterparty, debtorAccount } = row;
  const isCredit = amount > 0;
  return {
    payer_hash: isCredit ? nameHash(services, ownerId, payer) : null,
    counterparty_hash: nameHash(services, ownerId, counterparty),
    debtor_hash: isCredit && debtorAccount ? accountNumberHash(services, debtorAccount) : null,
  };
}

interface Changing {
  accountId: string;
  bankId: string;
  incoming: readonly Identified[];
  days: Period;
}

async function changeOf(tx: Tx, { accountId, bankId, incoming, days }: Changing): Promise<Reconciled<Identified>> {
  const stableHashes = incoming.flatMap(({ stableHash }) => stableHash ?? []);
  const rows = await tx.many(accounts.storedRows({ accountId, bankId, ...days, stableHashes }));
  const stored = rows.map((row): StoredRow => ({
    transactionId: row.transaction_id,
    bankId: row.bank_id,
    stableHash: row.stable_hash,
    fingerprint: row.fingerprint,
    ordinal: row.ordinal,
    amount: row.amount,
    bookedOn: row.booked_on,
  }));
  return reconcile({ stored, incoming, bankId });
}
