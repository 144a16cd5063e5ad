import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { tlsFetch } from '../../client/src/node.ts';
import { addDays, addMonths, londonDateOf, monthStartOf } from '../../domain/dates.ts';
import { readConfig } from '../../infra/config/index.ts';
import { openDatabase, type Database } from '../../infra/db/database.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { approveAtBank } from '../../programs/demo/browser.ts';
import { postgresUrl } from '../../programs/local/postgres.ts';
import type { AccrualResult } from '../../workflows/yield.ts';
import { expectWhole } from '../helpers/faults-checks.ts';
import {
  bodyFor,
  caOf,
  chance,
  connectToPay,
  fundOwners,
  ordersFor,
  paymentsOf,
  settled,
} from '../helpers/faults-load.ts';
import type { Order, Owner, Payment } from '../helpers/faults-load.ts';
import { withPayingStack } from '../helpers/faults-paying.ts';
import type { Part } from '../helpers/faults.ts';
import { accrualsOf, seedSavers, type Savers } from '../helpers/savers.ts';
import { textQuery } from '../helpers/text-query.ts';
import { until } from '../helpers/until.ts';

/* To repeat a run's random moments, set `RINGFENCE_FAULT_SEED` to its seed. */
const seed = Number(process.env.RINGFENCE_FAULT_SEED ?? Date.now() % 1_000_000);
const random = chance(seed);
process.stderr.write(`RINGFENCE_FAULT_SEED=${seed}\n`);
const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
// A bank call can still be waiting when a signal arrives.
const on = withPayingStack({ BANK_TIMEOUT_MS: '3000', CREDENTIAL_SIGN_WITHIN_MS: '2000' }, { count: 6 });
const { stack } = on;

describe('payments while a part is killed with kill -9 again and again', () => {
  const CONNECTED = ['prov_sandbox_instant', 'prov_sandbox_lost_reply', 'prov_sandbox_unavailable'] as const;
  const persons = () => on.owners.slice(0, 2);
  beforeAll(() => connectToPay(on, persons(), CONNECTED));

  async function killWhilePaying(kill: () => Promise<unknown>, within: [least: number, more: number]) {
    await on.payWhile(ordersFor(on.owners, 60), 4_000, random, async () => {
      for (let kills = 0; kills < 2; kills += 1) {
        await sleep(within[0] + random() * within[1]);
        await kill();
      }
    });
    await on.allEndRight();
    const own = (await paymentsOf(on.client, persons())).filter(({ provider_id }) =>
      CONNECTED.some((id) => id === provider_id),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ connection_id }) => connection_id === null)).toEqual([]);
  }

  it.each<Part>(['API', 'worker', 'Temporal', 'PostgreSQL', 'sandbox bank'])(
    'all end, from own accounts and the house account, and each moves its money once: %s',
    (part) => killWhilePaying(() => stack.kill(part), [500, 3_000]),
  );

  it('all end, and each moves its money once: everything at once, and restarted', async () => {
    const killAll = async () => {
      await stack.killAll();
      await stack.start();
    };
    await killWhilePaying(killAll, [1_000, 2_000]);
  });
});

