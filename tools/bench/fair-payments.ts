import { setTimeout as sleep } from 'node:timers/promises';
import { orderPayment } from '../../activities/payments/order.ts';
import { lockOne } from '../../infra/db/locked-owner.ts';
import { ledgerFaults, lockOwner } from '../../infra/db/queries/ledger.ts';
import { openServices, type Services } from '../../infra/services.ts';
import { accountsOf } from '../../test/helpers/activities.ts';
import { textQuery } from '../../test/helpers/text-query.ts';
import type { Owner } from './load-routes.ts';
import { progress, type Part, type Row } from './report.ts';
import { seedKey, seedOwners } from './seed.ts';
import { cpuMsSince, cpuSeconds, withStack, type BenchStack } from './stack.ts';
import { median } from './statistics.ts';

const PAYEE = 'prov_sandbox_instant';
const ORDERS = 500;
const ROUNDS = 3;
const ORDERS_AT_ONCE = 16;
const LOOK_EVERY_MS = 20;
const TARGET_MS = 5_000;

interface Payer {
  owner: Owner;
  /** An API key's lineage, or a person. */
  requestedBy: string;
}

/** How long a person's bill waits until the bank has it, while 500 orders of others wait. */
export async function benchFairPayments(profileDir?: string): Promise<Part> {
  return withStack({ temporal: true, environment: 'sandbox', profileDir }, async (stack) => {
    await Promise.all([stack.start('bank'), stack.start('worker')]);
    const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
    try {
      const [crowd, persons, [other]] = [
        await seedOwners(services, ORDERS),
        await seedOwners(services, ORDERS, () => services.newId('usr')),
        await seedOwners(services, 1, () => services.newId('usr')),
      ];
      const key = await lineageOf(services);
      const self = (owner: Owner): Payer => ({ owner, requestedBy: owner.ownerId });
      const cases = {
        'of one owner': crowd.map((): Payer => ({ owner: crowd[0]!, requestedBy: key })),
        'of the owners of one key': crowd.map((owner) => ({ owner, requestedBy: key })),
        'of as many persons': persons.map(self),
      };
      const rows: Row[] = [await alone({ stack, services }, self(other!))];
      for (const [what, payers] of Object.entries(cases))
        rows.push(await besides({ stack, services }, { what, payers, other: self(other!) }));
      const faults = await services.db.many(ledgerFaults());
      if (faults.length > 0) throw new Error(`The books do not agree: ${JSON.stringify(faults)}`);
      return {
        name: 'fair-payments',
        setting: `another's bill while ${ORDERS} orders wait, median of ${ROUNDS}`,
        rows,
      };
    } finally {
      await services.close();
    }
  });
}

interface Bench {
  stack: BenchStack;
  services: Services;
}

async function lineageOf(services: Services): Promise<string> {
  const principal = await accountsOf(services).authenticate({ token: await seedKey(services) });
  if (principal.kind !== 'api_key') throw new Error('no key');
  return principal.lineage;
}

async function alone({ services }: Bench, payer: Payer): Promise<Row> {
  const waits: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) waits.push(await untilTaken(services, await order(services, payer)));
  return { what: 'a bill alone, until the bank has it', p50Ms: median(waits) };
}

async function besides(
  { stack, services }: Bench,
  { what, payers, other }: { what: string; payers: readonly Payer[]; other: Payer },
): Promise<Row> {
  const [waits, all] = [[] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [startedAt, before] = [performance.now(), cpuSeconds(stack.parts)];
    const left = payers.values();
    const next = async () => {
      for (const payer of left) await order(services, payer);
    };
    await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, next));
    const { waiting } = await services.db.one(waitingNow());
    const ordered = performance.now() - startedAt;
    waits.push(await untilTaken(services, await order(services, other)));
    while ((await services.db.one(openNow())).open > 0) await sleep(LOOK_EVERY_MS);
    all.push(performance.now() - startedAt);
    const cpu = [...cpuMsSince(stack.parts, before)].map(([part, ms]) => `${part} ${(ms / 1_000).toFixed(1)}`);
    progress(
      `${payers.length} orders ${what}: ordered in ${ordered.toFixed(0)} ms, ${waiting} unsent then; the other's bill after ${waits.at(-1)!.toFixed(0)} ms; all completed after ${all.at(-1)!.toFixed(0)} ms; CPU s: ${cpu.join(', ')}`,
    );
  }
  return {
    what: `with ${payers.length} orders ${what}`,
    p50Ms: median(waits),
    value: `all completed after ${(median(all) / 1_000).toFixed(1)} s`,
    target: `p50 <= ${TARGET_MS / 1_000} s`,
    met: median(waits) <= TARGET_MS,
  };
}

async function order(services: Services, { owner, requestedBy }: Payer): Promise<string> {
  return services.db.transaction(async (tx) => {
    const at = await services.clock.now(tx);
    const { owner: locked } = await lockOne(tx, lockOwner(owner.ownerId, at));
    const [allocation_id, vault_id] = [owner.allocationId, owner.fromVaultId];
    const { payment_id } = await orderPayment(locked, services, {
      allocation: { allocation_id, vault_id, available: 1 },
      ...{ provider_id: PAYEE, category: 'UTILITIES', amount: 1, reference: 'BENCH', at },
      ...{ executeOn: null, dueDate: null },
      orderedBy: { requested_by: requestedBy, client_id: null, family_id: null },
    });
    return payment_id;
  });
}

/** In milliseconds, until the bank has accepted the payment. */
async function untilTaken({ db }: Services, paymentId: string): Promise<number> {
  const startedAt = performance.now();
  while (!(await db.maybe(takenByBank(paymentId)))) await sleep(LOOK_EVERY_MS);
  return performance.now() - startedAt;
}

const takenByBank = textQuery(
  'bench.taken',
  'select payment_id from payment_attempts where payment_id = $1 and bank_payment_id is not null',
);
const waitingNow = textQuery<{ waiting: number }>(
  'bench.waiting',
  `select count(*)::int as waiting from payments p join payment_attempts a using (payment_id, attempt)
    where p.status = 'processing' and a.bank_payment_id is null`,
);
const openNow = textQuery<{ open: number }>(
  'bench.open',
  `select count(*)::int as open from payments where status = 'processing'`,
);
