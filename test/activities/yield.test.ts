import fc from 'fast-check';
import type { Accrual } from '../../openapi/types.ts';
import { accrueYield } from '../../activities/yield/accrue.ts';
import { accrualRunActivities, requestAccrualRun, type AccrualPageResult } from '../../activities/yield/run.ts';
import { addDays } from '../../domain/dates.ts';
import { pence } from '../../domain/money.ts';
import { MAX_EARNED } from '../../domain/yield.ts';
import type { VaultType } from '../../domain/ledger.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { lockOwner } from '../../infra/db/queries/ledger.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { allocationsOf, interestOf, paychecksOf } from '../helpers/activities.ts';
import { movableClock } from '../helpers/clock.ts';
import { openTestServices, withDatabase } from '../helpers/database.ts';
import { anyKey, balancesOf, expectSoundLedger, moveMoney } from '../helpers/money.ts';
import { ownerSql } from '../helpers/owner.ts';
import { textQuery } from '../helpers/text-query.ts';

const clock = movableClock();
const env = { YIELD_RATE_SAVINGS: '0.045' };
const services = withDatabase({ clock, env });
const yields = interestOf(services);
const runs = accrualRunActivities(services);
const allocations = allocationsOf(services);
const paychecks = paychecksOf(services);

let count = 0;
const sql = async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  (await ownerSql(services, text, values)) as Row[];
const rangeOf = async (vaults: readonly string[]) =>
  (
    await sql<{ after: number; upto: number }>(
      'select min(seq) - 1 as after, max(seq) as upto from vaults where vault_id = any($1)',
      [vaults],
    )
  )[0]!;
const add = (user_id: string, amount: number) =>
  allocations.allocate({ user_id, vault_type: 'SAVINGS', label: 'Rainy day', amount });

async function saver(amount = 500_000, vault_type: VaultType = 'SAVINGS') {
  const user_id = `saver-${(count += 1)}`;
  const wage = { employee_id: user_id, gross_pay: amount * 2, obligations: [], buffer_rate: '0' };
  await paychecks.calculatePaycheck({ principal: anyKey, ...wage });
  const { vault_id } = await allocations.allocate({ user_id, vault_type, amount, label: 'Rainy day' });
  return { user_id, vault_id };
}
const accrue = async (vault_id: string, as_of?: string) =>
  (await yields.accrueYield({ vault_id, ...(as_of !== undefined && { as_of }) })).accrual;
const on = (day: string) => clock.set(`${day}T12:00:00Z`);
const detail = (vault_id: string) => yields.getVaultYield({ vault_id, limit: 100 });
const figures = ({ from, to, accrued, remainder, balance_after }: Accrual) => ({
  ...{ from, to, accrued, remainder, balance_after },
});

beforeEach(() => on('2026-01-01'));
afterEach(() => expectSoundLedger(services, { clockGoesBack: true }));

