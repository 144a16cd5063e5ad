import { matchAccounts, type KnownAccount } from '../../domain/bank/accounts.ts';
import { isEnded } from '../../domain/bank/connections.ts';
import { BankError, type BankAccount } from '../../infra/bank/interface.ts';
import * as accounts from '../../infra/db/queries/bank-accounts.ts';
import { accountsListed, accountsToRead } from '../../infra/db/queries/bank-reading.ts';
import { addOwnNumbers } from '../../infra/db/queries/own-accounts.ts';
import type { ConnectionRow } from '../../infra/db/queries/bank.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { accountNumberHash } from './identities.ts';
import { newAccountSecret, openAccountSecret, openDetails, sealDetails, type AccountDetails } from './accounts.ts';
import { readBank, type Step, type SyncRef } from './reading.ts';
import { lockConnection } from './record.ts';

type Needs = Pick<Services, 'db' | 'keys' | 'newId'>;
type Subject = Pick<ConnectionRow, 'connection_id' | 'owner_id' | 'bank_id'>;

/** A step of the workflow: asks the bank which accounts the consent shows, and links them with the connection. */
export async function listAccounts(services: Services, ref: SyncRef): Promise<Step> {
  return readBank(services, ref, async ({ connection, bank, access, consentId }) => {
    const listed = await listNow(services, connection, () => bank.port.accounts(access));
    if (listed === undefined) return { kind: 'done' };
    for (;;) {
      const prepared = await prepareLinks(services, connection, listed);
      const isStored = await services.db.transaction(async (tx) => {
        const locked = await lockConnection(tx, connection.connection_id);
        // A list of an earlier consent says nothing about the connection.
        if (isEnded(locked.status) || locked.consent_id !== consentId) return true;
        return storeLinks(tx, connection, prepared);
      });
      if (isStored) return { kind: 'done' };
    }
  });
}

/** Undefined if the bank lists accounts only right after the person signed in there. What is known is read without a list. */
async function listNow(
  { db }: Pick<Services, 'db'>,
  { connection_id }: Subject,
  list: () => Promise<readonly BankAccount[]>,
): Promise<readonly BankAccount[] | undefined> {
  try {
    return await list();
  } catch (error) {
    const isTooLate = error instanceof BankError && error.kind === 'range';
    if (!isTooLate || (await db.many(accountsToRead(connection_id))).length === 0) throw error;
    await db.run(accountsListed(connection_id));
    return undefined;
  }
}

/**
 * Whether the list has an account that the connection has. True if the connection never listed an account. Cards decide only
 * for a connection without other accounts, because their last digits prove little.
 */
export async function hasAccountInCommon(
  services: Needs,
  connection: Subject,
  listed: readonly BankAccount[],
): Promise<boolean> {
  const { known, matches } = await matched(services, connection, listed);
  const all = known.filter((account) => account.linked);
  const others = all.filter(({ kind }) => kind !== 'card');
  const linked = (others.length > 0 ? others : all).map(({ account_id }) => account_id);
  return linked.length === 0 || matches.some((accountId) => accountId !== null && linked.includes(accountId));
}

interface Prepared {
  /** What the matching knew. */
  seen: string;
  added: accounts.NewAccount[];
  rows: accounts.ListedRow[];
  /** The hashes of all whole numbers of the list, whether they tell the accounts apart or not. */
  numbers: string[];
}

/** Needs no transaction, because the key service may be slow. */
async function prepareLinks(services: Needs, connection: Subject, listed: readonly BankAccount[]): Promise<Prepared> {
  const { known, once, matches, details } = await matched(services, connection, listed);
  const numbers = listed.flatMap((account) => numbersOf(services, account));
  const prepared: Prepared = { seen: seenOf(known), added: [], rows: [], numbers };
  const allHashes = once.map((account) => hashesOf(services, account));
  for (const [index, account] of once.entries()) {
    const { ref, kind, currency } = account;
    const hashes = allHashes[index]!;
    const listed_number_hash = hashes.number_hash;
    const accountId = matches[index];
    const stored = known.find(({ account_id }) => account_id === accountId);
    if (stored) {
      const isSame = JSON.stringify(detailsOf(account)) === JSON.stringify(details.get(stored.account_id));
      const secret = isSame ? undefined : await openAccountSecret(services, stored);
      const details_sealed =
        secret === undefined ? null : await sealDetails(secret, stored.account_id, detailsOf(account));
      const best = kept(stored, hashes, allHashes);
      prepared.rows.push({ account_id: stored.account_id, ref, ...best, listed_number_hash, details_sealed });
    } else {
      const account_id = services.newId('acct');
      const { secret, sealed: key_sealed } = await newAccountSecret(services, account_id);
      const details_sealed = await sealDetails(secret, account_id, detailsOf(account));
      const { owner_id } = connection;
      prepared.added.push({ account_id, owner_id, kind, currency, details_sealed, key_sealed, ...hashes });
      prepared.rows.push({ account_id, ref, ...hashes, listed_number_hash, details_sealed: null });
    }
  }
  return prepared;
}

