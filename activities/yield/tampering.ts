import type { Queries } from '../../infra/db/connection.ts';
import { checkedAccruals } from '../../infra/db/queries/yield.ts';
import type { SlicedScan } from '../verify/part.ts';

/** `next` is where the next page begins, or null after the last. */
interface Checked {
  checked: number;
  next: string | null;
  faults: { what: 'accrual'; id: string }[];
}

/** Accruals that are not what their days earn, in the order of their ids, and so of their posting. */
export async function findAccrualTampering(
  db: Queries,
  _keys: unknown,
  { after = '', limit, slice, since }: SlicedScan,
): Promise<Checked> {
  const accruals = await db.many(checkedAccruals(after, limit, slice ?? null, since ?? null));
  const faults = accruals.filter(({ sound }) => !sound).map(({ accrual_id: id }) => ({ what: 'accrual' as const, id }));
  return { checked: accruals.length, next: accruals.length < limit ? null : accruals.at(-1)!.accrual_id, faults };
}

const PAGE = 1_000;

/** The same for all accruals, in the form of the ledger's faults. */
export async function accrualFaults(db: Queries): Promise<{ fault: string; subject: string }[]> {
  const all: { fault: string; subject: string }[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: Checked = await findAccrualTampering(db, undefined, { after, limit: PAGE });
    all.push(...page.faults.map(({ id }) => ({ fault: 'accrual is not what its days earn', subject: id })));
    after = page.next;
  }
  return all;
}