describe('an accrual', () => {
  test('posts the interest of the days as a lot in the vault', async () => {
    const { user_id, vault_id } = await saver();
    on('2026-02-01');
    const { posted, accrual } = await yields.accrueYield({ vault_id });
    expect({ posted, accrual }).toEqual({
      posted: true,
      accrual: {
        accrual_id: expect.stringMatching(/^accr_/) as string,
        vault_id,
        ...{ from: '2026-01-01', to: '2026-02-01', days: 31, annual_rate: '0.045' },
        ...{ accrued: 1_911, remainder: '-0.041095890', balance_after: 501_911 },
        posted_at: '2026-02-01T12:00:00.000Z',
      },
    });
    const lots = 'select source, amount, available from allocations where vault_id = $1 order by seq';
    expect(await sql(lots, [vault_id])).toEqual([
      { source: 'allocation', amount: 500_000, available: 500_000 },
      { source: 'interest', amount: 1_911, available: 1_911 },
    ]);
    expect(await balancesOf(services, user_id)).toMatchObject({ vault: 501_911, interest: -1_911 });
    const { items } = await allocations.listAllocationHistory({ user_id, kind: 'interest' });
    expect(items).toMatchObject([{ kind: 'interest', vault_id, amount: 1_911, balance_after: 501_911 }]);
    await allocations.withdraw({ user_id, vault_id, amount: 501_911 });
  });

  test('of days already accrued returns the accrual of the last day, and posts nothing', async () => {
    const { vault_id } = await saver();
    on('2026-03-01');
    const [january, february] = [await accrue(vault_id, '2026-02-01'), await accrue(vault_id)];
    expect(await yields.accrueYield({ vault_id })).toEqual({ posted: false, accrual: february });
    for (const as_of of ['2026-03-01', '2026-02-02', '2026-02-01', '2026-01-01']) {
      const expected = as_of > '2026-02-01' ? february : january;
      expect(await yields.accrueYield({ vault_id, as_of })).toEqual({ posted: false, accrual: expected });
    }
    expect((await detail(vault_id)).accruals).toHaveLength(2);
  });

  test('of less than half a penny is stored without a movement, and the fraction is not lost', async () => {
    const { user_id, vault_id } = await saver(100);
    // A pound earns 0.0123 pence a day, so it has earned half a penny on day 41.
    const accrued = [];
    for (let day = 1; day <= 82; day += 1) {
      on(addDays('2026-01-01', day));
      accrued.push((await accrue(vault_id)).accrued);
    }
    expect(accrued.flatMap((amount, index) => (amount > 0 ? [[index + 1, amount]] : []))).toEqual([[41, 1]]);
    const moved = await sql(`select 1 from ledger_transfers where owner_id = $1 and kind = 'interest'`, [user_id]);
    expect(moved).toHaveLength(1);
    expect(await detail(vault_id)).toMatchObject({ total_accrued: 1, balance: 101 });
  });

  test('counts only the balance at the end of each day', async () => {
    const { user_id, vault_id } = await saver(100_000);
    clock.set('2026-01-10T08:00:00Z');
    await allocations.withdraw({ user_id, vault_id, amount: 100_000 });
    clock.set('2026-01-10T23:59:59.999Z');
    await add(user_id, 100_000);
    // In summer, the day in London ends at 23:00 UTC.
    clock.set('2026-06-10T22:59:59.999Z');
    await allocations.withdraw({ user_id, vault_id, amount: 50_000 });
    clock.set('2026-06-10T23:00:00.000Z');
    await allocations.withdraw({ user_id, vault_id, amount: 25_000 });
    on('2026-06-13');
    // The balance was 100,000 for 160 days, 50,000 for one day and 25,000 for two days.
    expect(await accrue(vault_id)).toMatchObject({ days: 163, accrued: Math.round((16_100_000 * 0.045) / 365) });
  });

  test('posted late counts from the end of its period, so the total is that of accruals in time', async () => {
    const [inTime, late] = [await saver(), await saver()];
    const [february, march] = ['2026-02-01', '2026-03-01'];
    on(february);
    await accrue(inTime.vault_id);
    on('2026-02-10');
    for (const { user_id } of [inTime, late]) await add(user_id, 10_000);
    on(march);
    await accrue(inTime.vault_id);
    on('2026-03-20');
    for (const { user_id } of [inTime, late]) await add(user_id, 10_000);
    for (const as_of of [february, march]) await accrue(late.vault_id, as_of);
    on('2026-12-01');
    const [expected, made] = [await accrue(inTime.vault_id), await accrue(late.vault_id)];
    expect(figures(made)).toEqual(figures(expected));
    expect((await detail(late.vault_id)).total_accrued).toBe((await detail(inTime.vault_id)).total_accrued);
  });

  test('on the day the vault was made covers no days, and the next accrual covers all', async () => {
    const { vault_id } = await saver();
    const first = await accrue(vault_id);
    expect(first).toMatchObject({ from: '2026-01-01', to: '2026-01-01', days: 0, accrued: 0 });
    expect(await yields.accrueYield({ vault_id })).toEqual({ posted: false, accrual: first });
    on('2026-02-01');
    expect(await accrue(vault_id)).toMatchObject({ from: '2026-01-01', days: 31, accrued: 1_911 });
    expect((await detail(vault_id)).accruals).toHaveLength(2);
  });

  test('ends today at the latest, by London’s date', async () => {
    const { vault_id } = await saver();
    // In summer, 23:30 UTC is the next day in London.
    clock.set('2026-06-30T23:30:00Z');
    await expect(accrue(vault_id, '2026-07-02')).rejects.toMatchObject({ code: 'invalid-request' });
    expect(await accrue(vault_id)).toMatchObject({ to: '2026-07-01' });
  });

  test('counts late entries from their date, and entries with a future date only later', async () => {
    const { user_id, vault_id } = await saver(100_000);
    on('2026-02-01');
    await accrue(vault_id);
    // A call can read the clock before midnight, and store its change after the interest is posted.
    clock.set('2026-01-31T23:59:59.999Z');
    await add(user_id, 10_000);
    on('2026-03-05');
    await add(user_id, 1_000);
    clock.set('2026-02-10T12:00:00Z');
    await add(user_id, 100);
    on('2026-03-20');
    const expected = (days: bigint) => Number((days * 45_000n * 2n + 365_000_000n) / 730_000_000n);
    const february = 110_382n * 28n + 100n * 19n;
    const soFar = 100_000n * 31n + february;
    await accrue(vault_id, '2026-03-01');
    expect((await detail(vault_id)).total_accrued).toBe(expected(soFar));
    await accrue(vault_id);
    const march = BigInt(110_100 + expected(soFar)) * 19n + 1_000n * 15n;
    expect((await detail(vault_id)).total_accrued).toBe(expected(soFar + march));
  });

  test('reads only entries after the last accrual', async () => {
    const { user_id, vault_id } = await saver();
    for (let number = 0; number < 50; number += 1) await add(user_id, 1);
    on('2026-02-01');
    await accrue(vault_id);
    on('2026-03-01');
    const readSoFar = async (tx: Tx) => {
      const text = `select (idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables where relname = 'ledger_entries'`;
      return (await tx.one(textQuery<{ rows: number }>('test.entriesRead', text)())).rows;
    };
    const read = await services.db.transaction(async (tx) => {
      const before = await readSoFar(tx);
      await accrueYield(tx, services, { vault_id });
      return (await readSoFar(tx)) - before;
    });
    expect(read).toBeLessThan(5);
  });
});

