import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tlsFetch } from '../../client/src/node.ts';
import { confirmOwnWage } from '../../activities/bank/confirm-wage.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { ledgerFaults } from '../../infra/db/queries/ledger.ts';
import { openServices, type Services } from '../../infra/services.ts';
import { textQuery } from '../../test/helpers/text-query.ts';
import { connectPersons } from './connect.ts';
import { pauseReading, requestSyncs } from './reading.ts';
import { progress, type Part } from './report.ts';
import { cpuMsSince, cpuSeconds, residentMb, withStack, type BenchStack } from './stack.ts';

const PAYEE = 'prov_sandbox_instant';
const WAGE = 200_000;
const BILLS = [95_000, 14_250, 5_000] as const;
const READS_PER_DAY = 1_000;
const SAMPLE_EVERY_MS = 250;
const CREDITS_AT_ONCE = 16;

interface Measured {
  seconds: number;
  cpuMs: ReadonlyMap<string, number>;
  mostMb: number;
}

/**
 * The wages of many persons arrive at the sandbox bank at the same time. Each is read and split, and three bills are paid from
 * the person's own account. Then the payments are found again there. An earlier wage makes the payer known.
 */
export async function benchPayday({
  persons,
  profileDir,
}: {
  persons: number;
  profileDir: string | undefined;
}): Promise<Part> {
  return withStack({ temporal: true, environment: 'sandbox', profileDir }, async (stack) => {
    await stack.start('bank', { SANDBOX_BANK_INSTANT_MS: '0' });
    const bank = { ...stack.config.bank, unattendedPerDay: READS_PER_DAY };
    const services = await openServices({ ...stack.config, bank, logLevel: 'silent' }, 'bench');
    try {
      const ids = Array.from({ length: persons }, () => services.newId('usr'));
      const connections = await connectPersons(services, ids, null);
      await connectPersons(services, ids, PAYEE);
      await pauseReading(stack);
      const worker = await stack.start('worker', { BANK_UNATTENDED_READS_PER_DAY: String(READS_PER_DAY) });
      const bench = { stack, services, connections, memory: () => residentMb(worker) };
      await credit(stack, ids, 'SALARY ONE');
      await until(bench, { done: persons, of: read(), begin: () => requestSyncs(services, connections) });
      for (const { transaction_id, owner_id: userId } of await services.db.many(credits(WAGE)))
        await confirmOwnWage(services, {
          transaction_id,
          session: { userId, sessionHash: '', signedInAt: new Date() },
        });
      await services.db.run(standingSplits());
      await services.db.run(standingEntries(Number(londonDateOf(new Date()).slice(8)), PAYEE, BILLS));
      await credit(stack, ids, 'SALARY TWO');
      const begin = () => requestSyncs(services, connections);
      const paid = await until(bench, { done: persons * BILLS.length, of: completed(), begin });
      await requirePaid(bench, persons);
      const found = await until(bench, { done: persons * BILLS.length, of: matched(), begin });
      const each = (ms: number) => (ms / persons).toFixed(0);
      const rowsOf = (what: string, { seconds, cpuMs, mostMb }: Measured) => [
        { what: `${what}: persons`, perSecond: persons / seconds, value: `${seconds.toFixed(1)} s` },
        { what: `${what}: CPU ms a person`, value: [...cpuMs].map(([part, ms]) => `${part} ${each(ms)}`).join(', ') },
        { what: `${what}: most memory of the worker`, value: `${mostMb.toFixed(0)} MB` },
      ];
      return {
        name: 'payday',
        setting: `${persons} persons whose wage arrives at once, with ${BILLS.length} bills each from their own account; every penny compared with the bank and the ledger.`,
        rows: [...rowsOf('read, split and paid', paid), ...rowsOf('found again', found)],
      };
    } finally {
      await services.close();
    }
  });
}

interface Bench {
  stack: BenchStack;
  services: Services;
  memory: () => number;
}

