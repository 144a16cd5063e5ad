import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tlsFetch } from '../../client/src/node.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { runCommand } from '../../programs/admin/run.ts';
import { approveAtBank } from '../../programs/demo/browser.ts';
import { expectNoWorkflows, expectWhole, movedAtBank } from '../helpers/faults-checks.ts';
import {
  bodyFor,
  caOf,
  chance,
  connectToPay,
  paymentsOf,
  registerPersons,
  type Person,
} from '../helpers/faults-load.ts';
import { openFaultClient, type FaultClient } from '../helpers/faults-client.ts';
import { startFaultStack, type Part } from '../helpers/faults.ts';
import { until } from '../helpers/until.ts';

/* To repeat a run's random moments, set `RINGFENCE_FAULT_SEED` to its seed. */
const seed = Number(process.env.RINGFENCE_FAULT_SEED ?? Date.now() % 1_000_000);
const random = chance(seed);
process.stderr.write(`RINGFENCE_FAULT_SEED=${seed}\n`);

const [WAGE, RENT, ENERGY, SAVINGS] = [200_000, 95_000, 14_250, 10_000];
const PAYEES = ['prov_sandbox_instant', 'prov_sandbox_lost_reply'] as const;
const PERSONS = 4;

const stack = startFaultStack({ BANK_TIMEOUT_MS: '3000', BANK_UNATTENDED_READS_PER_DAY: '1000' });
let client: FaultClient;
let owners: Person[];
const connections = new Map<string, string>();
let keys = 0;
let wages = 0;

interface Payday {
  calculation_id: string | null;
  payments: string[];
  left_out: object[];
  attention: boolean;
  ended_at: string | null;
}
interface Row {
  transaction_id: string;
  amount: number;
  matched: { kind: string; id: string } | null;
}

const post = <Body>(status: number, path: string, { token }: Person, body: object = {}) =>
  bodyFor<Body>(status, client.call('POST', path, { token, key: `payday-${(keys += 1)}`, body }));