describe('simultaneously, from two processes', () => {
  async function withAnother<T>(work: (both: Services[]) => Promise<T>): Promise<T> {
    const other = await openTestServices(services.config.database.url, { clock, env });
    try {
      return await work([services, other]);
    } finally {
      await other.close();
    }
  }

  test('forty accruals of a vault make one', async () => {
    const { vault_id } = await saver();
    on('2026-02-01');
    const results = await withAnother((both) =>
      Promise.all(Array.from({ length: 40 }, (_, index) => interestOf(both[index % 2]!).accrueYield({ vault_id }))),
    );
    expect(results.filter(({ posted }) => posted)).toHaveLength(1);
    expect(new Set(results.map(({ accrual }) => accrual.accrual_id)).size).toBe(1);
    expect(await detail(vault_id)).toMatchObject({ balance: 501_911, total_accrued: 1_911 });
  });

  test('accruals up to forty dates, while money moves, count every day once', async () => {
    const { user_id, vault_id } = await saver();
    on('2026-02-20');
    await withAnother((both) =>
      Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const each = both[index % 2]!;
          const as_of = addDays('2026-01-05', (index * 17) % 40);
          await interestOf(each).accrueYield({ vault_id, as_of });
          await allocationsOf(each).withdraw({ user_id, vault_id, amount: 10 });
        }),
      ),
    );
    on('2026-03-01');
    await accrue(vault_id);
    const { accruals, balance, total_accrued } = await detail(vault_id);
    const days = accruals.toReversed();
    expect(days.map(({ from }) => from)).toEqual(['2026-01-01', ...days.slice(0, -1).map(({ to }) => to)]);
    expect(balance).toBe(500_000 - 400 + total_accrued);
  });

  test('three runs over the same vaults accrue each of them once', async () => {
    const savers = await Promise.all(Array.from({ length: 12 }, () => saver(100_000)));
    on('2026-04-15');
    const results = await withAnother((both) => Promise.all([0, 1, 0].map((which) => runAll(both[which]))));
    expect(results.flat()).toEqual([]);
    for (const { vault_id } of savers) {
      const { accruals } = await detail(vault_id);
      expect(accruals.map(({ to }) => to)).toEqual(['2026-04-01', '2026-03-01', '2026-02-01']);
    }
  });
});

