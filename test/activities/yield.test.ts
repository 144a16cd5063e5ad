import { accrualRunActivities } from '../../activities/yield/run.ts';
import { yieldActivities } from '../../activities/yield/index.ts';
import { allocationActivities } from '../../activities/allocations.ts';
import { paycheckActivities } from '../../activities/paycheck/index.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, expectSoundLedger } from '../helpers/money.ts';

const clock = movableClock();
const services = withDatabase({ clock, env: { YIELD_RATE_SAVINGS: '0.045' } });
const yields = yieldActivities(services);
const run = accrualRunActivities(services);
const allocations = allocationActivities(services);
const paychecks = paycheckActivities(services);

let count = 0;
async function saver(amount = 500_000) {
  const user_id = `saver-${(count += 1)}`;
  await paychecks.calculatePaycheck({ employee_id: user_id, gross_pay: amount * 2, obligations: [], buffer_rate: '0' });
  const { vault_id } = await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount, label: 'Rainy day' });
  return { user_id, vault_id };
}
afterEach(() => expectSoundLedger(services));

test('spike', async () => {
  clock.set('2026-01-01T10:00:00Z');
  const { user_id, vault_id } = await saver();
  clock.set('2026-02-01T02:00:00Z');
  console.log(await yields.accrueYield({ principal: anyKey, vault_id }));
  console.log(await yields.accrueYield({ principal: anyKey, vault_id }));
  clock.set('2026-03-10T02:00:00Z');
  console.log(await yields.aggregateYield({ user_id }));
  console.log(await yields.getVaultYield({ principal: anyKey, vault_id }));
  console.log(await yields.forecastYield({ user_id, horizon_months: 2 }));
  await saver();
  clock.set('2026-05-10T02:00:00Z');
  const opened = await run.openAccrualRun({ as_of: null });
  console.log(opened);
  const plan = await run.planAccrualPages({ vault_type: 'SAVINGS', after: 0, pages: 3 });
  console.log(plan);
  console.log(await run.accruePage({ ...opened, vault_type: 'SAVINGS', after: 0, upto: plan.ends[0]! }));
  console.log(await run.accruePage({ ...opened, vault_type: 'SAVINGS', after: 0, upto: plan.ends[0]! }));
  console.log(await yields.getVaultYield({ principal: anyKey, vault_id }));
});
