import { allocationActivities } from '../../activities/allocations.ts';
import { ledgerFaults } from '../../activities/ledger.ts';
import { paycheckActivities } from '../../activities/paycheck.ts';
import { withDatabase } from '../helpers/database.ts';

const services = withDatabase();
const paychecks = paycheckActivities(services);
const allocations = allocationActivities(services);

test('smoke', async () => {
  const base = { employee_id: 'o1', gross_pay: 300000, obligations: [{ type: 'Rent', amount: 120000, category: 'FIXED' as const }, { type: 'Rent', amount: 5, category: 'FIXED' as const }], include_history: true };
  const first = await paychecks.calculatePaycheck(base);
  console.log(JSON.stringify(first, null, 1));
  console.log(JSON.stringify(await paychecks.calculatePaycheck({ ...base, gross_pay: 290000, obligations: [{ type: 'Rent', amount: 120001, category: 'FIXED' }] }), null, 1));
  console.log(JSON.stringify(await paychecks.explainPaycheck({ id: first.id }), null, 1));
  console.log(JSON.stringify(await paychecks.simulatePaycheck(base)));
  console.log(JSON.stringify(await paychecks.listPaychecks({ employee_id: 'o1', limit: 1 })));
  const a = await allocations.allocate({ user_id: 'o1', vault_type: 'SAVINGS', amount: 100 });
  console.log(a);
  console.log(await allocations.withdraw({ user_id: 'o1', vault_id: a.vault_id, amount: 30, allocation_id: a.allocation_id }));
  console.log(await allocations.transferBetweenVaults({ user_id: 'o1', from_vault_id: a.vault_id, amount: 30, to_vault_type: 'SAVINGS', to_label: 'x' }));
  console.log(await allocations.listVaults({ user_id: 'o1' }), await allocations.listVaults({ user_id: 'o2' }));
  console.log(await allocations.listAllocationHistory({ user_id: 'o1', limit: 2 }), await allocations.listAllocationHistory({ user_id: 'o1', vault_id: a.vault_id, from: '2026-01-01', to: '2026-01-02T00:00:00Z' }));
  expect(await ledgerFaults(services)).toEqual([]);
});
