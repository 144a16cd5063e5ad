import type { Entry, KnownEntry, WantedEntry } from '../../domain/payday/changes.ts';
import { pence } from '../../domain/money.ts';
import type { EntryRow, SplitRow } from '../../infra/db/queries/payday.ts';
import type { StoredEntry } from '../../infra/db/queries/standing-splits.ts';
import type { StandingEntry, StandingEntryRequest, StandingSplit } from '../../openapi/types.ts';

const ON_ARRIVAL = 'on_arrival';

export function knownEntry(row: EntryRow): KnownEntry {
  return {
    entryId: row.entry_id,
    type: row.type,
    category: row.category,
    amount: pence(row.amount),
    providerId: row.provider_id,
    payDay: row.pay_day,
    payAmount: row.pay_amount === null ? null : pence(row.pay_amount),
    reference: row.reference,
    paysFrom: row.pays_from,
  };
}

export function wantedEntry(given: StandingEntryRequest): WantedEntry {
  const { pay_on: payOn, pay_amount: payAmount } = given;
  return {
    entryId: given.entry_id ?? null,
    type: given.type,
    category: given.category,
    amount: pence(given.amount),
    providerId: given.provider_id ?? null,
    payDay: payOn === undefined || payOn === ON_ARRIVAL ? null : payOn,
    payAmount: payAmount === undefined ? null : pence(payAmount),
    reference: given.reference?.trim() ?? null,
  };
}

export function entryColumns({ type, category, amount, providerId, payDay, payAmount, reference }: Entry) {
  return { type, category, amount, provider_id: providerId, pay_day: payDay, pay_amount: payAmount, reference };
}

export function splitView(split: SplitRow, entries: readonly StoredEntry[]): StandingSplit {
  const { owner_id, buffer_rate, paused_at, version, set_by, updated_at } = split;
  return {
    user_id: owner_id,
    obligations: entries.map(entryView),
    ...(buffer_rate !== null && { buffer_rate }),
    paused: paused_at !== null,
    version,
    set_by,
    updated_at,
  };
}

function entryView(entry: StoredEntry): StandingEntry {
  const { entry_id, type, amount, category, provider_id, pay_day, pay_amount, reference, pays_from, set_by } = entry;
  return {
    ...{ entry_id, type, amount, category: category },
    ...(provider_id !== null && { provider_id, pay_on: pay_day ?? ON_ARRIVAL }),
    ...(pay_amount !== null && { pay_amount }),
    ...(reference !== null && { reference }),
    ...(pays_from !== null && { pays_from }),
    set_by,
  };
}
