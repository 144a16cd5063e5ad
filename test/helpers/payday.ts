import { standingSplitActivities } from '../../activities/payday/standing-split.ts';
import type { Principal } from '../../domain/auth.ts';
import { monthStartOf } from '../../domain/dates.ts';
import { insertion } from '../../infra/db/query.ts';
import type { NewRow } from '../../infra/db/tables.ts';
import type { Services } from '../../infra/services.ts';
import type { StandingEntryRequest } from '../../openapi/types.ts';
import { userOf } from './money.ts';
import { storeWage } from './wages.ts';

export const RENT = { type: 'Rent', amount: 40_000, category: 'FIXED' } as const;
/** Rent that is paid on the first of each month. */
export const RENT_BILL = { ...RENT, provider_id: 'prov_sandbox_instant', pay_on: 1 } as const;

interface Given {
  principal?: Principal;
  buffer_rate?: string;
  paused?: boolean;
  versions?: readonly number[];
}

/** Sets the standing split as its owner would, unless a `principal` is given. */
export function storeSplit(
  services: Services,
  user_id: string,
  obligations: readonly StandingEntryRequest[],
  { principal = userOf(user_id), paused = false, ...more }: Given = {},
) {
  const request = { user_id, principal, obligations: [...obligations], paused, ...more };
  return standingSplitActivities(services).setStandingSplit(request);
}

const insertPayday = insertion('test.insertPayday', 'paydays');
const insertBill = insertion('test.insertBill', 'payday_bills');

type Bill = Partial<NewRow<'payday_bills'>> & { entry_id: string };

/** Stores that a payday of a new wage paid the entry by this payment: for this month, or on arrival if `month` is null. */
export async function storeBill(services: Services, owner_id: string, { payment_id, month, ...bill }: Bill) {
  const at = (await services.clock.now(services.db)).toISOString();
  const wage_id = await storeWage(services, owner_id, { amount: 200_000, received_on: at.slice(0, 10) });
  await services.db.run(insertPayday({ wage_id, owner_id, started_at: at, ended_at: at }));
  const paid = { payment_id: payment_id ?? null, month: month === undefined ? monthStartOf(at.slice(0, 10)) : month };
  await services.db.run(
    insertBill({ wage_id, owner_id, type: RENT.type, amount: RENT.amount, created_at: at, ...paid, ...bill }),
  );
  return wage_id;
}
