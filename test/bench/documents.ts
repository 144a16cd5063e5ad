import { readFile } from 'node:fs/promises';
import { AMOUNT_FIELDS, type ReadOutcome } from '../../domain/legacy/reading.ts';
import { readConfig } from '../../infra/config.ts';
import { openReader, type DocumentReader } from '../../infra/ocr/index.ts';
import { ALL_LAYOUTS, FORMS, makeDocument, SETS, type Form, type MadeDocument, type SetName, type Wanted } from '../helpers/payslips/index.ts'; // prettier-ignore
import { progress, type Part, type Row } from './report.ts';
import { percentile } from './statistics.ts';

export interface DocumentOptions {
  set: SetName | 'all';
  /** The number of documents for each layout and form. */
  count: number;
}

const FIELDS = [...AMOUNT_FIELDS, 'employer_name', 'pay_period'] as const;
type Field = (typeof FIELDS)[number];
type Group = 'amounts' | 'employer' | 'period';
const GROUP_OF: Readonly<Partial<Record<Field, Group>>> = { employer_name: 'employer', pay_period: 'period' };

/** Targets for unknown documents: shares from 0 to 1, and the median seconds. */
interface Targets {
  amounts: number;
  names: number;
  confidentlyWrong: number;
  seconds: number;
}
const PICTURE: Targets = { amounts: 0.985, names: 0.96, confidentlyWrong: 0.005, seconds: 3 };
const TARGETS: Readonly<Record<Form, Targets>> = {
  text: { amounts: 0.99, names: 0.97, confidentlyWrong: 0, seconds: 0.3 },
  scan: PICTURE,
  clean: PICTURE,
  turned: PICTURE,
  photo: { amounts: 0.98, names: 0.94, confidentlyWrong: 0.01, seconds: 4 },
};
const MOST_MEMORY_MB = 1_300;
/** Nobody checks a value with this confidence again. */
const CONFIDENT = 0.9;

interface Checked {
  field: Field;
  expected: string | number | null;
  got: string | number | null;
  confidence: number;
  isRight: boolean;
}

interface Measured {
  wanted: Wanted;
  checks: Checked[];
  ms: number;
  /** Processor time of the reader; undefined if the system does not report it. */
  cpuMs: number | undefined;
  peakMb: number | undefined;
  /** The reason if the reader failed. */
  failure: string | undefined;
}

/** Reads generated documents one after another, and compares each field with the printed value. */
export async function benchDocuments({ set, count }: DocumentOptions): Promise<Part> {
  const layouts = (set === 'all' ? ALL_LAYOUTS : SETS[set]).map(({ name }) => name);
  const reader = openReader(readConfig().reader);
  // A running reader does not keep this process alive.
  const awake = setInterval(() => {}, 60_000);
  const measured: Measured[] = [];
  try {
    await warmUp(reader, layouts[0]!);
    for (const layout of layouts) {
      for (const form of FORMS) {
        for (let seed = 1; seed <= count; seed++) measured.push(await measure(reader, { layout, seed, form }));
      }
      progress(`${layout} (${measured.length} of ${layouts.length * FORMS.length * count})`);
    }
  } finally {
    await reader.close();
    clearInterval(awake);
  }
  return {
    name: 'documents',
    setting: `${measured.length} generated documents of the set "${set}": ${layouts.length} layouts, ${FORMS.length} forms, ${count} of each. A field is right where it is what was printed; null for a printed value is wrong.`,
    rows: [...FORMS.flatMap((form) => rowsOf(form, measured)), memoryRow(measured)],
    notes: ['What was wrong:', ...measured.flatMap(faultsOf)],
  };
}

/** The first document starts the reader and loads the models. */
async function warmUp(reader: DocumentReader, layout: string): Promise<void> {
  await reader.read({ bytes: (await makeDocument({ layout, seed: 0, form: 'clean' })).bytes });
}