test.each<Part>(['worker', 'PostgreSQL', 'sandbox bank'])(
  'accounts at a bank are read to the last row, and each row once, whatever kill -9 ends: %s',
  async (part) => {
    const { client } = on;
    const who = { email: `read-${part.replace(' ', '-')}@example.test`, password: 'a long enough passphrase' };
    const post = <Body>(status: number, path: string, body: object, token?: string) => {
      const key = `${part} ${path} ${JSON.stringify(body)}`.replaceAll(/[^\w-]/g, '-').slice(0, 200);
      return bodyFor<Body>(status, client.call('POST', path, { key, body, ...(token !== undefined && { token }) }));
    };
    const { user_id } = await post<{ user_id: string }>(201, '/api/v1/auth/register', who);
    const { access_token: token } = await post<{ access_token: string }>(200, '/api/v1/auth/login', who);
    const wanted = { user_id, bank_id: 'sandbox', kind: 'accounts' };
    const made = await post<Record<string, string>>(201, '/api/v1/bank/connections', wanted, token);
    const connection = `/api/v1/bank/connections/${made.connection_id}`;
    const amounts: number[] = [];
    const credit = async (amount: number) => {
      await post(201, `${stack.bankUrl}/sandbox/credits`, { owner_id: user_id, amount, reference: `Credit ${amount}` });
      amounts.push(amount);
    };
    for (let amount = 1; amount <= 30; amount += 1) await credit(amount);
    const fetch = tlsFetch({ ca: readFileSync(caOf(stack)) });
    await approveAtBank(fetch, { ...who, customer: user_id, authoriseUrl: made.authorise_url! });
    const read = async () => {
      const path = `/api/v1/bank/transactions?user_id=${user_id}&limit=100`;
      const { items } = await bodyFor<{ items: { amount: number }[] }>(200, client.call('GET', path, { token }));
      return items.map(({ amount }) => amount).toSorted((a, b) => a - b);
    };
    let asked = 0;
    const sync = () => {
      const key = `sync-${part}-${(asked += 1)}`.replace(' ', '-');
      return bodyFor(202, client.call('POST', `${connection}/sync`, { token, key, body: {} }));
    };
    for (let amount = 31; amount <= 33; amount += 1) {
      await sleep(random() * 1_500);
      await stack.kill(part);
      await credit(amount);
      await sync();
    }
    // A request that joins a running sync does not have accounts read again.
    const isRead = async () => (await sync(), (await read()).length >= amounts.length);
    await until(isRead, 'every row', undefined, 1_000);
    expect(await read()).toEqual(amounts);
    expect(client.wrongs).toEqual([]);
  },
);

interface Credential {
  credential_id: string;
  reliability_score: number;
  total_payments: number;
}

test.each<Part>(['worker', 'Temporal', 'API'])(
  'a credential is signed once for its Idempotency-Key, even after a kill -9: %s',
  async (part) => {
    const { client } = on;
    const [owner] = await fundOwners(client, 1);
    const { token, userId } = owner!;
    const [order] = ordersFor([owner!], 1, ['prov_sandbox_instant']);
    await on.execute(order!);
    await settled(client, [owner!]);
    const asked = { token, key: `credential-${part}`, body: { user_id: userId } };
    const generate = () => bodyFor<Credential>(201, client.call('POST', '/api/v1/credential/generate', asked));
    const bringBack = await stack.takeAway(part);
    setTimeout(bringBack, 3_000);
    const made = await generate();
    expect(made).toMatchObject({ reliability_score: 142, total_payments: 1, bills: 1 });
    expect(await generate()).toEqual(made);
    const verified = client.call('GET', `/api/v1/credential/${made.credential_id}/verify`);
    expect(await bodyFor<object>(200, verified)).toMatchObject({ valid: true, status: 'valid', subject: userId });
    expect(client.wrongs).toEqual([]);
  },
);

async function connectDatabase(): Promise<pg.Client> {
  const database = new pg.Client(postgresUrl(Number(stack.env.RINGFENCE_PORT_POSTGRES)));
  await database.connect();
  return database;
}

async function untilCounted(least: number, sql: string): Promise<void> {
  const database = await connectDatabase();
  const counted = async () =>
    (await database.query<{ found: number }>(`select count(*)::int as found from ${sql}`)).rows[0]!.found;
  await until(async () => (await counted()) >= least, sql);
  await database.end();
}

describe('SIGTERM', () => {
  it('lets the API finish running requests, answers waiting requests at once, and ends it with code 0', async () => {
    await stack.pid('worker');
    const [owner] = on.owners as [Owner];
    const [first, second, later] = ordersFor([owner], 3, ['prov_sandbox_instant']) as [Order, Order, Order];
    const { token, userId } = owner;
    const { payment_id: waited } = await on.execute(later, { execute_on: IN_A_MONTH });
    // While the owner is locked, the owner's money cannot move.
    const holder = await connectDatabase();
    await holder.query('begin');
    await holder.query('select owner_lock($1, now())', [userId]);
    const posting = on.executeAll([first, second]);
    const begun = Date.now();
    const waiting = on.client.once('GET', `/api/v1/payments/${waited}`, { token, headers: { prefer: 'wait=25' } });
    await untilCounted(2, `pg_stat_activity where wait_event_type = 'Lock'`);
    const stopping = stack.kill('API', 'SIGTERM');
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'pending' } });
    expect(Date.now() - begun).toBeLessThan(20_000);
    await holder.end();
    on.paid.push(...(await posting));
    await stopping;
    await stack.says('The API stopped by itself (exit code 0)');
    const cancelling = on.client.call('POST', `/api/v1/payments/${waited}/cancel`, { token, key: 'cancel-scheduled' });
    expect((await bodyFor<Payment>(200, cancelling)).status).toBe('cancelled');
    await on.allEndRight();
  });

  it('lets the worker finish its running bank calls, and ends it with code 0', async () => {
    await stack.pid('API');
    const answersAgain = await stack.freeze('sandbox bank');
    const orders = ordersFor(on.owners, 12, ['prov_sandbox_instant', 'prov_sandbox_slow', 'prov_sandbox_lost_reply']);
    await on.payWhile(orders, 0, random, async () => undefined);
    await untilCounted(1, `payment_attempts where submission = 'in_doubt'`);
    const stopping = stack.kill('worker', 'SIGTERM');
    await sleep(500);
    answersAgain();
    await stopping;
    await stack.says('The worker stopped by itself (exit code 0)');
    await on.allEndRight();
  });

  it('ends the whole service with code 0 in mid-payment, and the next start continues', async () => {
    await on.payWhile(ordersFor(on.owners, 30), 3_000, random, async () => {
      await sleep(2_000);
      expect(await stack.end()).toBe(0);
      await stack.start();
    });
    await on.isReady();
    await on.allEndRight();
  });
});

