import { accrualRunActivities } from '../../activities/yield/run.ts';
import { accrueYield } from '../../activities/yield/accrue.ts';
import { addDays } from '../../domain/dates.ts';
import { allocationsOf, interestOf, paychecksOf, paymentsOf } from '../helpers/activities.ts';
import { withReaders } from '../helpers/bank-books.ts';
import { authorise } from '../helpers/connections.ts';
import { anyKey, expectSoundLedger } from '../helpers/money.ts';
import { outcomeOf } from '../helpers/refusal.ts';

/* From the day on which a person first connects a bank, the person's vaults earn nothing. */

const { banks, services, bank, sql, at, person } = withReaders();
const [yields, allocations, paychecks] = [interestOf(services), allocationsOf(services), paychecksOf(services)];
const runs = accrualRunActivities(services);

beforeAll(() => paymentsOf(services).ensureSandboxPayees());
afterEach(() => expectSoundLedger(services, { clockGoesBack: true }));

const HELD = 500_000;
const RATE = 41_000n;
const PENNY = 365_000_000n;

/** The interest on `HELD` at 4.1 %, posted at the end of each of these numbers of days, and the remainder in units. */
function earned(...periods: number[]) {
  let [total, carried] = [0n, 0n];
  for (const days of periods) {
    const units = (BigInt(HELD) + total) * BigInt(days) * RATE + carried;
    const posted = (2n * units + PENNY) / (2n * PENNY);
    [total, carried] = [total + posted, units - posted * PENNY];
  }
  return { total: Number(total), remainder: Number(carried) };
}

async function saver(day: string) {
  await at(`${day}T12:00:00Z`);
  const who = await person();
  const { user_id } = who;
  const wage = { employee_id: user_id, gross_pay: HELD * 3, obligations: [], buffer_rate: '0' };
  await paychecks.calculatePaycheck({ principal: anyKey, ...wage });
  const save = async (label: string) =>
    (await allocations.allocate({ user_id, vault_type: 'SAVINGS', label, amount: HELD })).vault_id;
  const vaults = { run: await save('run'), hand: await save('hand'), steps: await save('steps') };
  const pay = async () => {
    await sql.run('update users set email_verified_at = now() where user_id = $1', [user_id]);
    const limits = { per_payment: 1, per_month: 1 };
    const order = { bank_id: 'played-local', provider_id: 'prov_sandbox_instant', kind: 'payments', limits } as const;
    const { connection_id } = await bank.connectBank({ ...order, user_id, principal: who.principal });
    return authorise(services, banks, connection_id);
  };
  return { ...who, vaults, pay };
}
type Saver = Awaited<ReturnType<typeof saver>>;

async function runAll(as_of: string) {
  const run = await runs.openAccrualRun({ as_of });
  for (const vault_type of run.vault_types) {
    const { ends } = await runs.planAccrualPages({ vault_type, after: 0, pages: 100 });
    for (const [index, upto] of ends.entries())
      await runs.accruePage({ ...run, vault_type, after: ends[index - 1] ?? 0, upto });
  }
  await runs.closeAccrualRun(run);
}
const accrue = (vault_id: string, as_of: string) =>
  services.db.transaction((tx) => accrueYield(tx, services, { vault_id, as_of }));
const seen = async (vault_id: string) => {
  const { total_accrued, unposted, annual_rate, accruals } = await yields.getVaultYield({ vault_id, limit: 100 });
  return { total_accrued, unposted, annual_rate, accruals };
};

type Event = [instant: string, what: (who: Saver) => unknown];
const connects = (who: Saver) => who.connect();
const asks = ({ user_id, principal }: Saver) =>
  bank.connectBank({ user_id, principal, bank_id: 'played-local', kind: 'accounts' });
const newestOf = async ({ principal }: Saver) =>
  (await bank.listConnections({ principal, limit: 1 })).items[0]!.connection_id;
const revokes = async (who: Saver) =>
  bank.disconnectBank({ principal: who.principal, connection_id: await newestOf(who) });
const renews = async (who: Saver) => authorise(services, banks, await newestOf(who));

const WINTER = ['2026-01-01', '2026-03-01'] as const;
const later: Event = ['2026-01-20T12:00:00Z', connects];

