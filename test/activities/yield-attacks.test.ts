import fc from 'fast-check';
import pg from 'pg';
import { readRates, recordRates, ratesOfVault } from '../../activities/yield/rates.ts';
import { standingOf } from '../../activities/yield/post.ts';
import { findAccrualTampering } from '../../activities/yield/tampering.ts';
import { accrualRunActivities } from '../../activities/yield/run.ts';
import { addDays } from '../../domain/dates.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { planAccruals } from '../../domain/yield.ts';
import type { StandingRow } from '../../infra/db/queries/yield.ts';
import { verifyLedger } from '../../programs/admin/verify.ts';
import { allocationsOf, interestOf, paychecksOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { withDatabase } from '../helpers/database.ts';
import { anyKey, expectSoundLedger } from '../helpers/money.ts';
import { asOwner, ownerSql } from '../helpers/owner.ts';

/* Only the schema's owner sets rates, and the database calculates the interest: a thief of the service's role gets none. */

const clock = movableClock();
const services = withDatabase({ clock, env: { YIELD_RATE_SAVINGS: '0.045' } });
const [yields, allocations, paychecks] = [interestOf(services), allocationsOf(services), paychecksOf(services)];
let thief: pg.Client;
beforeAll(async () => {
  thief = new pg.Client({ connectionString: services.config.database.url });
  thief.on('error', () => undefined);
  await thief.connect();
});
afterAll(() => thief.end());

const sql = async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  (await ownerSql(services, text, values)) as Row[];
const on = async (day: string) => {
  clock.set(`${day}T12:00:00Z`);
  await services.clock.now(services.db);
};
const detail = (vault_id: string) => yields.getVaultYield({ vault_id, limit: 100 });

let savers = 0;
async function saver(amount: number, vault_type: VaultType = 'SAVINGS') {
  const user_id = `saver-${(savers += 1)}`;
  const wage = { employee_id: user_id, gross_pay: amount, obligations: [], buffer_rate: '0' };
  await paychecks.calculatePaycheck({ principal: anyKey, ...wage });
  const { vault_id } = await allocations.allocate({ user_id, vault_type, amount, label: 'Rainy day' });
  return { user_id, vault_id };
}

describe('a change of rates', () => {
  const record = async (rates: Partial<Record<VaultType, string>>) => {
    const owner = await asOwner(services);
    await owner.transaction((tx) => recordRates(tx, { ...services.config.yield.annualRates, ...rates }));
  };
  afterEach(() => expectSoundLedger(services));

  test('applies from the day on which the owner of the schema records it, and earlier days keep the old rate', async () => {
    await on('2027-01-01');
    const { vault_id } = await saver(100_000);
    await on('2027-01-11');
    for (let times = 0; times < 2; times += 1) await record({ SAVINGS: '0.0365' });
    expect((await readRates(services.db)).SAVINGS).toEqual([
      { from: '0001-01-01', annualRate: '0.045' },
      { from: '2027-01-11', annualRate: '0.0365' },
    ]);
    await on('2027-02-01');
    expect(await detail(vault_id)).toMatchObject({ annual_rate: '0.0365', unposted: 334 });
    await yields.accrueYield({ vault_id });
    expect((await detail(vault_id)).accruals.toReversed()).toMatchObject([
      { from: '2027-01-01', to: '2027-01-11', annual_rate: '0.045', accrued: 123 },
      { from: '2027-01-11', to: '2027-02-01', annual_rate: '0.0365', accrued: 211 },
    ]);
  });

  test('does not apply to earlier days on which vaults earned nothing', async () => {
    await on('2027-03-01');
    const { vault_id } = await saver(100_000, 'FIXED');
    await on('2028-03-01');
    await record({ SAVINGS: '0.0365', FIXED: '0.0365' });
    const runs = accrualRunActivities(services);
    expect((await runs.openAccrualRun({ as_of: null })).vault_types).toEqual(['FIXED', 'SAVINGS']);
    await on('2028-04-01');
    const run = await runs.openAccrualRun({ as_of: null });
    await runs.accruePage({ ...run, vault_type: 'FIXED', after: 0, upto: 1_000 });
    expect((await detail(vault_id)).accruals.toReversed()).toMatchObject([
      { from: '2027-03-01', to: '2028-03-01', annual_rate: '0', accrued: 0 },
      { from: '2028-03-01', to: '2028-04-01', annual_rate: '0.0365', accrued: 310 },
    ]);
  });
});

describe('with the service’s role', () => {
  const post = (vaults: string[], to: string) =>
    thief.query<{ accrued: string }>('select accrued from interest_post($1, $2, $3, false)', [
      new Date(clockNow()),
      vaults,
      to,
    ]);
  const clockNow = () => '2029-02-01T12:00:00Z';
  let vault: string;
  beforeAll(async () => {
    await on('2029-01-01');
    vault = (await saver(100_000)).vault_id;
    await on('2029-02-01');
  });

  test('nobody chooses an amount, a rate or the days of interest', async () => {
    const accrual = JSON.stringify([{ accrual_id: 'accr_x', vault_id: vault, accrued: 777_777 }]);
    const invented = thief.query('select interest_post($1, $2::jsonb)', [new Date(clockNow()), accrual]);
    await expect(invented).rejects.toThrow('does not exist');
    for (const change of [
      `insert into yield_rates values ('SAVINGS', '2029-01-02', '1')`,
      `update yield_rates set annual_rate = '1'`,
      'delete from yield_rates',
    ])
      await expect(thief.query(change)).rejects.toMatchObject({ code: '42501' });
    await expect(sql(`insert into yield_rates values ('SAVINGS', '2039-01-02', '1.01')`)).rejects.toThrow('millionths');
  });

  test.each([
    ['a transfer', 'interest', 'employer', 'allocation'],
    ['an account', 'paycheck', 'interest', 'allocation'],
    ['an entry, which would earn from an earlier day', 'paycheck', 'employer', 'interest'],
  ])('nobody posts interest as a movement with %s of interest', async (_what, kind, account, entry) => {
    const legs = [
      { entry_id: 'ent_a', account, vault_id: '', kind: 'allocation', amount: -777_777 },
      { entry_id: 'ent_b', account: 'vault', vault_id: vault, kind: entry, amount: 777_777 },
    ];
    const movement = { transfer_id: 'mov_x', owner_id: 'saver-1', kind, subject_id: 'x', at: clockNow(), legs };
    const text = 'select ledger_move(array[jsonb_populate_record(null::ledger_movement, $1)])';
    const parts = { vaults: [], allocations: [], changes: [] };
    const forged = thief.query(text, [JSON.stringify({ ...movement, ...parts })]);
    await expect(forged).rejects.toThrow('a movement posts interest');
  });

  test('a call without the service posts once, and only what the days earned', async () => {
    await expect(post([vault, vault], '2029-02-01')).rejects.toMatchObject({ code: '23505' });
    const { unposted } = await detail(vault);
    const calls = await Promise.all([post([vault, 'vlt_none'], '2029-02-01'), post([vault], '2029-01-20')]);
    expect(calls.map(({ rows }) => rows.map(({ accrued }) => Number(accrued)))).toEqual([[unposted], []]);
    expect(await detail(vault)).toMatchObject({ total_accrued: unposted, last_accrued_to: '2029-02-01' });
    await expectSoundLedger(services);
  });
});

describe('ledger verify and the nightly check', () => {
  let [vault, second]: string[] = [];
  beforeAll(async () => {
    await on('2030-01-01');
    const { user_id, vault_id } = await saver(3_000_000);
    vault = vault_id;
    for (const day of ['2030-02-01', '2030-03-01', '2030-04-01']) {
      await on(day);
      await allocations.withdraw({ user_id, vault_id, amount: 1_000 });
      await yields.accrueYield({ vault_id });
    }
    second = (await detail(vault_id)).accruals[1]!.accrual_id;
  });

  async function found(): Promise<string[]> {
    const all: string[] = [];
    let after: string | undefined;
    do {
      const page = await findAccrualTampering(services.db, undefined, { ...(after && { after }), limit: 2 });
      all.push(...page.faults.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after !== undefined);
    // Refuses for other faults too.
    const verified = await verifyLedger(services.db).catch((error: unknown) => error);
    expect(JSON.stringify(verified).includes('not what its days earn')).toBe(all.length > 0);
    return all;
  }

  // As the owner of the schema, with the triggers off.
  async function after(change: string, undo: string): Promise<string[]> {
    await sql('alter table accruals disable trigger user');
    await sql('alter table accruals drop constraint if exists accruals_exact');
    await sql(change);
    const result = await found();
    await sql(undo);
    return result;
  }

  test.each([
    ['days', 'balance_days', '- 1'],
    ['rest', 'remainder', '+ 1'],
    ['balance', 'balance_after', '+ 1'],
    ['penny more', 'accrued', '+ 1'],
    ['place in the ledger', 'entries_before', '- 1'],
  ])('find an accrual with another %s', async (_what, column, by) => {
    const set = (how: string) => `update accruals set ${column} = ${column} ${how} where accrual_id = '${second}'`;
    expect(await found()).toEqual([]);
    expect(await after(set(by), set(by.startsWith('-') ? '+ 1' : '- 1'))).toContain(second);
  });

  test('find another rate of days that are over', async () => {
    const set = (rate: string) => `update yield_rates set annual_rate = '${rate}' where from_date = '2027-01-11'`;
    expect(await after(set('0.0366'), set('0.0365'))).toContain(second);
  });

  test('find that an accrual is missing', async () => {
    const [third] = (await detail(vault!)).accruals;
    await sql('create table kept as table accruals');
    const back = `insert into accruals select * from kept where accrual_id = '${second}'`;
    expect(await after(`delete from accruals where accrual_id = '${second}'`, back)).toEqual([third!.accrual_id]);
    await sql('drop table kept');
    expect(await found()).toEqual([]);
  });
});

describe('the interest that the database calculates', () => {
  const day = fc.integer({ min: 0, max: 700 });
  const START = '2031-03-20';
  const rounds = fc.array(
    fc.record({
      moves: fc.array(fc.record({ day, amount: fc.integer({ min: -9_000_000, max: 9_000_000 }) }), { maxLength: 12 }),
      to: day,
      monthly: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const rates = fc.array(fc.tuple(day, fc.constantFrom('0', '0', '0.0410', '0.045', '0.123457', '1')), {
    maxLength: 6,
  });
  const connected = fc.option(fc.integer({ min: -5, max: 700 }), { freq: 3, nil: null });

  test('is to the digit what the rules of the domain say, and what the check calculates again', async () => {
    await on('2033-03-01');
    await sql(
      `insert into bank_connections (connection_id, owner_id, bank_id, kind, status, created_at) values ('conn_x', 'nobody', 'x', 'accounts', 'awaiting_authorisation', now())`,
    );
    await sql('alter table bank_connections disable trigger user');
    await fc.assert(
      fc.asyncProperty(rounds, rates, connected, async (all, changes, from) => {
        const history = await begin(changes, from);
        for (const { moves, to, monthly } of all) {
          await history.move(moves);
          await history.compare(addDays(START, to), monthly);
        }
        expect(
          await sql('select * from interest_checked($1, null, null, null) where not sound', [history.after]),
        ).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  let count = 0;
  async function begin(changes: readonly [number, string][], connectedAfter: number | null) {
    const [owner, vault] = [`random-${(count += 1)}`, `vlt_random-${count}`];
    last = 0;
    const start = `${START}T12:00:00Z`;
    await sql(`delete from yield_rates`);
    const rows = new Map([
      ['0001-01-01', '0.0365'],
      ...changes.map(([at, rate]) => [addDays(START, at), rate] as const),
    ]);
    for (const [from, rate] of rows) await sql(`insert into yield_rates values ('SAVINGS', $1, $2)`, [from, rate]);
    await sql(`insert into owners (owner_id, created_at) values ($1, $2)`, [owner, start]);
    await sql(
      `insert into vaults (vault_id, owner_id, vault_type, label, created_at) values ($1, $2, 'SAVINGS', '', $3)`,
      [vault, owner, start],
    );
    await sql(
      `insert into ledger_accounts (owner_id, kind, vault_id) values ($1, 'employer', ''), ($1, 'payees', ''), ($1, 'vault', $2)`,
      [owner, vault],
    );
    if (connectedAfter !== null)
      await sql(`update bank_connections set owner_id = $1, authorised_at = $2`, [
        owner,
        `${addDays(START, connectedAfter)}T12:00:00Z`,
      ]);
    const [{ after }] = (await sql(`select coalesce(max(accrual_id), '') as after from accruals`)) as [
      { after: string },
    ];
    return {
      after,
      move: (moves: Move[]) => moveOf(owner, vault, moves),
      compare: (to: string, monthly: boolean) => compare(vault, to, monthly),
    };
  }

  interface Move {
    day: number;
    amount: number;
  }

  // Some deposits come too late for their day. Withdrawals come last, because no vault holds less than nothing.
  let last = 0;
  async function moveOf(owner: string, vault: string, moves: Move[]) {
    const [{ held }] = (await sql(`select balance as held from ledger_accounts where vault_id = $1`, [vault])) as [
      { held: number },
    ];
    let balance = held;
    for (const { day: drawn, amount } of moves) {
      const moved = Math.max(amount, -balance);
      if (moved === 0) continue;
      const at = moved < 0 ? Math.max(drawn, last) : drawn;
      last = Math.max(at, last);
      balance += moved;
      await sql(
        `with t as (
           insert into ledger_transfers (transfer_id, owner_id, kind, subject_id, created_at)
           values ('mov_' || $1, $2, 'paycheck', 'x', $5::timestamptz))
         insert into ledger_entries (entry_id, transfer_id, account_id, owner_id, kind, vault_id, amount, balance_after, created_at)
         select 'ent_' || $1 || a.kind, 'mov_' || $1, a.account_id, a.owner_id, 'allocation', a.vault_id, s.amount,
                a.balance + s.amount, $5::timestamptz
           from ledger_accounts a
          cross join lateral (select case a.kind when 'vault' then $4::bigint else -$4::bigint end as amount) s
          where a.owner_id = $2 and (a.vault_id = $3 or a.kind = case when $4::bigint > 0 then 'employer' else 'payees' end)`,
        [`random-${(count += 1)}`, owner, vault, moved, `${addDays(START, at)}T23:30:00Z`],
      );
    }
  }

  const FIGURES = ['from', 'to', 'annualRate', 'carried', 'accrued', 'remainder', 'balanceAfter', 'entriesBefore'];
  const PLAN = `select from_date as from, to_date as to, annual_rate as "annualRate", balance_days::text as "balanceDays",
                       ${FIGURES.slice(3)
                         .map((name) => `${name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`)
                         .join(', ')}
                  from interest_plan(array[$1], $2, $3)`;

  async function compare(vault: string, to: string, monthly: boolean) {
    const [row] = await sql<StandingRow>('select * from interest_standing(array[$1])', [vault]);
    const own = ratesOfVault(await readRates(services.db), row!);
    const expected = planAccruals(standingOf(row!), { to, rates: own, monthly });
    const told = expected.map(({ balanceDays, ...one }) => ({ ...one, balanceDays: balanceDays.toString() }));
    expect(await sql(PLAN, [vault, to, monthly])).toEqual(told);
    // A unique constraint refuses a second accrual to the same day.
    if (row!.accrued_to === to) return;
    const at = await services.clock.now(services.db);
    await sql('select interest_post($1, array[$2], $3, $4)', [at, vault, to, monthly]);
  }
});