/** @returns the failures of all pages. */
async function runAll(of: Services = services, as_of: string | null = null): Promise<AccrualPageResult['failures']> {
  const activities = accrualRunActivities(of);
  const run = await activities.openAccrualRun({ as_of });
  const failures: AccrualPageResult['failures'] = [];
  for (const vault_type of run.vault_types) {
    const { ends } = await activities.planAccrualPages({ vault_type, after: 0, pages: 100 });
    for (const [index, upto] of ends.entries())
      failures.push(
        ...(await activities.accruePage({ ...run, vault_type, after: ends[index - 1] ?? 0, upto })).failures,
      );
  }
  return failures;
}

describe('a run over all vaults', () => {
  beforeEach(async () => {
    // The vaults of earlier tests have interest too.
    on('2029-12-31');
    await runAll(services, '2029-12-31');
    on('2030-01-01');
  });

  test('accrues the vaults that earn interest, up to the first of the month in business time', async () => {
    const [savings, bills] = [await saver(), await saver(10_000, 'FIXED')];
    clock.set('2030-01-31T23:59:59Z');
    expect(await runs.openAccrualRun({ as_of: null })).toMatchObject({ as_of: '2030-01-01', vault_types: ['SAVINGS'] });
    clock.set('2030-02-01T00:00:00Z');
    expect(await runs.openAccrualRun({ as_of: null })).toMatchObject({ as_of: '2030-02-01' });
    await expect(runs.openAccrualRun({ as_of: '2030-02-02' })).rejects.toMatchObject({ code: 'invalid-request' });
    await runAll();
    expect((await detail(savings.vault_id)).accruals).toMatchObject([
      { from: '2030-01-01', to: '2030-02-01', accrued: 1_911 },
    ]);
    expect((await detail(bills.vault_id)).accruals).toEqual([]);
  });

  test('catches up on missed months, as if their runs had taken place', async () => {
    const [onTime, late] = [await saver(), await saver()];
    for (const day of ['2030-01-17', '2030-02-28', '2030-04-30']) {
      on(day);
      for (const { user_id, vault_id } of [onTime, late]) {
        await allocations.withdraw({ user_id, vault_id, amount: 70_000 });
      }
    }
    for (const day of ['2030-02-01', '2030-03-01', '2030-04-01', '2030-05-01']) {
      clock.set(`${day}T02:00:00Z`);
      await accrue(onTime.vault_id);
    }
    on('2030-05-09');
    await runAll();
    const [expected, made] = [await detail(onTime.vault_id), await detail(late.vault_id)];
    expect(made.accruals).toHaveLength(4);
    expect(made.accruals.map(figures)).toEqual(expected.accruals.map(figures));
    on('2030-05-20');
    expect(figures(await accrue(late.vault_id))).toEqual(figures(await accrue(onTime.vault_id)));
  });

  test('posts to several vaults of an owner, for several months, in one transaction', async () => {
    const { user_id, vault_id } = await saver(100_000);
    const more = { user_id, vault_type: 'SAVINGS', amount: 50_000 } as const;
    const others = [await allocations.allocate(more), await allocations.allocate({ ...more, label: 'B' })];
    on('2030-04-02');
    await runAll();
    for (const id of [vault_id, ...others.map((other) => other.vault_id)]) {
      const { accruals, balance, total_accrued } = await detail(id);
      expect(accruals.map(({ accrued }) => accrued)).toEqual(id === vault_id ? [385, 347, 382] : [193, 173, 191]);
      expect(balance).toBe((id === vault_id ? 100_000 : 50_000) + total_accrued);
    }
    expect(await balancesOf(services, user_id)).toMatchObject({ interest: -(1_114 + 2 * 557) });
  });

  test('returns the same for a retried page, and posts nothing again', async () => {
    const { vault_id } = await saver();
    on('2030-03-10');
    const run = await runs.openAccrualRun({ as_of: null });
    const page = { ...run, vault_type: 'SAVINGS' as const, ...(await rangeOf([vault_id])) };
    const first = await runs.accruePage(page);
    expect(first).toEqual({ vaults: 1, accruals: 2, accrued_pence: 1_911 + 1_733, failures: [] });
    expect(await runs.accruePage(page)).toEqual(first);
    on('2030-03-11');
    const next = await runs.openAccrualRun({ as_of: null });
    const nothing = { vaults: 1, accruals: 0, accrued_pence: 0, failures: [] };
    expect(await runs.accruePage({ ...page, ...next })).toEqual(nothing);
  });

  test('skips a vault that was made after its day', async () => {
    on('2030-02-03');
    const { vault_id } = await saver();
    await runAll();
    expect((await detail(vault_id)).accruals).toEqual([]);
    on('2030-03-01');
    await runAll();
    expect((await detail(vault_id)).accruals).toMatchObject([{ from: '2030-02-03', to: '2030-03-01', days: 26 }]);
  });

  test('a vault that fails stops no other, and is reported with its code', async () => {
    const vaults = await Promise.all([saver(), saver(), saver(4_500_000_000_000_000), saver()]);
    const [first, broken, rich, last] = vaults.map(({ vault_id }) => vault_id) as [string, string, string, string];
    on('2030-02-01');
    await sql(`alter table allocations add constraint broken check (vault_id <> '${broken}' or source <> 'interest')`);
    expect(await runAll()).toEqual(
      expect.arrayContaining([
        { vault_id: broken, code: 'internal-error' },
        { vault_id: rich, code: 'balance-limit' },
      ]),
    );
    for (const vault_id of [first, last]) expect(await detail(vault_id)).toMatchObject({ total_accrued: 1_911 });
    for (const vault_id of [broken, rich]) expect((await detail(vault_id)).accruals).toEqual([]);
    await sql('alter table allocations drop constraint broken');
    on('2030-03-01');
    await runAll();
    expect((await detail(broken)).accruals.map(({ accrued }) => accrued)).toEqual([1_733, 1_911]);
    // Later tests must not accrue this vault's interest.
    on('2030-01-01');
    await allocations.withdraw({ ...vaults[2], amount: 4_500_000_000_000_000 });
  });

  test('processes a locked owner last, and waits for a limited time', async () => {
    const [busy, free, stuck] = await Promise.all([saver(), saver(), saver()]);
    on('2030-02-01');
    const hold = async (user_id: string) => {
      const [taken, freed] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const holding = services.db.transaction(async (tx) => {
        await lockOne(tx, lockOwner(user_id, new Date()));
        taken.resolve(undefined);
        await freed.promise;
      });
      await taken.promise;
      return () => {
        freed.resolve(undefined);
        return holding;
      };
    };
    const range = await rangeOf([busy, free, stuck].map(({ vault_id }) => vault_id));
    const page = async (waitMs: number) => {
      const run = await runs.openAccrualRun({ as_of: null });
      return accrualRunActivities(services, { waitMs }).accruePage({ ...run, vault_type: 'SAVINGS', ...range });
    };
    const freeBusy = await hold(busy.user_id);
    // Waits up to 60 seconds for locked owners, less the time that the page has already taken.
    const patient = page(60_000);
    while ((await detail(free.vault_id)).total_accrued === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await detail(busy.vault_id)).toMatchObject({ total_accrued: 0 });
    await freeBusy();
    expect(await patient).toEqual({ vaults: 3, accruals: 3, accrued_pence: 5_733, failures: [] });

    on('2030-03-01');
    const freeStuck = await hold(stuck.user_id);
    const failures = [{ vault_id: stuck.vault_id, code: 'owner-busy' }];
    expect(await page(300)).toEqual({ vaults: 3, accruals: 2, accrued_pence: 3_466, failures });
    await freeStuck();
  });

  test('pages have every vault once', async () => {
    const { ends } = await runs.planAccrualPages({ vault_type: 'SAVINGS', after: 0, pages: 1 });
    expect(ends).toHaveLength(1);
    expect(await runs.planAccrualPages({ vault_type: 'SAVINGS', after: ends[0]!, pages: 1 })).toEqual({ ends: [] });
    const [last] = await sql(`select max(seq) as seq from vaults where vault_type = 'SAVINGS'`);
    expect(ends).toEqual([last!.seq]);
  });

  test('is requested through the outbox when the surrounding transaction commits', async () => {
    on('2030-05-09');
    await services.db
      .transaction(async (tx) => {
        await requestAccrualRun(tx, services);
        throw new Error('changed my mind');
      })
      .catch(() => undefined);
    expect(await services.db.transaction((tx) => requestAccrualRun(tx, services))).toEqual({ as_of: '2030-05-01' });
    expect(await sql(`select kind, payload from outbox_messages where kind = 'yield.start'`)).toEqual([
      { kind: 'yield.start', payload: { as_of: '2030-05-01' } },
    ]);
  });
});

