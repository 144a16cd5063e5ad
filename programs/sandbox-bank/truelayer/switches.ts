import * as z from 'zod';
import type { BankClock } from '../clock.ts';
import type { Database } from '../database.ts';

const on = z.literal(true).optional();
const times = z.int().min(1).max(1_000).optional();
const switches = z.strictObject({
  error_without_state: on,
  query_answer: on,
  lost_refresh: times,
  stale_me: on,
  no_stable_id: on,
  late_stable_id: on,
  shuffle: on,
  same_twice: on,
  changed_row: on,
  no_day: on,
  exponent: on,
  float_trap: on,
  credit_negative: on,
  foreign_row: on,
  positive_debit: on,
  sca: on,
  throttle: times,
  failed_status: on,
  account_error: on,
  shared_number: on,
  masked_number: on,
  new_ids: on,
  pending_twin: on,
});

export const switchesBody = z.strictObject({ owner_id: z.string().regex(/^[A-Za-z0-9_-]{1,128}$/), switches });

type Given = z.output<typeof switches>;
export type Switch = keyof Given;
/** These fail so many times, and then no longer. */
export type CountedSwitch = 'lost_refresh' | 'throttle';

/** The switches of one customer. */
export interface SwitchesOn {
  isOn(name: Switch): boolean;
  /** Null if it is off. It stays the same while the switch is on. */
  since(name: Switch): string | null;
  /** How often `count` was called since the switch went on. */
  count(name: Switch): number;
}

interface Row {
  name: Switch;
  since: string;
  count: number;
}

export type Switches = ReturnType<typeof openSwitches>;

/** What goes wrong for a customer, until it is switched off. */
export function openSwitches(db: Database, clock: BankClock) {
  const { sql } = db;
  const all = sql.prepare('SELECT name, since, count FROM truelayer_switches WHERE owner_id = ?');
  const put = sql.prepare('INSERT INTO truelayer_switches VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING');
  const remove = sql.prepare('DELETE FROM truelayer_switches WHERE owner_id = ? AND name = ?');
  const count = sql.prepare('UPDATE truelayer_switches SET count = count + 1 WHERE owner_id = ? AND name = ?');
  const spend = sql.prepare(`UPDATE truelayer_switches SET count = count + 1
    WHERE owner_id = ? AND name = ? AND count < value`);

  return {
    /** Ends the others. One that was on goes on as it is, but a counted one begins anew. */
    set(ownerId: string, given: Given): void {
      const wanted = Object.entries(given).filter(([, value]) => value !== undefined);
      db.atomically(() => {
        for (const { name } of all.all(ownerId) as unknown as Row[])
          if (given[name] !== true) remove.run(ownerId, name);
        for (const [name, value] of wanted) put.run(ownerId, name, Number(value), clock.now().toISOString());
      });
    },
    of(ownerId: string): SwitchesOn {
      const rows = new Map((all.all(ownerId) as unknown as Row[]).map((row) => [row.name, row]));
      return {
        isOn: (name) => rows.has(name),
        since: (name) => rows.get(name)?.since ?? null,
        count: (name) => rows.get(name)?.count ?? 0,
      };
    },
    count: (ownerId: string, name: Switch) => void count.run(ownerId, name),
    /** Returns whether the switch is on and not used up. */
    spend: (ownerId: string, name: CountedSwitch): boolean => spend.run(ownerId, name).changes > 0,
  };
}