// Last, because each later check of the ledger would read the many vaults too.
describe('the monthly interest', () => {
  const asOf = monthStartOf(londonDateOf(new Date()));
  const savers: Savers = { count: 6_000, start: addDays(addMonths(asOf, -3), 11), deposits: 3 };
  let db: Database;
  beforeAll(async () => {
    const config = readConfig(stack.env);
    db = await openDatabase(config.database);
    await seedSavers({ config }, savers);
  });
  afterAll(() => db.close());
  const accruals = async () => (await db.one(countAccruals())).accruals;

  async function startRun(...args: string[]): Promise<string> {
    const { stdout, stderr } = await runCommand(['accrue', ...args], stack.env);
    expect(stderr).toBe('');
    return (JSON.parse(stdout) as { workflow_id: string }).workflow_id;
  }

  async function resultOf(workflowId: string): Promise<AccrualResult> {
    const connection = await Connection.connect({ address: `localhost:${stack.env.RINGFENCE_PORT_TEMPORAL}` });
    try {
      return (await new Client({ connection }).workflow.getHandle(workflowId).result()) as AccrualResult;
    } finally {
      await connection.close();
    }
  }

  it('a run with kill -9 of its processes and an overlapping second run posts every day of every vault once', async () => {
    // The second interest run covers the same vaults and the same months, except the last month.
    const runs = [await startRun(), await startRun('--as-of', addMonths(asOf, -1))];
    const total = savers.count * 3;
    const parts: readonly Part[] = ['worker', 'PostgreSQL', 'worker', 'Temporal', 'worker'];
    for (const [place, part] of parts.entries()) {
      const reached = (total * (place + random())) / (parts.length + 1);
      await until(async () => (await accruals().catch(() => 0)) >= reached, `${Math.round(reached)} accruals`, 90_000);
      await stack.kill(part);
      await sleep(500 + random() * 1_000);
    }
    await until(async () => (await accruals().catch(() => 0)) === total, 'the last accrual', 120_000);
    const { count: vaults } = savers;
    const done = { vaults, failed: 0, failures: [] };
    expect(await Promise.all(runs.map(resultOf))).toMatchObject([done, done]);

    const { SAVINGS } = readConfig(stack.env).yield.annualRates;
    const byVault = Map.groupBy(await db.many(allAccruals()), ({ vault_id }) => vault_id);
    expect(byVault.size).toBe(vaults);
    for (let saver = 1; saver <= vaults; saver += 1) {
      const vault_id = `vlt_saver-${saver}`;
      const expected = accrualsOf(saver, savers, asOf, SAVINGS).map(({ from, to, accrued, remainder }) => ({
        vault_id,
        from_date: from,
        to_date: to,
        accrued,
        remainder,
      }));
      expect(byVault.get(vault_id)).toEqual(expected);
    }
    await expectWhole(stack);
  });
});

const countAccruals = textQuery<{ accruals: number }>(
  'test.countAccruals',
  'select count(*) as accruals from accruals',
);
const allAccruals = textQuery<{ vault_id: string }>(
  'test.allAccruals',
  'select vault_id, from_date, to_date, accrued, remainder from accruals order by vault_id, to_date',
);