describe('what an owner reads', () => {
  test('adds up all vaults, and shows what would be posted now', async () => {
    const { user_id, vault_id } = await saver();
    const second = await allocations.allocate({ user_id, vault_type: 'SAVINGS', amount: 10_000 });
    const bills = await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 20_000, label: 'Rent' });
    on('2026-04-05');
    await accrue(vault_id);
    on('2026-04-06');
    await accrue(vault_id);
    on('2026-05-01');
    const before = await yields.aggregateYield({ user_id });
    const year = 505_795 - 500_000;
    expect(before).toEqual({
      user_id,
      total_accrued: year + 62,
      accrued_this_tax_year: 62,
      unposted: 1_559 + 148,
      by_vault: [
        {
          ...{ vault_id, vault_type: 'SAVINGS', label: 'Rainy day', balance: 505_857, annual_rate: '0.045' },
          ...{ total_accrued: year + 62, unposted: 1_559, last_accrued_to: '2026-04-06' },
        },
        {
          ...{ vault_id: second.vault_id, vault_type: 'SAVINGS', label: null, balance: 10_000, annual_rate: '0.045' },
          ...{ total_accrued: 0, unposted: 148, last_accrued_to: null },
        },
        {
          ...{ vault_id: bills.vault_id, vault_type: 'FIXED', label: 'Rent', balance: 20_000, annual_rate: '0' },
          ...{ total_accrued: 0, unposted: 0, last_accrued_to: null },
        },
      ],
    });
    for (const { vault_id: id } of before.by_vault) await accrue(id);
    const after = await yields.aggregateYield({ user_id });
    expect(after).toMatchObject({ total_accrued: before.total_accrued + before.unposted, unposted: 0 });
  });

  test('is zero for an unknown owner', async () => {
    const user_id = 'nobody';
    const nothing = { total_accrued: 0, accrued_this_tax_year: 0, unposted: 0, by_vault: [] };
    expect(await yields.aggregateYield({ user_id })).toEqual({ user_id, ...nothing });
    const forecast = await yields.forecastYield({ user_id, horizon_months: 1 });
    expect(forecast).toMatchObject({ current_balance: 0, effective_apy: '0.00' });
  });

  test('a forecast counts every vault at the rate of its type, and stores nothing', async () => {
    const { user_id } = await saver();
    await allocations.allocate({ user_id, vault_type: 'FIXED', amount: 500_000 });
    const forecast = await yields.forecastYield({ user_id, horizon_months: 12 });
    expect(forecast).toMatchObject({ current_balance: 1_000_000, projected_yield: 22_969, effective_apy: '2.27' });
    const simple = await yields.forecastYield({ user_id, horizon_months: 12, include_reinvestment: false });
    expect(simple).toMatchObject({ projected_yield: 22_499, effective_apy: '2.25' });
  });
});

