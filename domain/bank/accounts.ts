import type { AccountKind } from './reading.ts';

interface Account {
  kind: AccountKind;
  currency: string;
  name: string;
  /** Hashes, or null where the bank says nothing. */
  number: string | null;
  iban: string | null;
  /** Of a card, which has no number here: the last digits. */
  last4: string | null;
}

export interface ListedAccount extends Account {
  ref: string;
}

/** `refs`: what the bank that lists calls the account under any consent. Empty for an account of another bank. */
export interface KnownAccount extends Account {
  accountId: string;
  refs: readonly string[];
  /** Whether the connection that lists has had the account before. */
  linked: boolean;
}

/**
 * Finds the accounts that a bank lists among those that are known. Null means that an account is new. They are matched by a
 * number that nothing shares, else by IBAN, else by the bank's own id. Pots share a number, so their names tell them apart.
 * A new consent may call a card something else, so a card of the connection is also known by its name and last digits.
 */
export function matchAccounts(listed: readonly ListedAccount[], known: readonly KnownAccount[]): (string | null)[] {
  const found = new Map<ListedAccount, string>();
  const taken = new Set<string>();
  const match = (isSame: (listed: ListedAccount, known: KnownAccount) => boolean) => {
    for (const account of listed) {
      if (found.has(account)) continue;
      const same = known.find(
        (one) =>
          one.kind === account.kind &&
          one.currency === account.currency &&
          !taken.has(one.accountId) &&
          isSame(account, one),
      );
      if (!same) continue;
      found.set(account, same.accountId);
      taken.add(same.accountId);
    }
  };
  const isAlone = (what: 'number' | 'iban') => {
    const [here, there] = [countsOf(listed, what), countsOf(known, what)];
    return (value: string) => here.get(value) === 1 && there.get(value) === 1;
  };
  const [isOwnNumber, isOwnIban] = [isAlone('number'), isAlone('iban')];
  match((a, b) => a.number !== null && a.number === b.number && isOwnNumber(a.number));
  match((a, b) => a.iban !== null && a.iban === b.iban && isOwnIban(a.iban) && !differ(a.number, b.number));
  match((a, b) => b.refs.includes(a.ref));
  match((a, b) => a.number !== null && a.number === b.number && a.name === b.name);
  const isCard = ({ kind, last4 }: Account) => kind === 'card' && last4 !== null;
  const isLike = (a: Account) => (b: Account) => isCard(b) && a.name === b.name && a.last4 === b.last4;
  match(
    (a, b) =>
      b.linked &&
      isCard(a) &&
      isLike(a)(b) &&
      listed.filter(isLike(a)).length === 1 &&
      known.filter((one) => one.linked && isLike(a)(one)).length === 1,
  );
  return listed.map((account) => found.get(account) ?? null);
}

function differ(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a !== b;
}

function countsOf(accounts: readonly Account[], what: 'number' | 'iban'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { [what]: value } of accounts) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