async function matched(services: Needs, connection: Subject, listed: readonly BankAccount[]) {
  const known = await services.db.many(accounts.knownAccounts(listing(connection)));
  const once = [...new Map(listed.map((account) => [account.ref, account])).values()];
  const details = new Map<string, AccountDetails>();
  for (const account of known) details.set(account.account_id, detailsOf(await openDetails(services, account)));
  const asKnown = known.map(
    ({ account_id: accountId, kind, currency, number_hash: number, iban_hash: iban, refs, linked }): KnownAccount => {
      const { name, last4 } = details.get(accountId)!;
      return { accountId, kind, currency, name, number, iban, last4, refs, linked };
    },
  );
  const asListed = once.map((account) => {
    const { number_hash: number, iban_hash: iban } = hashesOf(services, account);
    const { ref, kind, currency, name, last4 } = account;
    return { ref, kind, currency, name, number, iban, last4 };
  });
  return { known, once, details, matches: matchAccounts(asListed, asKnown) };
}

/** Returns false if the owner's accounts have changed since they were matched. */
async function storeLinks(tx: Tx, connection: Subject, { seen, added, rows, numbers }: Prepared): Promise<boolean> {
  const { connection_id, owner_id } = connection;
  await tx.run(accounts.lockAccountsOf(owner_id));
  if (seenOf(await tx.many(accounts.knownAccounts(listing(connection)))) !== seen) return false;
  if (added.length > 0) await tx.run(accounts.insertAccounts(added));
  await tx.run(accounts.unlinkOthers(connection_id, rows));
  await tx.run(accounts.linkListed(connection_id, rows));
  await tx.run(accounts.markGone(connection_id));
  if (numbers.length > 0) await tx.run(addOwnNumbers(owner_id, numbers));
  // A list without accounts may be a fault of the bank, so the next sync asks again.
  if (rows.length > 0) await tx.run(accountsListed(connection_id));
  return true;
}

function listing({ owner_id: ownerId, connection_id: connectionId, bank_id: bankId }: Subject) {
  return { ownerId, connectionId, bankId };
}

function seenOf(known: readonly accounts.KnownAccountRow[]): string {
  return JSON.stringify(
    known.map((account) => [account.account_id, account.number_hash, account.iban_hash, account.refs]),
  );
}

function detailsOf({ name, sortCode, accountNumber, iban, last4 }: AccountDetails): AccountDetails {
  return { name, sortCode, accountNumber, iban, last4 };
}

type Hashes = Pick<accounts.KnownAccountRow, 'number_hash' | 'iban_hash'>;

/** What is masked, or given to several accounts, does not tell the account apart. The account stays known by what did. */
function kept(stored: Hashes, now: Hashes, all: readonly Hashes[]): Hashes {
  const best = (what: keyof Hashes) => {
    const isAlone = all.filter((one) => one[what] === now[what]).length === 1;
    return now[what] !== null && isAlone ? now[what] : (stored[what] ?? now[what]);
  };
  return { number_hash: best('number_hash'), iban_hash: best('iban_hash') };
}

function hashesOf({ keys }: Pick<Services, 'keys'>, { sortCode, accountNumber, iban }: BankAccount): Hashes {
  const isWhole = sortCode !== null && accountNumber !== null;
  return {
    number_hash: isWhole ? accountNumberHash({ keys }, { sortCode, accountNumber }) : null,
    iban_hash: iban === null ? null : keys.blindIndex('bank iban', iban.replaceAll(' ', '').toUpperCase()),
  };
}

/** An account that only its British IBAN names has the number that ends it. */
function numbersOf({ keys }: Pick<Services, 'keys'>, { sortCode, accountNumber, iban }: BankAccount): string[] {
  const inIban = /^GB\d\d[A-Z]{4}(\d{6})(\d{8})$/.exec(iban?.replaceAll(' ', '').toUpperCase() ?? '');
  return [
    ...(sortCode !== null && accountNumber !== null ? [accountNumberHash({ keys }, { sortCode, accountNumber })] : []),
    ...(inIban ? [accountNumberHash({ keys }, { sortCode: inIban[1]!, accountNumber: inIban[2]! })] : []),
  ];
}