// The vaults are made on the first day. Interest is read and posted on the last.
test.each<[string, from: string, to: string, events: Event[], days: number | null]>([
  ['connects no bank', ...WINTER, [], null],
  ['only asks to connect one', ...WINTER, [['2026-01-20T12:00:00Z', asks]], null],
  ['has accounts read', ...WINTER, [later], 19],
  ['pays over a bank', ...WINTER, [['2026-01-20T12:00:00Z', ({ pay }) => pay()]], 19],
  ['connects just before midnight', ...WINTER, [['2026-01-19T23:59:59.999Z', connects]], 18],
  ['connects on the first day', ...WINTER, [['2026-01-01T23:00:00Z', connects]], 0],
  ['connects two banks', ...WINTER, [later, ['2026-02-10T12:00:00Z', connects]], 19],
  ['ends the connection', ...WINTER, [later, ['2026-01-23T12:00:00Z', revokes]], 19],
  ['renews the connection', ...WINTER, [later, ['2026-02-10T12:00:00Z', renews]], 19],
  ['connects as summer time begins', '2026-03-01', '2026-05-01', [['2026-03-29T00:30:00Z', connects]], 28],
  ['connects late on a summer evening', '2026-06-01', '2026-08-01', [['2026-06-19T23:30:00Z', connects]], 19],
  ['connects as summer time ends', '2026-10-01', '2026-12-01', [['2026-10-24T23:30:00Z', connects]], 24],
])('a person who %s: every view and every way to post agree', async (_who, from, to, events, connectedAfter) => {
  const who = await saver(from);
  const { run, hand, steps } = who.vaults;
  const byMonth = Number(new Date(`${to}T00:00:00Z`)) - Number(new Date(`${from}T00:00:00Z`));
  const whole = connectedAfter ?? byMonth / 86_400_000;
  const months = connectedAfter === null ? [31, 28] : [connectedAfter];
  const [middle, end] = [addDays(from, 9), addDays(from, 24)];
  const accrues = [middle, end].map((day): Event => [`${day}T12:00:00Z`, () => accrue(steps, day)]);
  for (const [instant, happens] of [...events, ...accrues].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    await at(instant);
    await happens(who);
  }
  await at(`${to}T12:00:00Z`);
  const inSteps = [Math.min(9, whole), Math.max(0, Math.min(15, whole - 9)), Math.max(0, whole - 24)];
  const rate = connectedAfter === null ? '0.0410' : '0';
  const shown = await yields.aggregateYield(who);
  expect(shown.by_vault.map(({ annual_rate }) => annual_rate)).toEqual([rate, rate, rate]);
  const [one, , other] = shown.by_vault;
  expect(one).toMatchObject({ total_accrued: 0, unposted: earned(whole).total });
  expect(other!.total_accrued + other!.unposted).toBe(earned(...inSteps).total);
  for (const vault_id of [hand, steps]) await accrue(vault_id, to);
  await runAll(to);
  const posted = [months, [whole], inSteps] as const;
  for (const [index, vault_id] of [run, hand, steps].entries()) {
    const vault = await seen(vault_id);
    expect(vault).toMatchObject({ total_accrued: earned(...posted[index]!).total, unposted: 0, annual_rate: rate });
    const last = (earned(...posted[index]!).remainder / Number(PENNY)).toFixed(9);
    expect(vault.accruals[0]?.remainder ?? '0.000000000').toBe(last);
  }
  const [record] = await sql.many('select failed from accrual_runs order by seq desc limit 1');
  expect(record).toEqual({ failed: 0 });
  const listed = await allocations.listVaults(who);
  expect([Object.keys(listed), listed.vaults.map(({ annual_rate }) => annual_rate)]).toEqual([
    ['user_id', 'safe_to_spend', 'buffer', 'in_flight', 'vaults'],
    [rate, rate, rate],
  ]);
  const renamed = await allocations.renameVault({ principal: anyKey, vault_id: run, label: 'Renamed' });
  expect(renamed.annual_rate).toBe(rate);
  const { projected_yield, effective_apy } = await yields.forecastYield({ user_id: who.user_id, horizon_months: 12 });
  expect([projected_yield > 0, effective_apy]).toEqual(connectedAfter === null ? [true, '4.18'] : [false, '0.00']);
});

test('a paycheck can be reduced at any time, unless its money earned interest before the connection', async () => {
  const reduce = (who: Saver, gross_pay: number) => {
    const pot = [{ type: 'Pot', amount: 100, category: 'SAVINGS' as const }];
    const asked = { principal: anyKey, employee_id: who.user_id, obligations: pot, buffer_rate: '0' };
    return outcomeOf(paychecks.calculatePaycheck({ ...asked, pay_date: '2026-01-15', gross_pay }));
  };
  const [early, late] = [await saver('2026-01-01'), await saver('2026-01-01')];
  await at('2026-01-15T12:00:00Z');
  await reduce(early, 10_000);
  await at('2026-01-20T12:00:00Z');
  for (const { connect } of [early, late]) await connect();
  await reduce(late, 10_000);
  await at('2026-02-20T12:00:00Z');
  expect(await reduce(early, 9_000)).toMatchObject({ code: 'paycheck-already-accrued' });
  expect(await reduce(late, 9_000)).toMatchObject({ code: 'done' });
});
