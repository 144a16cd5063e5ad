import { insertion } from '../../infra/db/query.ts';
import type { NewRow } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';

const insertWage = insertion('test.insertWage', 'bank_wages');

/** Stores a wage that the person has confirmed through an application. Returns its id. */
export async function storeWage(
  services: Services,
  owner_id: string,
  given: Partial<NewRow<'bank_wages'>> & { amount: number; received_on: string },
): Promise<string> {
  const [wage_id, at] = [services.newId('wage'), new Date().toISOString()];
  const credit = { wage_id, owner_id, account_id: 'acct_1', transaction_id: services.newId('txn') };
  const known = { matched_by: 'person', status: 'confirmed', confirmed_at: at, created_at: at } as const;
  await services.db.run(insertWage({ ...credit, ...known, ...given }));
  return wage_id;
}