async function measure(reader: DocumentReader, wanted: Wanted): Promise<Measured> {
  const made = await makeDocument(wanted);
  const cpuBefore = await cpuMsOf(reader.pid);
  const startedAt = performance.now();
  const outcome = await reader.read({ bytes: made.bytes });
  const ms = performance.now() - startedAt;
  const cpuAfter = await cpuMsOf(reader.pid);
  return {
    wanted,
    checks: FIELDS.map((field) => check(field, made, outcome)),
    ms,
    cpuMs: cpuBefore !== undefined && cpuAfter !== undefined ? cpuAfter - cpuBefore : undefined,
    peakMb: await peakMbOf(reader.pid),
    failure: outcome.kind === 'failed' ? outcome.code : undefined,
  };
}

function check(field: Field, { truth }: MadeDocument, outcome: ReadOutcome): Checked {
  const expected = truth[field];
  const found = outcome.kind === 'read' ? outcome.reading[field] : null;
  const got = found?.value ?? null;
  const accepted = field === 'pay_period' && expected !== null ? [expected, ...truth.pay_period_also] : [expected];
  const isRight = accepted.some((each) => oneLine(each) === oneLine(got));
  return { field, expected, got, confidence: found?.confidence ?? 0, isRight };
}

function oneLine(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : value;
}

function rowsOf(form: Form, all: readonly Measured[]): Row[] {
  const measured = all.filter(({ wanted }) => wanted.form === form);
  const targets = TARGETS[form];
  const checks = measured.flatMap((each) => each.checks);
  const share = (group: Group, target: number): Row => {
    const some = checks.filter(({ field }) => (GROUP_OF[field] ?? 'amounts') === group);
    const right = some.filter(({ isRight }) => isRight).length;
    const value = `${percent(right / some.length)} (${right} of ${some.length})`;
    return {
      what: `${form}: ${group} right`,
      value,
      target: `>= ${percent(target)}`,
      met: right / some.length >= target,
    };
  };
  const bad = checks.filter(
    ({ isRight, got, confidence }) => !isRight && got !== null && confidence >= CONFIDENT,
  ).length;
  const times = measured.map(({ ms }) => ms);
  const cpu = measured.flatMap(({ cpuMs }) => cpuMs ?? []);
  const middle = percentile(cpu.length > 0 ? cpu : times, 50);
  return [
    share('amounts', targets.amounts),
    share('employer', targets.names),
    share('period', targets.names),
    {
      what: `${form}: wrong with confidence >= ${CONFIDENT}`,
      value: `${percent(bad / checks.length)} (${bad} of ${checks.length})`,
      target: `<= ${percent(targets.confidentlyWrong)}`,
      met: bad / checks.length <= targets.confidentlyWrong,
    },
    {
      what: `${form}: processor time of the reader`,
      p50Ms: middle,
      value: `p95 ${percentile(cpu.length > 0 ? cpu : times, 95).toFixed(0)} ms`,
      target: `p50 <= ${targets.seconds * 1000} ms`,
      met: middle <= targets.seconds * 1000,
    },
    { what: `${form}: time until it was read`, p50Ms: percentile(times, 50), value: `p95 ${percentile(times, 95).toFixed(0)} ms` }, // prettier-ignore
  ];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function memoryRow(measured: readonly Measured[]): Row {
  const peaks = measured.flatMap(({ peakMb }) => peakMb ?? []);
  if (peaks.length === 0) return { what: 'peak memory of the reader', value: 'not told by this system' };
  const peak = Math.max(...peaks);
  return {
    what: 'peak memory of the reader',
    value: `${peak.toFixed(0)} MB`,
    target: `<= ${MOST_MEMORY_MB} MB`,
    met: peak <= MOST_MEMORY_MB,
  };
}

function faultsOf({ wanted: { layout, seed, form }, checks, failure }: Measured): string[] {
  const name = `  ${layout} ${seed} ${form}`;
  if (failure !== undefined) return [`${name}: not read: ${failure}`];
  return checks
    .filter(({ isRight }) => !isRight)
    .map(({ field, expected, got, confidence }) => {
      return `${name}: ${field} is ${JSON.stringify(expected)}, read ${JSON.stringify(got)} (${confidence})`;
    });
}

const TICKS_PER_MS = 0.1;

/** A process's user and system time in all threads. Only Linux reports it. */
async function cpuMsOf(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The process name in brackets may contain any characters.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_MS;
}

async function peakMbOf(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(status ?? '')?.[1];
  return peak === undefined ? undefined : Number(peak) / 1024;
}
