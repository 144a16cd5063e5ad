import type { TaskQueue } from '../../workflows/ids.ts';
import type * as z from 'zod';
import { SETTING_GROUPS, type SettingGroup, type Settings } from './groups/index.ts';
import type { BackgroundLoop, common } from './groups/process.ts';

/** A process, or the groups that a command reads. `npm start` and the demo read `everything`. */
export type SettingReader = keyof typeof PROCESSES | 'worker' | readonly SettingGroup[];

/** Each group is a part of the configuration, except these groups: their values belong to the part of another group. */
const PARTS = {
  site: 'api',
  vaultAuthority: 'api',
  migration: 'database',
  temporalUi: 'temporal',
} as const satisfies { [G in SettingGroup]?: SettingGroup };

export function partOf<G extends SettingGroup>(group: G) {
  const parts: { [Other in SettingGroup]?: SettingGroup } = PARTS;
  return (parts[group] ?? group) as G extends keyof typeof PARTS ? (typeof PARTS)[G] : G;
}

type PartWith<G extends SettingGroup> = G extends G ? Record<ReturnType<typeof partOf<G>>, Settings<G>> : never;
/** The type that has the properties of all types in a union. */
type All<T> = (T extends T ? (value: T) => void : never) extends (value: infer Every) => void ? Every : never;

/** The configuration of a process that reads the groups `G`. It has no other settings. */
export type ConfigOf<G extends SettingGroup> = z.output<typeof common> & All<PartWith<G>>;
export type Config = ConfigOf<SettingGroup>;

/** A worker has the other parts only if its queues and loops use them. */
type WorkerConfig = ConfigOf<(typeof EVERY_WORKER)[number]> & Partial<ConfigOf<OfSomeWorkers>>;
type OfSomeWorkers = (typeof QUEUES)[TaskQueue][number] | (typeof LOOPS)[BackgroundLoop][number];

export type ConfigFor<R> = R extends keyof typeof PROCESSES
  ? ConfigOf<(typeof PROCESSES)[R][number]>
  : R extends readonly SettingGroup[]
    ? ConfigOf<R[number]>
    : WorkerConfig;

const PROCESSES = {
  api: [
    ...(['site', 'api', 'database', 'temporal', 'bank', 'keys', 'witness', 'passwords', 'threads'] as const),
    ...(['signIn', 'limits'] as const),
    ...(['registration', 'paymentLimits', 'credentials', 'metrics', 'tracing'] as const),
  ],
  migrate: ['database', 'migration', 'yield'],
  reader: ['reader'],
  'sandbox-bank': ['site', 'bank', 'sandboxBank'],
  everything: SETTING_GROUPS,
} as const satisfies Record<string, readonly SettingGroup[]>;

const EVERY_WORKER = ['database', 'temporal', 'worker', 'witness', 'metrics', 'tracing'] as const;

const QUEUES = {
  payments: ['site', 'bank', 'keys', 'paymentLimits'],
  bank: ['site', 'bank', 'keys'],
  upkeep: ['site', 'keys'],
  batch: [],
  documents: ['keys', 'reader'],
} as const satisfies Record<TaskQueue, readonly SettingGroup[]>;

const LOOPS = {
  relay: [],
  'bank-events': ['site', 'bank'],
  mail: ['site', 'keys', 'limits', 'mail'],
  upkeep: [],
  witness: ['keys'],
} as const satisfies Record<BackgroundLoop, readonly SettingGroup[]>;

export function groupsOf(
  reader: SettingReader,
  { queues, loops }: { queues: readonly TaskQueue[]; loops: readonly BackgroundLoop[] },
): ReadonlySet<SettingGroup> {
  if (typeof reader !== 'string') return new Set(reader);
  if (reader !== 'worker') return new Set<SettingGroup>(PROCESSES[reader]);
  const work = [...queues.map((queue) => QUEUES[queue]), ...loops.map((loop) => LOOPS[loop])];
  return new Set<SettingGroup>([...EVERY_WORKER, ...work.flat()]);
}
