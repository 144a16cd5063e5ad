import { readFile } from 'node:fs/promises';
import { AMOUNT_FIELDS, type ReadOutcome } from '../../domain/legacy/reading.ts';
import { readConfig } from '../../infra/config/index.ts';
import { openReader, type DocumentReader } from '../../infra/documents/index.ts';
import { makeDocument, type Truth } from './index.ts';

const READER_PROGRAM = new URL('../../programs/reader.ts', import.meta.url);
const FIELDS = [...AMOUNT_FIELDS, 'employer_name', 'pay_period'] as const;
export type Field = (typeof FIELDS)[number];
export const GROUPS = ['amounts', 'employer', 'period'] as const;
export type Group = (typeof GROUPS)[number];
const GROUP_OF: Readonly<Partial<Record<Field, Group>>> = { employer_name: 'employer', pay_period: 'period' };

export function groupOf(field: Field): Group {
  return GROUP_OF[field] ?? 'amounts';
}

/** Values with at least this confidence (0 to 1) need no review by a person. */
export const CONFIDENT = 0.9;

export interface Checked {
  field: Field;
  expected: string | number | null;
  got: string | number | null;
  confidence: number;
  isRight: boolean;
}

export function checksOf(truth: Truth, outcome: ReadOutcome): Checked[] {
  return FIELDS.map((field) => {
    const expected = truth[field];
    const found = outcome.kind === 'read' ? outcome.reading[field] : null;
    const got = found?.value ?? null;
    const accepted = field === 'pay_period' && expected !== null ? [expected, ...truth.pay_period_also] : [expected];
    const isRight = accepted.some((each) => oneLine(each) === oneLine(got));
    return { field, expected, got, confidence: found?.confidence ?? 0, isRight };
  });
}

function oneLine(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value;
}

interface TimedOutcome {
  outcome: ReadOutcome;
  ms: number;
  cpuMs: number | undefined;
  peakMb: number | undefined;
}

export async function timedRead(reader: DocumentReader, bytes: Uint8Array): Promise<TimedOutcome> {
  const cpuBefore = await cpuMsOf(reader.pid);
  const startedAt = performance.now();
  const outcome = await reader.read({ bytes });
  const ms = performance.now() - startedAt;
  const cpuAfter = await cpuMsOf(reader.pid);
  const cpuMs = cpuBefore !== undefined && cpuAfter !== undefined ? cpuAfter - cpuBefore : undefined;
  return { outcome, ms, cpuMs, peakMb: await peakMbOf(reader.pid) };
}

/** Runs `use` with a reader whose models are loaded. */
export async function withWarmReader<T>(use: (reader: DocumentReader) => Promise<T>): Promise<T> {
  const reader = openReader(readConfig().reader, READER_PROGRAM);
  // Waiting for the reader's process alone does not keep this process running.
  const awake = setInterval(() => {}, 60_000);
  try {
    await reader.read({ bytes: (await makeDocument({ layout: 'sap', seed: 0, form: 'clean' })).bytes });
    return await use(reader);
  } finally {
    await reader.close();
    clearInterval(awake);
  }
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

const TICKS_PER_MS = 0.1;

async function cpuMsOf(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The program's name, which is in brackets, can contain spaces and brackets.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_MS;
}

async function peakMbOf(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(status ?? '')?.[1];
  return peak === undefined ? undefined : Number(peak) / 1024;
}
