import { standingSplitActivities } from '../../activities/payday/standing-split.ts';
import { affordabilityOf, debtsOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, storeAnyKey, userOf } from '../helpers/money.ts';
import { codeOf, newOwner } from '../helpers/paying.ts';
import { RENT, storeSplit } from '../helpers/payday.ts';
import { outcomeOf } from '../helpers/refusal.ts';

const clock = movableClock();
const env = {
  LIMIT_OWNER_REVISIONS_PER_DAY: '5',
  LIMIT_OWNER_CHECKS_PER_DAY: '5',
  LIMIT_OWNER_PAYEES_PER_DAY: '5',
  LIMIT_OWNER_PAYEE_READS_PER_DAY: '12',
};
const services = withDatabase({ clock, env });
const [paychecks, debts] = [paychecksOf(services), debtsOf(services)];
const [affordability, payments] = [affordabilityOf(services), paymentsOf(services)];
beforeAll(() => storeAnyKey(services));
beforeEach(() => clock.set('2026-11-21T09:30:00.000Z'));

const calculate = (employee_id: string, more: object = {}) =>
  paychecks.calculatePaycheck({ principal: anyKey, employee_id, gross_pay: 100_000, obligations: [], ...more });
const check = (user_id: string, principal = anyKey) =>
  affordability.simulateAffordability({ principal, user_id, proposed_amount: 100, frequency: 'MONTHLY' });
const payee = (name: string) =>
  ({ name, category: 'UTILITIES', sort_code: '401276', account_number: '12345678' }) as const;
const atOnce = (work: () => Promise<unknown>) =>
  Promise.all(Array.from({ length: 40 }, () => outcomeOf(work()).then(({ code }) => code)));
const exactly = (allowed: number, codes: readonly string[]) =>
  expect(codes.filter((code) => code === 'rate-limited')).toHaveLength(codes.length - allowed);
const LIMITED = { code: 'rate-limited', extra: { retry_after: 52_200, limit: 5, window: 86_400 } };

test('of forty calculations at once exactly as many as allowed are stored, and more the next day', async () => {
  const owner = newOwner();
  exactly(5, await atOnce(() => calculate(owner)));
  expect(await outcomeOf(calculate(owner))).toMatchObject(LIMITED);
  clock.set('2026-11-22T00:00:00.000Z');
  expect(await codeOf(calculate(owner))).toBe('done');
});

test('paychecks, debt plans and standing splits share one limit, which a payday may exceed and a refusal does not use', async () => {
  const owner = newOwner();
  const plan = {
    ...{ principal: anyKey, user_id: owner, monthly_budget: 20_000 },
    debts: [{ name: 'Card', balance: 100_000, rate: 2_000, minimum: 1_000 }],
  };
  await calculate(owner);
  const { plan_id } = await debts.createDebtPlan(plan);
  expect(await codeOf(debts.changeDebtPlan({ principal: anyKey, plan_id, debts: [{ name: 'None' }] }))).not.toBe(
    'done',
  );
  await debts.changeDebtPlan({ principal: anyKey, plan_id, monthly_budget: 30_000 });
  await storeSplit(services, owner, [RENT]);
  await storeSplit(services, owner, []);
  const { setStandingSplit } = standingSplitActivities(services);
  const split = { principal: anyKey, user_id: owner, obligations: [], paused: false };
  const more = [
    () => calculate(owner),
    () => debts.createDebtPlan(plan),
    () => debts.changeDebtPlan({ principal: anyKey, plan_id, monthly_budget: 40_000 }),
    () => setStandingSplit(split),
  ];
  for (const store of more) expect(await outcomeOf(store())).toMatchObject(LIMITED);
  expect(await codeOf(calculate(owner, { principal: null, pay_date: '2026-11-20' }))).toBe('done');
});

test('clients and API keys use at most half of a person’s limit, and the person all of it', async () => {
  const person = `usr_${newOwner()}`;
  const own = userOf(person);
  await calculate(person, { principal: own });
  await check(person, anyKey);
  await check(person, { ...own, clientId: 'client_1' } as typeof own);
  expect(await outcomeOf(check(person, anyKey))).toMatchObject({ code: 'rate-limited', extra: { limit: 2 } });
  exactly(3, await atOnce(() => check(person, own)));
  expect(await outcomeOf(check(person, own))).toMatchObject(LIMITED);
});

test('affordability checks have a limit a day', async () => {
  const owner = newOwner();
  await calculate(owner);
  exactly(5, await atOnce(() => check(owner)));
});

test('a person’s new payees have a limit a day, as have payees in lists', async () => {
  const principal = userOf(newOwner());
  exactly(5, await atOnce(() => payments.addProvider({ principal, ...payee('Northern Energy') })));
  const list = () => payments.listProviders({ principal, limit: 5 });
  const { items } = await list();
  const renamed = payments.renameProvider({ principal, provider_id: items[0]!.provider_id, name: 'Other' });
  expect(await outcomeOf(renamed)).toMatchObject(LIMITED);
  await list();
  expect(await codeOf(list())).toBe('rate-limited');
});

test('an application adds payees for many people without a limit a day', async () => {
  exactly(40, await atOnce(() => payments.addProvider({ principal: anyKey, ...payee('Northern Energy') })));
});