describe('amounts at the limit', () => {
  /** The balance of a vault that earns 45,000 pence a day at 4.5 % a year. */
  const YEAR = 365_000_000;

  async function rich(balances: readonly number[], earned: number) {
    const user_id = `rich-${(count += 1)}`;
    const at = await services.clock.now(services.db);
    await services.db.transaction((tx) => lockOne(tx, lockOwner(user_id, at)));
    const vaults = await vaultsOf(user_id, 'Vault', balances);
    if (earned > 0) await earnBefore(user_id, earned);
    return { user_id, vaults };
  }

  async function vaultsOf(ownerId: string, name: string, balances: readonly number[]) {
    const made = balances.map((balance, place) => ({
      ...{
        vaultId: services.newId('vlt'),
        vaultType: 'SAVINGS' as const,
        label: `${name} ${place}`,
        amount: pence(balance),
      },
    }));
    const received = pence(-balances.reduce((all, balance) => all + balance, 0));
    await moveMoney(services, ownerId, {
      kind: 'paycheck',
      subjectId: 'test',
      at: await services.clock.now(services.db),
      newVaults: made.map(({ amount: _amount, ...vault }) => vault),
      newAllocations: made.map(({ vaultId, amount }) => {
        return { allocationId: services.newId('alloc'), vaultId, source: 'paycheck', amount };
      }),
      legs: [
        { account: 'employer', kind: 'allocation', amount: received },
        ...made.map(({ vaultId, amount }) => ({ account: 'vault', vaultId, kind: 'allocation', amount }) as const),
      ],
    });
    return made.map(({ vaultId }) => vaultId);
  }

  /** Earns this much at 4.5 % in nine days, up to 2026, and empties the vault. */
  async function earnBefore(user_id: string, earned: number) {
    on('2025-12-23');
    const held = Number((BigInt(earned) * BigInt(YEAR)) / 405_000n) + 1;
    const [vault_id] = await vaultsOf(user_id, 'Earlier', [held]);
    on('2026-01-01');
    expect(await accrue(vault_id!)).toMatchObject({ accrued: earned });
    await allocations.withdraw({ user_id, vault_id: vault_id!, amount: held + earned });
  }

  const everythingRead = async (user_id: string, vault_id: string) => {
    const aggregate = await yields.aggregateYield({ user_id });
    const { by_vault } = aggregate;
    expect(aggregate.unposted).toBe(by_vault.reduce((all, { unposted }) => all + unposted, 0));
    await detail(vault_id);
    await allocations.listVaults({ user_id });
    await allocations.listAllocationHistory({ user_id });
    return aggregate;
  };
  const page = async (as_of: string, vaults: readonly string[]) => {
    const started_at = (await services.clock.now(services.db)).toISOString();
    return runs.accruePage({ as_of, started_at, vault_type: 'SAVINGS', ...(await rangeOf(vaults)) });
  };
  test('vaults whose total exceeds the limit of one owner are posted in a run as far as they fit', async () => {
    const { user_id, vaults } = await rich([YEAR, YEAR, 8_000_000], MAX_EARNED - 50_000);
    on('2026-01-02');
    expect(await everythingRead(user_id, vaults[0]!)).toMatchObject({
      unposted: 45_986,
      by_vault: [{ unposted: 45_000 }, { unposted: 0 }, { unposted: 986 }, {}],
    });
    expect(await page('2026-01-02', vaults)).toMatchObject({
      accruals: 2,
      accrued_pence: 45_986,
      failures: [{ vault_id: vaults[1], code: 'balance-limit' }],
    });
    await expect(accrue(vaults[1]!)).rejects.toMatchObject({ code: 'balance-limit' });
    const total_accrued = MAX_EARNED - 50_000 + 45_986;
    expect(await everythingRead(user_id, vaults[0]!)).toMatchObject({ total_accrued, unposted: 0 });
    expect(await balancesOf(services, user_id)).toMatchObject({ interest: -total_accrued });
  });

  test('a page up to a day in the future is refused, and posts nothing', async () => {
    const { user_id, vaults } = await rich([4_000], 0);
    await expect(page('2126-01-01', vaults)).rejects.toMatchObject({ code: 'invalid-request' });
    expect((await everythingRead(user_id, vaults[0]!)).total_accrued).toBe(0);
  });

  test('a vault that was accrued into the future earns nothing until then, and every list still answers', async () => {
    const { user_id, vaults } = await rich([400_000], 0);
    on('2126-01-01');
    await page('2126-01-01', vaults);
    on('2026-01-05');
    for (const vault_id of vaults) expect(await detail(vault_id)).toMatchObject({ unposted: 0 });
    expect(await everythingRead(user_id, vaults[0]!)).toMatchObject({ unposted: 0, by_vault: [{ unposted: 0 }] });
    const { total_accrued } = await detail(vaults[0]!);
    expect(await page('2026-01-05', vaults)).toMatchObject({ failures: [] });
    expect(await detail(vaults[0]!)).toMatchObject({ total_accrued, last_accrued_to: '2126-01-01' });
  });
});