async function credit({ config }: BenchStack, owners: readonly string[], reference: string): Promise<void> {
  const { issuer } = config.bank.entries.find((entry) => entry.api === 'obie-4.0')!;
  const fetch = tlsFetch({ ca: readFileSync(config.bank.tls.ca) });
  const left = owners.values();
  const next = async () => {
    for (const owner_id of left) {
      const body = JSON.stringify({ owner_id, amount: WAGE, payer: 'Northwind Ltd', reference });
      const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      const { status } = await fetch(new Request(new URL('/sandbox/credits', issuer), asked));
      if (status !== 201) throw new Error(`The bank answers a credit with ${status}.`);
    }
  };
  await Promise.all(Array.from({ length: CREDITS_AT_ONCE }, next));
}

async function until(
  { stack: { parts }, services: { db }, memory }: Bench,
  { done, of, begin }: { done: number; of: ReturnType<typeof completed>; begin: () => Promise<void> },
): Promise<Measured> {
  const [startedAt, before] = [performance.now(), cpuSeconds(parts)];
  let [mostMb, shown] = [memory(), 0];
  await begin();
  for (;;) {
    const { count } = await db.one(of);
    mostMb = Math.max(mostMb, memory());
    if (count >= done) break;
    if (count - shown >= done / 10) progress(`${(shown = count)} of ${done}; the worker has ${memory().toFixed(0)} MB`);
    await sleep(SAMPLE_EVERY_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, cpuMs: cpuMsSince(parts, before), mostMb };
}

/** Every penny: by the ledger, by the payments, and by the bank's own list. */
async function requirePaid({ stack: { config }, services: { db } }: Bench, persons: number): Promise<void> {
  const { issuer } = config.bank.entries.find((entry) => entry.api === 'obie-4.0')!;
  const fetch = tlsFetch({ ca: readFileSync(config.bank.tls.ca) });
  const answer = await fetch(new Request(new URL('/sandbox/movements', issuer)));
  const { items } = (await answer.json()) as { items: { payment_id: string; amount: number; direction: string }[] };
  const faults = await db.many(ledgerFaults());
  const paid = await db.one(books());
  const wanted = { payments: persons * BILLS.length, pence: persons * BILLS.reduce((sum, one) => sum + one, 0) };
  const moved = {
    payments: new Set(items.map(({ payment_id }) => payment_id)).size,
    pence: items.reduce((sum, { amount, direction }) => (direction === 'out' ? sum + amount : sum - amount), 0),
  };
  const seen = JSON.stringify({ wanted, paid, moved, movements: items.length, faults });
  if (faults.length > 0 || items.length !== wanted.payments) throw new Error(`The books do not agree: ${seen}`);
  if (JSON.stringify(paid) !== JSON.stringify(wanted) || JSON.stringify(moved) !== JSON.stringify(wanted))
    throw new Error(`The books do not agree: ${seen}`);
  progress(`The ledger has no fault. ${seen}`);
}

const read = textQuery<{ count: number }>(
  'bench.read',
  `select count(synced_at)::int as count from bank_connections where kind = 'accounts'`,
);
const completed = textQuery<{ count: number }>(
  'bench.completed',
  `select count(*)::int as count from payments where status = 'completed'`,
);
const matched = textQuery<{ count: number }>(
  'bench.matched',
  `select count(*)::int as count from reconciliations where status = 'matched'`,
);
const books = textQuery<{ payments: number; pence: number }>(
  'bench.books',
  `select count(*)::int as payments, coalesce(sum(amount), 0)::bigint as pence from payments where status = 'completed'`,
);
const credits = textQuery<{ transaction_id: string; owner_id: string }>(
  'bench.credits',
  `select transaction_id, owner_id from bank_transactions where amount = $1`,
);
const standingSplits = textQuery(
  'bench.standing-splits',
  `insert into standing_splits (owner_id, version, set_by, updated_at)
   select owner_id, 1, owner_id, now() from bank_connections where kind = 'accounts'`,
);
/** The reference tells the bills of one payee apart. */
const standingEntries = textQuery(
  'bench.standing-entries',
  `insert into standing_entries
     (entry_id, owner_id, position, type, amount, category, provider_id, pay_day, reference, set_by, created_at, updated_at)
   select 'ent_' || gen_random_uuid(), owner_id, bill.ordinality, 'Bill ' || bill.ordinality, bill.amount, 'FIXED', $2, $1,
          'BILL ' || bill.ordinality, owner_id, now(), now()
     from bank_connections, unnest($3::bigint[]) with ordinality as bill (amount) where kind = 'accounts'`,
);