const get = async <Item>(path: string, { token, userId }: Person) =>
  (
    await bodyFor<{ items: Item[] }>(
      200,
      client.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100&user_id=${userId}`, { token }),
    )
  ).items;
const paydaysOf = (owner: Person) => get<Payday>('/api/v1/engine/paycheck/paydays', owner);
const rowsOf = (owner: Person) => get<Row>('/api/v1/bank/transactions', owner);
const sync = (owner: Person) => post(202, `/api/v1/bank/connections/${connections.get(owner.userId)}/sync`, owner);

async function wagesArrive(): Promise<void> {
  wages += 1;
  for (const { userId: owner_id } of owners) {
    const credit = { owner_id, amount: WAGE, payer: 'Northwind Ltd', reference: `SALARY ${wages}` };
    await bodyFor(201, client.call('POST', `${stack.bankUrl}/sandbox/credits`, { body: credit }));
  }
}

beforeAll(async () => {
  client = openFaultClient({ urls: [stack.url], ca: caOf(stack) });
  owners = await registerPersons(client, PERSONS);
  const fetch = tlsFetch({ ca: readFileSync(caOf(stack)) });
  await connectToPay({ client, stack }, owners, PAYEES);
  for (const owner of owners) {
    const wanted = { user_id: owner.userId, bank_id: 'sandbox', kind: 'accounts' };
    const made = await post<Record<string, string>>(201, '/api/v1/bank/connections', owner, wanted);
    connections.set(owner.userId, made.connection_id!);
    await approveAtBank(fetch, { ...signInOf(owner), customer: owner.userId, authoriseUrl: made.authorise_url! });
  }
  const today = Number(londonDateOf(new Date()).slice(8));
  const obligations = [
    { type: 'Rent', amount: RENT, category: 'FIXED', provider_id: PAYEES[0], pay_on: today, reference: 'RENT' },
    {
      type: 'Energy',
      amount: ENERGY,
      category: 'FIXED',
      provider_id: PAYEES[1],
      pay_on: 'on_arrival',
      reference: 'ENERGY',
    },
    { type: 'Holiday', amount: SAVINGS, category: 'SAVINGS' },
  ];
  for (const { userId, token } of owners) {
    const path = `/api/v1/engine/standing-split/${userId}`;
    await bodyFor(200, client.call('PUT', path, { token, body: { obligations } }));
  }
  await wagesArrive();
  for (const owner of owners) {
    const credit = async () => (await sync(owner), (await rowsOf(owner)).find(({ amount }) => amount === WAGE));
    await until(async () => (await credit()) !== undefined, 'the first wage', undefined, 1_000);
    const { transaction_id } = (await credit())!;
    await post(201, '/api/v1/bank/wages', owner, { transaction_id });
  }
});
afterAll(() => client.close());

function signInOf({ email }: Person) {
  return { email, password: 'a long enough passphrase' };
}

const isOver = async (owner: Person) => {
  const paydays = await paydaysOf(owner);
  return paydays.length === wages && paydays.every(({ ended_at }) => ended_at !== null);
};

describe('wages arrive while a part is killed with kill -9', () => {
  it.each<Part>(['worker', 'PostgreSQL', 'Temporal', 'sandbox bank', 'API'])(
    'each wage is split once, and each bill is paid once: %s',
    async (part) => {
      await wagesArrive();
      await Promise.all(owners.map(sync));
      for (let kills = 0; kills < 2; kills += 1) {
        await sleep(200 + random() * 1_800);
        await stack.kill(part);
      }
      for (const owner of owners) {
        await until(async () => (await isOver(owner)) || (await sync(owner), false), 'every payday', 120_000, 1_000);
      }
      await expectEachOnce();
    },
  );
});

/** The rent once in the month, the energy with each wage, and the same at the bank. */
async function expectEachOnce(): Promise<void> {
  const settled = async () => (await paymentsOf(client, owners)).every(({ status }) => status === 'completed');
  await until(settled, 'every payment', 120_000);
  const payments = await paymentsOf(client, owners);
  for (const owner of owners) {
    const own = payments.filter(({ user_id }) => user_id === owner.userId);
    const amounts = own.map(({ amount }) => amount).toSorted((a, b) => b - a);
    expect(amounts).toEqual([RENT, ...Array.from({ length: wages }, () => ENERGY)]);
    expect(own.filter(({ connection_id }) => connection_id === null)).toEqual([]);
    const paydays = await paydaysOf(owner);
    expect(paydays.flatMap((payday) => payday.payments).toSorted()).toEqual(
      own.map((one) => one.payment_id).toSorted(),
    );
    expect(paydays.filter(({ attention, left_out }) => attention || left_out.length > 0)).toEqual([]);
    expect(new Set(paydays.map(({ calculation_id }) => calculation_id)).size).toBe(wages);
    const looking = client.call('GET', `/api/v1/allocations/vaults/${owner.userId}`, { token: owner.token });
    const { vaults } = await bodyFor<{ vaults: { label: string; balance: number }[] }>(200, looking);
    expect(Object.fromEntries(vaults.map(({ label, balance }) => [label, balance]))).toEqual({
      Rent: (wages - 1) * RENT,
      Energy: 0,
      Holiday: wages * SAVINGS,
    });
  }
  const moved = await movedAtBank(stack, client);
  expect(new Map([...moved].sort())).toEqual(
    new Map(
      payments
        .map(({ payment_id, amount, attempt }) => [payment_id, [`out ${amount} attempt ${attempt}`]] as const)
        .sort(),
    ),
  );
  await expectWhole(stack);
  await expectNoWorkflows(stack);
  expect(client.wrongs).toEqual([]);
}

describe('payments are found again in the account while a part is killed with kill -9', () => {
  it.each<Part>(['worker', 'PostgreSQL', 'Temporal'])('each once: %s', async (part) => {
    await wagesArrive();
    for (const owner of owners)
      await until(async () => (await sync(owner), isOver(owner)), 'every payday', 120_000, 1_000);
    await expectEachOnce();
    await Promise.all(owners.map(sync));
    for (let kills = 0; kills < 2; kills += 1) {
      await sleep(random() * 1_500);
      await stack.kill(part);
    }
    const payments = await paymentsOf(client, owners);
    for (const owner of owners) {
      const own = payments.filter(({ user_id }) => user_id === owner.userId).map(({ payment_id }) => payment_id);
      const found = async () =>
        (await rowsOf(owner)).flatMap(({ amount, matched }) =>
          matched?.kind === 'payment' && amount < 0 ? [matched.id] : [],
        );
      await until(async () => (await sync(owner), (await found()).length >= own.length), 'every match', 120_000, 1_000);
      expect((await found()).toSorted()).toEqual(own.toSorted());
    }
    const { stdout } = await runCommand(['reconcile'], stack.env);
    const { length } = payments;
    expect(JSON.parse(stdout)).toEqual({ checked: length, matched: length, missing: 0, unexplained_returns: 0 });
  });
});