describe('the database itself refuses', () => {
  const next = { from_date: '2026-02-01', to_date: '2026-03-01' };
  let vault: Record<string, unknown>;
  const insert = (values: Record<string, unknown>) => {
    const row: Record<string, unknown> = {
      ...{ accrual_id: `accr_${(count += 1)}`, annual_rate: '0.045', rate_millionths: 45_000, balance_days: 0 },
      ...{ accrued: 0, balance_after: 0, posted_at: new Date() },
      ...vault,
      ...values,
    };
    const names = Object.keys(row);
    const text = `insert into accruals (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`;
    return sql(text, Object.values(row));
  };
  beforeAll(async () => {
    on('2026-01-01');
    const { user_id: owner_id, vault_id } = await saver(100_000);
    on('2026-02-01');
    const { balance_after } = await accrue(vault_id);
    await allocations.withdraw({ user_id: owner_id, vault_id, amount: balance_after });
    const [made] = await sql('select remainder from accruals where vault_id = $1', [vault_id]);
    const [{ seen }] = (await sql('select max(seq) + 1 as seen from ledger_entries')) as [{ seen: number }];
    const entries = { entries_before: seen, entries_seen: seen };
    vault = { owner_id, vault_id, ...entries, carried: made!.remainder, remainder: made!.remainder };
  });

  test.each<[string, Record<string, unknown>]>([
    ['a day accrued twice', { ...next, from_date: '2026-01-31' }],
    ['the same days again', { from_date: '2026-01-01', to_date: '2026-02-01' }],
    ['a day that is left out', { ...next, from_date: '2026-02-02' }],
    ['days before the vault was made', { from_date: '2025-12-01', to_date: '2026-01-01', carried: 0, remainder: 0 }],
    ['a remainder that is dropped', { ...next, carried: 0, remainder: 0 }],
    ['a penny more than was earned', { ...next, accrued: 1 }],
    ['days that go backwards', { ...next, to_date: '2026-01-31' }],
    ['a remainder of a penny', { ...next, balance_days: 8_112, remainder: 365_000_000 }],
    ['somebody else’s vault', { ...next, owner_id: 'another' }],
  ])('%s', async (_what, values) => {
    await expect(insert(values)).rejects.toMatchObject({ code: /^23/ as unknown as string });
  });

  test('nothing if an accrual follows the previous one, but that it is changed or deleted', async () => {
    await expect(insert(next)).resolves.toEqual([]);
    for (const text of ['update accruals set accrued = 0', 'delete from accruals'])
      await expect(sql(text)).rejects.toThrow('append-only');
  });
});

