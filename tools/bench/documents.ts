import type { DocumentReader } from '../../infra/documents/index.ts';
import { checksOf, CONFIDENT, groupOf, percent, timedRead, withWarmReader, type Checked, type Group } from '../payslips/checks.ts'; // prettier-ignore
import { ALL_LAYOUTS, FORMS, makeDocument, SETS, type Form, type SetName, type Wanted } from '../payslips/index.ts'; // prettier-ignore
import { progress, type Part, type Row } from './report.ts';
import { percentile } from './statistics.ts';

export interface DocumentOptions {
  set: SetName | 'all';
  count: number;
}

/** The first three are shares from 0 to 1; `seconds` is the reader's median processor time. */
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

interface Measured {
  wanted: Wanted;
  checks: Checked[];
  ms: number;
  cpuMs: number | undefined;
  peakMb: number | undefined;
  failure: string | undefined;
}

export async function benchDocuments({ set, count }: DocumentOptions): Promise<Part> {
  const layouts = (set === 'all' ? ALL_LAYOUTS : SETS[set]).map(({ name }) => name);
  const measured: Measured[] = [];
  await withWarmReader(async (reader) => {
    for (const layout of layouts) {
      for (const form of FORMS) {
        for (let seed = 1; seed <= count; seed++) measured.push(await measure(reader, { layout, seed, form }));
      }
      progress(`${layout} (${measured.length} of ${layouts.length * FORMS.length * count})`);
    }
  });
  return {
    name: 'documents',
    setting: `${measured.length} generated documents of the set "${set}": ${layouts.length} layouts, ${FORMS.length} forms, ${count} of each. A field is right where it is what was printed; null for a printed value is wrong.`,
    rows: [...FORMS.flatMap((form) => rowsOf(form, measured)), memoryRow(measured)],
    notes: ['What was wrong:', ...measured.flatMap(faultsOf)],
  };
}

async function measure(reader: DocumentReader, wanted: Wanted): Promise<Measured> {
  const { bytes, truth } = await makeDocument(wanted);
  const { outcome, ms, cpuMs, peakMb } = await timedRead(reader, bytes);
  const failure = outcome.kind === 'failed' ? outcome.code : undefined;
  return { wanted, checks: checksOf(truth, outcome), ms, cpuMs, peakMb, failure };
}

function rowsOf(form: Form, all: readonly Measured[]): Row[] {
  const measured = all.filter(({ wanted }) => wanted.form === form);
  const targets = TARGETS[form];
  const checks = measured.flatMap((each) => each.checks);
  const share = (group: Group, target: number): Row => {
    const some = checks.filter(({ field }) => groupOf(field) === group);
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
