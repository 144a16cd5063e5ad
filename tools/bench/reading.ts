import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockConnection } from '../../activities/bank/record.ts';
import { requestSync } from '../../activities/bank/request-sync.ts';
import { openTemporal } from '../../infra/temporal/client.ts';
import { ensureSchedules, BANK_READING } from '../../infra/temporal/schedules.ts';
import { openServices, type Services } from '../../infra/services.ts';
import { textQuery } from '../../test/helpers/text-query.ts';
import { connectPersons } from './connect.ts';
import { progress, type Part, type Row } from './report.ts';
import { cpuMsSince, cpuSeconds, residentMb, withStack, type BenchStack } from './stack.ts';

const ROWS_EACH = 270;
const HOURS_BETWEEN = 8;
const SAMPLE_EVERY_MS = 250;
const TENTHS = 10;

interface Read {
  seconds: number;
  /** Of the worker, in MB: before, after each tenth of the persons, and afterwards. */
  memoryMb: number[];
  cpuMs: ReadonlyMap<string, number>;
}

/** Persons with 90 days of transactions at the sandbox bank, whose accounts one worker reads by the real workflow. */
export async function benchReading({
  persons,
  profileDir,
}: {
  persons: number;
  profileDir: string | undefined;
}): Promise<Part> {
  return withStack({ temporal: true, environment: 'sandbox', profileDir }, async (stack) => {
    await stack.start('bank');
    const services = await openServices({ ...stack.config, logLevel: 'silent' }, 'bench');
    try {
      const ids = Array.from({ length: persons }, () => services.newId('usr'));
      const connections = await connectPersons(services, ids, null);
      fillBank(stack);
      await requestSyncs(services, connections);
      await pauseReading(stack);
      const worker = await stack.start('worker', { BANK_UNATTENDED_READS_PER_DAY: '1000' });
      const measured = { persons, memory: () => residentMb(worker) };
      const first = await untilRead(stack, services, measured);
      await requireRows(services, persons * ROWS_EACH);
      const again = await untilRead(stack, services, measured, () => requestSyncs(services, connections));
      await requireRows(services, persons * ROWS_EACH);
      return {
        name: 'reading',
        setting: `${persons} persons with three accounts each and ${ROWS_EACH} transactions on the first, one worker; memory is the worker's.`,
        rows: [...rowsOf('first sync', first, persons), ...rowsOf('sync without news', again, persons)],
      };
    } finally {
      await services.close();
    }
  });
}

function rowsOf(what: string, { seconds, memoryMb, cpuMs }: Read, persons: number): Row[] {
  const cpu = [...cpuMs].map(([part, ms]) => `${part} ${(ms / persons).toFixed(0)}`);
  return [
    { what: `${what}: persons`, perSecond: persons / seconds, value: `${seconds.toFixed(1)} s` },
    { what: `${what}: transactions`, perSecond: (persons * ROWS_EACH) / seconds },
    { what: `${what}: CPU ms a person`, value: cpu.join(', ') },
    { what: `${what}: memory in MB`, value: memoryMb.map((mb) => mb.toFixed(0)).join(' ') },
  ];
}

/** Straight into the bank's file, because its address for credits takes one at a time. */
function fillBank({ config }: BenchStack): void {
  const bank = new DatabaseSync(join(config.dataDir, 'sandbox-bank', 'bank.sqlite'), { timeout: 60_000 });
  bank
    .prepare(
      `with recursive n(i) as (select ? union all select i - 1 from n where i > 1)
       insert into transactions
       select null, 'txn-' || lower(hex(randomblob(16))), a.id, -(100 + i), strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (i * ?) || ' hours'),
              'CARD PAYMENT ' || i, 'Shop ' || (i % 40), null
         from accounts a, n where a.kind = 'current'`,
    )
    .run(ROWS_EACH, HOURS_BETWEEN);
  bank.close();
}

/** Only the syncs that are measured run. */
export async function pauseReading({ config }: BenchStack): Promise<void> {
  const client = openTemporal(config.temporal);
  try {
    await ensureSchedules(client);
    await client.schedule.getHandle(BANK_READING.scheduleId).pause('measured');
  } finally {
    await client.connection.close();
  }
}

export async function requestSyncs(services: Services, connections: readonly string[]): Promise<void> {
  await services.db.run(forget());
  for (const connectionId of connections) {
    await services.db.transaction(async (tx) => {
      const connection = await lockConnection(tx, connectionId);
      const asked = { requestedBy: 'request', presentSealed: null, actor: null } as const;
      const { kind } = await requestSync(connection, services, asked);
      if (kind !== 'requested') throw new Error(`A sync is ${kind}.`);
    });
  }
}

async function untilRead(
  { parts }: BenchStack,
  { db }: Services,
  { persons, memory }: { persons: number; memory: () => number },
  begin: () => Promise<void> = () => Promise.resolve(),
): Promise<Read> {
  const [startedAt, before, memoryMb] = [performance.now(), cpuSeconds(parts), [memory()]];
  await begin();
  let done = 0;
  while (done < persons) {
    await sleep(SAMPLE_EVERY_MS);
    ({ done } = await db.one(state()));
    while (memoryMb.length <= Math.floor((done * TENTHS) / persons)) {
      memoryMb.push(memory());
      progress(`${done} persons are read; the worker has ${memoryMb.at(-1)!.toFixed(0)} MB`);
    }
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, memoryMb: [...memoryMb, memory()], cpuMs: cpuMsSince(parts, before) };
}

async function requireRows({ db }: Services, wanted: number): Promise<void> {
  const { rows, faults } = await db.one(state());
  if (rows !== wanted || faults > 0)
    throw new Error(`${rows} transactions are stored instead of ${wanted}, and ${faults} syncs are not complete.`);
}

const state = textQuery<{ done: number; rows: number; faults: number }>(
  'bench.syncs',
  `select count(synced_at)::int as done, (select count(*)::int from bank_transactions) as rows,
          (count(*) filter (where sync_outcome <> 'complete' or sync_rows_refused > 0))::int as faults
     from bank_connections`,
);

const forget = textQuery(
  'bench.forget-syncs',
  `update bank_connections set synced_at = null, sync_outcome = null, sync_reason = null, sync_rows_new = null, sync_rows_refused = null`,
);