test('over years of deposits, withdrawals and postings at any time, no penny is lost', async () => {
  const steps = fc.array(
    fc.record({
      days: fc.integer({ min: 0, max: 90 }),
      amount: fc.integer({ min: -100_000, max: 100_000 }),
      posts: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      on('2026-01-01');
      const { user_id, vault_id } = await saver(200_000);
      const moves = [{ day: '2026-01-01', amount: 200_000 }];
      let [day, balance] = ['2026-01-01', 200_000];
      for (const { days, amount, posts } of [...all, { days: 31, amount: 0, posts: true }]) {
        day = addDays(day, days);
        on(day);
        const moved = Math.max(-balance, Math.min(amount, 200_000 - balance));
        if (moved > 0) await add(user_id, moved);
        if (moved < 0) await allocations.withdraw({ user_id, vault_id, amount: -moved });
        balance += moved;
        moves.push({ day, amount: moved });
        if (posts) await accrue(vault_id);
      }
      const { accruals, total_accrued } = await detail(vault_id);
      const postings = new Set(accruals.map(({ to }) => to));
      const [posted, left] = referenceOf(moves, postings, day);
      expect(total_accrued).toBe(posted);
      expect(accruals[0]?.remainder).toBe(left);
    }),
    { numRuns: 12 },
  );

  // A simple way to calculate interest, to compare with the service's.
  function referenceOf(moves: { day: string; amount: number }[], postings: ReadonlySet<string>, end: string) {
    const units = 365_000_000n;
    let [purse, posted] = [0n, 0];
    for (let day = '2026-01-01'; day < end; day = addDays(day, 1)) {
      const held = moves.filter((move) => move.day <= day).reduce((sum, { amount }) => sum + amount, posted);
      purse += BigInt(held) * 45_000n;
      if (!postings.has(addDays(day, 1))) continue;
      const accrued = (purse * 2n + units) / (units * 2n);
      posted += Number(accrued);
      purse -= accrued * units;
    }
    const nano = (purse < 0n ? -purse : purse) * 2_000_000_000n + units;
    const text = `0.${String(nano / (units * 2n)).padStart(9, '0')}`;
    return [posted, purse < 0n ? `-${text}` : text] as const;
  }
});
