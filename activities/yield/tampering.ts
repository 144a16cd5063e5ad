import type { Queries } from '../../infra/db/connection.ts';
import { checkedAccruals } from '../../infra/db/queries/yield.ts';

/** `next` is where the next page begins, or null after the last. */
interface Checked {
  checked: number;
  next: string | null;
  faults: { what: 'accrual'; id: string }[];
}

/** Accruals that are not what their days earn, in the order of their posting. */
export async function findAccrualTampering(
  db: Queries,
  _keys: unknown,
  { after = '0', limit }: { after?: string; limit: number },
): Promise<Checked> {
  const accruals = await db.many(checkedAccruals(Number(after), limit));
  const faults = accruals.filter(({ sound }) => !sound).map(({ accrual_id: id }) => ({ what: 'accrual' as const, id }));
  return { checked: accruals.length, next: accruals.length < limit ? null : String(accruals.at(-1)!.seq), faults };
}
