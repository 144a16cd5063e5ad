import { addDays, addMonths, monthStartOf, type CalendarDate } from '../dates.ts';
import { DomainError, type InputFault } from '../errors.ts';
import type { VaultType } from '../ledger.ts';
import type { Pence } from '../money.ts';
import { LATE_DAYS } from './days.ts';

/** `providerId` is null unless the entry pays a bill. Then `payDay` null means with each wage. */
export interface Entry {
  type: string;
  category: VaultType;
  amount: Pence;
  providerId: string | null;
  /** 1 to 31. */
  payDay: number | null;
  payAmount: Pence | null;
  reference: string | null;
}

export interface KnownEntry extends Entry {
  entryId: string;
  paysFrom: CalendarDate | null;
}

export interface WantedEntry extends Entry {
  /** Null for a new entry. */
  entryId: string | null;
}

/** An entry of the new standing split, beside the one that it replaces. `isChanged` is true for a new entry too. */
export interface Matched {
  wanted: WantedEntry;
  before: KnownEntry | null;
  isChanged: boolean;
}

export interface Changes {
  /** In the order of the new standing split. */
  entries: readonly Matched[];
  dropped: readonly KnownEntry[];
}

interface GivenEntry {
  entry_id?: string;
  provider_id?: string;
  pay_on?: unknown;
  pay_amount?: number;
  reference?: string;
}

export function entryFaults(obligations: readonly GivenEntry[]): InputFault[] {
  const known = new Set<string>();
  return obligations.flatMap((entry, index) => {
    const faults = Object.entries(billFaults(entry));
    if (entry.entry_id !== undefined && known.has(entry.entry_id)) {
      faults.unshift(['entry_id', 'is the id of an earlier entry in the list']);
    }
    if (entry.entry_id !== undefined) known.add(entry.entry_id);
    return faults.map(([name, detail]) => ({ pointer: `/obligations/${index}/${name}`, detail }));
  });
}

function billFaults({ provider_id, pay_on, pay_amount, reference }: GivenEntry): Record<string, string> {
  if (provider_id !== undefined && pay_on !== undefined) return {};
  if (provider_id !== undefined) return { pay_on: 'is required with provider_id' };
  if (pay_on !== undefined) return { provider_id: 'is required with pay_on' };
  const detail = 'can be sent only with provider_id and pay_on';
  return {
    ...(pay_amount !== undefined && { pay_amount: detail }),
    ...(reference !== undefined && { reference: detail }),
  };
}

/** @throws DomainError `unknown-entry` */
export function changesOf(before: readonly KnownEntry[], wanted: readonly WantedEntry[]): Changes {
  const known = new Map(before.map((entry) => [entry.entryId, entry]));
  const entries = wanted.map((entry, index): Matched => {
    if (entry.entryId === null) return { wanted: entry, before: null, isChanged: true };
    const old = known.get(entry.entryId);
    if (!old) throw unknownEntry(index);
    known.delete(entry.entryId);
    return { wanted: entry, before: old, isChanged: FIELDS.some((field) => entry[field] !== old[field]) };
  });
  return { entries, dropped: [...known.values()] };
}

const FIELDS = ['type', 'category', 'amount', 'providerId', 'payDay', 'payAmount', 'reference'] as const;

function unknownEntry(index: number): DomainError {
  return new DomainError(
    'unknown-entry',
    `The standing split has no entry with the id in /obligations/${index}/entry_id.`,
  );
}

/** Whether a change adds, changes or drops an entry that pays a bill, or pauses or resumes such entries. */
export function concernsBills({ entries, dropped }: Changes, changesPause: boolean): boolean {
  const pays = (entry: Entry | null) => entry !== null && entry.providerId !== null;
  const isConcerned = entries.some(
    ({ wanted, before, isChanged }) => (isChanged || changesPause) && (pays(wanted) || pays(before)),
  );
  return isConcerned || dropped.some(pays);
}

/** Payments of months before this one no longer matter: no payday pays their bills. */
export function earliestMonth(today: CalendarDate): CalendarDate {
  return monthStartOf(addDays(today, -LATE_DAYS));
}

/**
 * The first day from which an entry pays, or null if at once. Otherwise, dropping an entry and adding it again, or going
 * to another payee and back, could pay a bill twice.
 * @param paidThrough the last month for which the standing split has paid or scheduled a payment to the payee's account
 */
export function paysFrom({ wanted, before }: Matched, paidThrough: CalendarDate | undefined): CalendarDate | null {
  if (wanted.providerId === null) return null;
  const isSame = before !== null && before.providerId === wanted.providerId && before.payDay === wanted.payDay;
  if (isSame) return before.paysFrom;
  return paidThrough === undefined ? null : addMonths(paidThrough, 1);
}

export interface Rename {
  category: VaultType;
  from: string;
  to: string;
}

/** The vaults that get another name with their entry: those in which no other entry sets money aside. */
export function renamesOf({ entries, dropped }: Changes): Rename[] {
  const uses = [...entries.flatMap(({ wanted, before }) => [wanted, before ?? []].flat()), ...dropped];
  return entries.flatMap(({ wanted, before }) => {
    if (before === null || before.category !== wanted.category || before.type === wanted.type) return [];
    const isShared = uses.some(
      (other) => other !== before && other.category === before.category && other.type === before.type,
    );
    return isShared ? [] : [{ category: wanted.category, from: before.type, to: wanted.type }];
  });
}
