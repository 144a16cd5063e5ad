import { randomUUID } from 'node:crypto';
import type { BankClock } from './clock.ts';
import type { Database } from './database.ts';

export const ACCOUNT_KINDS = ['current', 'savings', 'card', 'euro'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];

/** Amounts are signed minor units of `currency`. */
export interface Account {
  id: string;
  ownerId: string;
  holder: string;
  kind: AccountKind;
  currency: 'GBP' | 'EUR';
  sortCode: string;
  accountNumber: string;
  balance: number;
  creditLine: number;
  openedAt: string;
}

export interface Transaction {
  seq: number;
  id: string;
  accountId: string;
  /** Negative if the account is debited. */
  amount: number;
  bookedAt: string;
  reference: string | null;
  /** The payer of a credit, or the payee of a debit. */
  partyName: string | null;
  /** 14 digits. */
  partyAccount: string | null;
}

export type Booking = Omit<Transaction, 'seq' | 'id'>;

export interface TransactionPage {
  from: string | null;
  to: string | null;
  after: number;
  most: number;
}

const OPENING = [
  { kind: 'current', currency: 'GBP', balance: 100_000, creditLine: 50_000 },
  { kind: 'savings', currency: 'GBP', balance: 50_000, creditLine: 0 },
  { kind: 'card', currency: 'GBP', balance: -12_345, creditLine: 100_000 },
  { kind: 'euro', currency: 'EUR', balance: 7_777, creditLine: 0 },
] as const satisfies readonly Pick<Account, 'kind' | 'currency' | 'balance' | 'creditLine'>[];

const SORT_CODE = '009901';
const GIVEN_NAMES = ['Alex', 'Bilal', 'Carys', 'Dara', 'Esme', 'Femi', 'Grace', 'Hamza', 'Isla', 'Jamie'];
const FAMILY_NAMES = ['Ahmed', 'Baker', 'Clarke', 'Davies', 'Evans', 'Fraser', 'Green', 'Hughes', 'Irvine', 'Jones'];

export type Accounts = ReturnType<typeof openAccounts>;

export function openAccounts(db: Database, clock: BankClock) {
  const { sql } = db;
  const addCustomer = sql.prepare(`INSERT INTO customers (owner_id, name) VALUES (?, '')
    ON CONFLICT DO NOTHING RETURNING number`);
  const nameCustomer = sql.prepare('UPDATE customers SET name = ? WHERE number = ?');
  const addAccount = sql.prepare('INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)');
  const select = `SELECT id, owner_id AS ownerId, name AS holder, kind, currency, sort_code AS sortCode,
    account_number AS accountNumber, balance, credit_line AS creditLine, opened_at AS openedAt
    FROM accounts JOIN customers USING (owner_id) WHERE closed_at IS NULL`;
  const openOf = sql.prepare(`${select} AND owner_id = ? ORDER BY account_number`);
  const all = sql.prepare(`${select} ORDER BY opened_at DESC, account_number`);
  const one = sql.prepare(`${select} AND id = ?`);
  const close = sql.prepare('UPDATE accounts SET closed_at = ? WHERE id = ? AND closed_at IS NULL');
  const change = sql.prepare('UPDATE accounts SET balance = balance + ? WHERE id = ?');
  const addTransaction = sql.prepare('INSERT INTO transactions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)');
  const page = sql.prepare(`SELECT seq, id, account_id AS accountId, amount, booked_at AS bookedAt, reference,
    party_name AS partyName, party_account AS partyAccount FROM transactions
    WHERE account_id = ?1 AND seq > ?2 AND (?3 IS NULL OR booked_at >= ?3) AND (?4 IS NULL OR booked_at <= ?4)
    ORDER BY seq LIMIT ?5`);

  /** Opens the accounts of a customer whom the bank has never seen. */
  function accountsOf(ownerId: string): Account[] {
    db.atomically(() => {
      const added = addCustomer.get(ownerId) as { number: number } | undefined;
      if (added === undefined) return;
      nameCustomer.run(nameOf(added.number), added.number);
      const at = clock.now().toISOString();
      OPENING.forEach(({ kind, currency, balance, creditLine }, index) => {
        const accountNumber = String(10_000_000 + added.number * 10 + index);
        addAccount.run(
          `acc-${randomUUID()}`,
          ownerId,
          kind,
          currency,
          SORT_CODE,
          accountNumber,
          balance,
          creditLine,
          at,
        );
      });
    });
    return openOf.all(ownerId) as unknown as Account[];
  }

  /** Returns the transaction's id. */
  function book({ accountId, amount, bookedAt, reference, partyName, partyAccount }: Booking): string {
    const id = `txn-${randomUUID()}`;
    db.atomically(() => {
      change.run(amount, accountId);
      addTransaction.run(id, accountId, amount, bookedAt, reference, partyName, partyAccount);
    });
    return id;
  }

  return {
    accountsOf,
    all: () => all.all() as unknown as Account[],
    find: (id: string) => one.get(id) as unknown as Account | undefined,
    close: (id: string): boolean => close.run(clock.now().toISOString(), id).changes > 0,
    book,
    /** Returns the id of the second transaction. */
    transfer: (from: Booking, into: Booking): string => db.atomically(() => (book(from), book(into))),
    /** Oldest first. */
    transactions(accountId: string, { from, to, after, most }: TransactionPage): Transaction[] {
      return page.all(accountId, after, from, to, most) as unknown as Transaction[];
    },
  };
}

function nameOf(number: number): string {
  const given = GIVEN_NAMES[number % GIVEN_NAMES.length];
  return `${given} ${FAMILY_NAMES[Math.floor(number / GIVEN_NAMES.length) % FAMILY_NAMES.length]}`;
}
