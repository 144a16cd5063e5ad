import { hash, randomBytes } from 'node:crypto';
import type { Account, Transaction } from '../accounts.ts';
import { decimalOf } from '../amounts.ts';
import type { Switch, SwitchesOn } from './switches.ts';

/** A part of JSON that is sent as it is. */
type RawJson = object;
const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => RawJson };

/** What one row of an answer is made from. `amount` is the text of its number. */
interface Entry {
  /** Null if the row has no stable id. */
  stableId: string | null;
  amount: string;
  type: 'DEBIT' | 'CREDIT';
  currency: string;
  /** Null if the row has no time. */
  at: string | null;
  text: string;
  party: string | null;
}

export interface Reading {
  account: Account;
  switches: SwitchesOn;
  /** ISO 8601. */
  from: string;
  to: string;
}

/** Ids of the API are not those of the bank's books, or of its other API. */
export function idFrom(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n')).slice(0, 32);
}

/** Newest first. `booked` are the rows of the account's books in the time that was asked for. */
export function rowsOf({ account, switches, from, to }: Reading, booked: readonly Transaction[]): object[] {
  const added = account.kind === 'current' ? addedRows(account, switches) : [];
  const isAsked = ({ at }: Entry) => at === null || (at >= from && at <= to);
  const entries = [...booked.map((row) => entryOf(row, account)), ...added.filter(isAsked)]
    .map((entry) => changed(entry, account, switches))
    .sort((one, other) => (other.at ?? '').localeCompare(one.at ?? ''));
  const all = switches.isOn('same_twice') ? entries.flatMap((entry) => [entry, twinOf(entry)]) : entries;
  return (switches.isOn('shuffle') ? shuffled(all) : all).map(rowOf);
}

/** Pending rows are not in the books. */
export function pendingRowsOf({ account, switches }: Pick<Reading, 'account' | 'switches'>): object[] {
  if (account.kind !== 'current') return [];
  return added(account, switches, 'pending_twin', [{}]).map(rowOf);
}

function entryOf(row: Transaction, { currency }: Account): Entry {
  return {
    stableId: idFrom('row', row.id),
    amount: `${row.amount < 0 ? '-' : ''}${decimalOf(row.amount)}`,
    type: row.amount < 0 ? 'DEBIT' : 'CREDIT',
    currency,
    at: row.bookedAt,
    text: row.reference ?? row.partyName ?? '',
    party: row.partyName,
  };
}

/**
 * The rows that switches add, each made when its switch goes on. They are in these answers alone, not in the books.
 * So balances and the bank's other API do not have them, and they are gone when the switch is off.
 */
function addedRows(account: Account, on: SwitchesOn): Entry[] {
  const isFirst = (name: Switch) => on.count(name) === 0;
  return [
    ...added(account, on, 'late_stable_id', [isFirst('late_stable_id') ? { stableId: null } : {}]),
    ...added(account, on, 'changed_row', [isFirst('changed_row') ? {} : { amount: '22.22' }]),
    ...added(account, on, 'no_day', [{ at: null }]),
    ...added(account, on, 'exponent', [{ amount: '1.2345e3' }, { amount: '1234.50' }]),
    ...added(account, on, 'float_trap', [{ amount: '1.005' }, { amount: '0.30000000000000004' }]),
    ...added(account, on, 'credit_negative', [{ amount: '-11.11' }]),
    ...added(account, on, 'foreign_row', [{ currency: 'EUR' }]),
    ...added(account, on, 'pending_twin', [{}]),
  ];
}

/** These change when they were read before. */
export const COUNTED_READS = ['late_stable_id', 'changed_row'] as const satisfies readonly Switch[];

function added(account: Account, switches: SwitchesOn, name: Switch, rows: readonly Partial<Entry>[]): Entry[] {
  const since = switches.since(name);
  if (since === null) return [];
  return rows.map((row, index) => ({
    stableId: idFrom(account.id, name, since, String(index)),
    amount: '11.11',
    type: 'CREDIT',
    currency: account.currency,
    at: since,
    text: `${name.toUpperCase().replaceAll('_', ' ')} ${index + 1}`,
    party: null,
    ...row,
  }));
}

/** Rows that are about a stable id keep it, so that all switches work together. */
function changed(entry: Entry, { kind }: Account, switches: SwitchesOn): Entry {
  const isAboutId = /^(?:LATE STABLE ID|CHANGED ROW) /.test(entry.text);
  const isCard = kind === 'card';
  const turned = isCard || (entry.type === 'DEBIT' && switches.isOn('positive_debit'));
  return {
    ...entry,
    amount: turned ? negated(entry.amount) : entry.amount,
    stableId: switches.isOn('no_stable_id') && !isAboutId ? null : entry.stableId,
  };
}

function negated(amount: string): string {
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`;
}

function twinOf(entry: Entry): Entry {
  return { ...entry, stableId: entry.stableId === null ? null : idFrom(entry.stableId, 'twin') };
}

function shuffled(entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({ entry, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ entry }) => entry);
}

function rowOf({ stableId, amount, type, currency, at, text, party }: Entry): object {
  return {
    transaction_id: randomBytes(16).toString('hex'),
    ...(stableId !== null && { normalised_provider_transaction_id: `txn-${stableId}` }),
    ...(at !== null && { timestamp: at }),
    description: text,
    transaction_type: type,
    transaction_category: type === 'DEBIT' ? 'PURCHASE' : 'CREDIT',
    transaction_classification: [],
    amount: rawJSON(amount),
    currency,
    ...(party !== null && type === 'DEBIT' && { merchant_name: party }),
    meta: {
      provider_reference: text,
      ...(party !== null && { counter_party_preferred_name: party }),
    },
  };
}
