import { itemsOf, type Client, type Output } from '../../../client/src/index.ts';
import { day } from './words.ts';

/** What the service knows of a person's money. Lists begin with the newest item. */
export interface Money {
  balances: Output<'listVaults'>;
  /** `left` is what is still to pay, in pence. */
  bills: readonly { allocationId: string; name: string; left: number }[];
  payments: Output<'listPayments'>['items'];
  /** The names of the payees by id. */
  payees: ReadonlyMap<string, string>;
}

export async function loadMoney(client: Client, userId: string): Promise<Money> {
  const [balances, paychecks, payments, payees] = await Promise.all([
    client.listVaults({ path: { user_id: userId } }),
    all((cursor) => client.listPaychecks({ query: { cursor, limit: 100 } })),
    all((cursor) => client.listPayments({ query: { cursor, limit: 100 } })),
    all((cursor) => client.listProviders({ query: { cursor, limit: 100 } })),
  ]);
  const names = payees.map(({ provider_id, name }) => [provider_id, name] as const);
  return { balances, bills: billsOf(paychecks, payments, balances), payments, payees: new Map(names) };
}

async function all<T>(page: Parameters<typeof itemsOf<T>>[0]): Promise<T[]> {
  const items: T[] = [];
  for await (const item of itemsOf(page)) items.push(item);
  return items;
}

function billsOf(
  paychecks: Output<'listPaychecks'>['items'],
  payments: Money['payments'],
  { vaults }: Money['balances'],
) {
  // A later calculation for the same day replaces the earlier one.
  const days = paychecks.map(({ pay_date }) => pay_date);
  const latest = paychecks.filter(({ pay_date }, index) => days.indexOf(pay_date) === index);
  const gone = payments.filter(({ status }) => ['pending', 'processing', 'completed'].includes(status));
  const held = new Map(vaults.map(({ vault_id, balance }) => [vault_id, balance]));
  return latest.flatMap(({ vaults: bills, pay_date }) =>
    bills.map(({ type, amount, vault_id, allocation_id: allocationId }) => {
      const own = gone.filter(({ vault_allocation_id }) => vault_allocation_id === allocationId);
      const inVault = held.get(vault_id) ?? 0;
      const left = Math.min(inVault, amount - own.reduce((sum, payment) => sum + payment.amount, 0));
      held.set(vault_id, inVault - left);
      return { allocationId, name: latest.length > 1 ? `${type} of ${day(pay_date)}` : type, left };
    }),
  );
}
