import type { Client } from '../../../client/src/index.ts';
import type { Money } from './money.ts';
import { actionButton, byId, onSubmit, options, textOf } from './page.ts';
import { day } from './words.ts';

interface Thing {
  id: string;
  name: string;
  rename: (name: string) => Promise<unknown>;
  close: () => Promise<unknown>;
}

/** Renames and closes vaults, payees and plans. @returns a function that draws what there is */
export function tidyCard(client: Client, changed: () => Promise<void>) {
  let things: readonly Thing[] = [];
  const chosen = () => things.find(({ id }) => id === (byId('thing') as HTMLSelectElement).value);
  onSubmit('tidy', async (form) => {
    await chosen()?.rename(textOf(form, 'new_name'));
    // Only the name, and before the page changes: the person may already have chosen the next thing.
    (byId('new-name') as HTMLInputElement).value = '';
    await changed();
  });
  const close = async () => {
    await chosen()?.close();
    await changed();
  };
  byId('closing').append(actionButton('Close or remove it', 'Closing…', close));
  return async (money: Money): Promise<void> => {
    const plans = (await client.listDebtPlans({ query: { limit: 100 } })).items;
    things = [...vaultsOf(client, money), ...payeesOf(client, money), ...plans.map((plan) => planOf(client, plan))];
    byId('tidying').hidden = things.length === 0;
    options(
      'thing',
      things.map(({ id, name }) => [id, name] as const),
    );
  };
}

function vaultsOf(client: Client, { balances }: Money): Thing[] {
  const open = balances.vaults.filter(({ closed_at }) => closed_at === undefined);
  return open.map(({ vault_id: id, label }) => ({
    id,
    name: `Vault: ${label ?? 'without a name'}`,
    rename: (to) => client.renameVault({ path: { vault_id: id }, body: { label: to } }),
    close: () => client.closeVault({ path: { vault_id: id } }),
  }));
}

function payeesOf(client: Client, { payees }: Money): Thing[] {
  // The payees of the sandbox belong to nobody.
  const own = [...payees].filter(([id]) => !id.startsWith('prov_sandbox_'));
  return own.map(([id, name]) => ({
    id,
    name: `Payee: ${name}`,
    rename: (to) => client.renameProvider({ path: { provider_id: id }, body: { name: to } }),
    close: () => client.removeProvider({ path: { provider_id: id } }),
  }));
}

function planOf(
  client: Client,
  { plan_id: id, name, created_at }: { plan_id: string; name: string | null; created_at: string },
): Thing {
  return {
    id,
    name: `Plan: ${name ?? day(created_at)}`,
    rename: (to) => client.changeDebtPlan({ path: { plan_id: id }, body: { name: to } }),
    close: () => client.closeDebtPlan({ path: { plan_id: id } }),
  };
}
