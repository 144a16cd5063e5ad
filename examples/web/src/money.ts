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
  connections: readonly Connection[];
  wages: readonly Wage[];
}
export type Connection = Output<'listConnections'>['items'][number];
export type Wage = Output<'listWages'>['items'][number];
type Paycheck = Output<'listPaychecks'>['items'][number];

export async function loadMoney(client: Client, userId: string): Promise<Money> {
  const [balances, paychecks, payments, payees, connections, wages] = await Promise.all([
    client.listVaults({ path: { user_id: userId } }),
    all((cursor) => client.listPaychecks({ query: { cursor, limit: 100 } })),
    all((cursor) => client.listPayments({ query: { cursor, limit: 100 } })),
    all((cursor) => client.listProviders({ query: { cursor, limit: 100 } })),
    client.listConnections({ query: { limit: 20 } }),
    client.listWages({ query: { limit: 10 } }),
  ]);
  const names = payees.map(({ provider_id, name }) => [provider_id, name] as const);
  const bills = billsOf(paychecks, payments, balances);
  return { balances, bills, payments, payees: new Map(names), connections: connections.items, wages: wages.items };
}

async function all<T>(page: Parameters<typeof itemsOf<T>>[0]): Promise<T[]> {
  const items: T[] = [];
  for await (const item of itemsOf(page)) items.push(item);
  return items;
}

/** A later calculation for the same day replaces the earlier one, but the second wage of a day is a paycheck of its own. */
function isInForce(paycheck: Paycheck, place: number, newestFirst: readonly Paycheck[]): boolean {
  const isFurther = ({ pay_date, wage_id }: Paycheck, at: number) =>
    wage_id !== undefined && newestFirst.slice(at + 1).some((one) => one.pay_date === pay_date && one.wage_id);
  const isLater = (one: Paycheck, at: number) =>
    at < place && one.pay_date === paycheck.pay_date && !isFurther(one, at);
  return isFurther(paycheck, place) || !newestFirst.some(isLater);
}

function billsOf(paychecks: readonly Paycheck[], payments: Money['payments'], { vaults }: Money['balances']) {
  const latest = paychecks.filter(isInForce);
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
