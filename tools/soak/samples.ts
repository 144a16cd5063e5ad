import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresUrl } from '../../programs/local/postgres.ts';
import { openWorkflows } from '../../test/helpers/faults-checks.ts';
import type { FaultStack, Part } from '../../test/helpers/faults.ts';
import { openHeapProbe, type HeapProbe } from './heap.ts';

/** Memory is in MB. A reader process that does not run has no value. */
export interface Sample {
  /** Minutes since the test began to send requests. */
  minute: number;
  figures: Readonly<Record<string, number>>;
}

export interface Sampler {
  sample(minute: number): Promise<Sample>;
  close(): Promise<void>;
}

const MB = 1_048_576;
const OURS = { API: 'api', worker: 'worker' } as const;

/** Measures a running stack from outside: its processes through /proc and the inspector, and its database. */
export async function openSampler(stack: FaultStack): Promise<Sampler> {
  const database = new pg.Client(postgresUrl(Number(stack.env.RINGFENCE_PORT_POSTGRES)));
  await database.connect();
  const probes = new Map<Part, HeapProbe>();
  for (const [part, log] of Object.entries(OURS) as [Part, string][]) {
    const logFile = join(stack.env.RINGFENCE_DATA!, 'logs', `${log}.log`);
    probes.set(part, await openHeapProbe(await stack.pid(part), logFile));
  }
  return {
    async sample(minute) {
      const figures: Record<string, number> = {};
      for (const [part, probe] of probes) {
        const pid = await stack.pid(part);
        figures[`${part} live heap`] = (await probe.liveBytes()) / MB;
        figures[`${part} resident`] = residentMb(pid);
        figures[`${part} file descriptors`] = readdirSync(`/proc/${pid}/fd`).length;
        const reader = childrenOf(pid).find((child) => commandOf(child).includes('programs/reader.ts'));
        if (reader !== undefined) figures['reader resident'] = residentMb(reader);
      }
      const { rows } = await database.query<Record<string, number>>(
        `select (select count(*)::int from pg_stat_activity where datname = current_database()) as "database connections",
                (select count(*)::int from outbox_messages) as "outbox", (select count(*)::int from mail_messages) as "letters"`,
      );
      return { minute, figures: { ...figures, ...rows[0], 'open workflows': await openWorkflows(stack) } };
    },
    async close() {
      for (const probe of probes.values()) probe.close();
      await database.end();
    },
  };
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readOr(`/proc/${pid}/task/${task}/children`).split(' '))
    .filter((text) => text !== '')
    .map(Number);
}

function commandOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
