import { listPaydays } from '../../activities/payday/list.ts';
import { startPaydays } from '../../activities/payday/start.ts';
import { paydayWorkflowActivities } from '../../activities/payday/index.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { insertion } from '../../infra/db/query.ts';
import type { NewRow } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';
import { userOf } from './money.ts';
import { sqlOf } from './oauth.ts';
import { storeWage } from './wages.ts';

const insertSplit = insertion('test.insertSplit', 'standing_splits');
const insertEntry = insertion('test.insertEntry', 'standing_entries');

export type Entry = Partial<NewRow<'standing_entries'>>;

/** Before the days on which tests pay. */
const SET_AT = '2026-01-01T12:00:00.000Z';

/** Stores a standing split with these entries, in this order. Returns their ids. */
export async function storePaydaySplit(
  services: Services,
  owner_id: string,
  entries: readonly Entry[],
  split: Partial<NewRow<'standing_splits'>> = {},
): Promise<string[]> {
  const { db } = services;
  const at = (await services.clock.now(db)).toISOString();
  await db.run(insertSplit({ owner_id, buffer_rate: '0', version: 1, set_by: owner_id, updated_at: at, ...split }));
  const rows = entries.map((entry, index) => ({
    ...{ entry_id: services.newId('ent'), owner_id, position: index + 1, type: `Bill ${index + 1}`, amount: 10_000 },
    ...{ category: 'FIXED' as const, set_by: owner_id, created_at: SET_AT, updated_at: SET_AT },
    ...entry,
  }));
  for (const row of rows) await db.run(insertEntry(row));
  return rows.map(({ entry_id }) => entry_id);
}

/** The steps of paydays, without Temporal. */
export function paydaysOf(services: Services) {
  const steps = paydayWorkflowActivities(services);
  const sql = sqlOf(services);
  const today = async () => londonDateOf(await services.clock.now(services.db));
  /** Stores a confirmed wage that starts a payday if there is a split. */
  async function confirm(owner: string, amount: number, received_on?: string): Promise<string> {
    const wage_id = await storeWage(services, owner, { amount, received_on: received_on ?? (await today()) });
    const at = await services.clock.now(services.db);
    await services.db.transaction((tx) => startPaydays(tx, services, { ownerId: owner, wageIds: [wage_id], at }));
    return wage_id;
  }
  /** As the workflow does. `between` runs before each step but the first. */
  async function run(wage_id: string, between: (step: number) => unknown = () => undefined): Promise<void> {
    const { entry_ids } = await steps.splitWage({ wage_id });
    for (const [index, entry_id] of entry_ids.entries()) {
      await between(index + 1);
      await steps.payBill({ wage_id, entry_id });
    }
    await between(entry_ids.length + 1);
    await steps.endPayday({ wage_id });
  }
  const list = async (owner: string) =>
    (await listPaydays(services, { principal: userOf(owner), user_id: owner, limit: 100 })).items;
  return {
    ...steps,
    confirm,
    run,
    list,
    /** A wage and its payday. @returns what callers see of the payday. */
    async payday(owner: string, amount: number, received_on?: string) {
      const wage_id = await confirm(owner, amount, received_on);
      await run(wage_id);
      return (await list(owner)).find((one) => one.wage_id === wage_id)!;
    },
    /** In the order in which they were made. */
    payments: (owner: string) =>
      sql.many<{ payment_id: string; amount: number; execute_on: string | null; due_date: string; status: string }>(
        `select payment_id, amount::int, execute_on::text, due_date::text, status from payments where owner_id = $1 order by seq`,
        [owner],
      ),
    /** What the vaults hold, by their labels. */
    async vaults(owner: string) {
      const rows = await sql.many<{ label: string; balance: number }>(
        `select v.label, a.balance::int from vaults v join ledger_accounts a using (vault_id) where v.owner_id = $1`,
        [owner],
      );
      return Object.fromEntries(rows.map(({ label, balance }) => [label, balance]));
    },
  };
}
