import type { TaskQueue } from '../../workflows/ids.ts';
import type * as z from 'zod';
import { SETTING_GROUPS, type SettingGroup, type Settings } from './groups/index.ts';
import type { BackgroundLoop, common } from './groups/process.ts';

export type { SettingGroup } from './groups/index.ts';

/** A process, or the groups that a command reads. `npm start` and the demo read `everything`. */
export type SettingReader = keyof typeof GROUPS | 'worker' | readonly SettingGroup[];

/** The parts of a configuration, in the order of reading, with the groups of settings that each part can have. */
export const PARTS = {
  metrics: ['metrics'],
  tracing: ['tracing'],
  api: ['vaultAuthority', 'site', 'api'],
  database: ['database', 'migration'],
  temporal: ['temporal', 'temporalUi'],
  worker: ['worker'],
  bank: ['bank', 'bankSigning'],
  sandboxBank: ['sandboxBank'],
  keys: ['keys'],
  passwords: ['passwords'],
  threads: ['threads'],
  reader: ['reader'],
  mail: ['mail'],
  signIn: ['signIn'],
  registration: ['registration'],
  limits: ['limits'],
  paymentLimits: ['paymentLimits'],
  credentials: ['credentials'],
  yield: ['yield'],
} as const satisfies Record<string, readonly SettingGroup[]>;

type Part = keyof typeof PARTS;
type GroupsOfPart<P extends Part> = (typeof PARTS)[P][number];

type Values<G extends SettingGroup> = G extends 'mail' ? Settings<G> & { outboxDir: string } : Settings<G>;
type AllValues<G extends SettingGroup> = (G extends G ? (values: Values<G>) => void : never) extends (
  values: infer All,
) => void
  ? All
  : never;

/** The configuration of a process that reads the groups `G`. It has no other settings. */
export type ConfigOf<G extends SettingGroup> = z.output<typeof common> & {
  [P in Part as [G & GroupsOfPart<P>] extends [never] ? never : P]: AllValues<G & GroupsOfPart<P>>;
};

/** A worker has the other parts only if its queues and loops use them. */
export type WorkerConfig = OfEveryWorker & Partial<Omit<ConfigOf<OfSomeWorkers>, keyof OfEveryWorker>>;
type OfEveryWorker = ConfigOf<(typeof OF_EVERY_WORKER)[number]>;
type OfSomeWorkers = (typeof OF_QUEUES)[TaskQueue][number] | (typeof OF_LOOPS)[BackgroundLoop][number];
export type Config = ConfigOf<SettingGroup>;

export type ConfigFor<Reader> = OfGroups<Reader extends keyof typeof GROUPS ? (typeof GROUPS)[Reader] : Reader>;
type OfGroups<Groups> = Groups extends readonly (infer G extends SettingGroup)[] ? ConfigOf<G> : WorkerConfig;

const GROUPS = {
  api: [
    ...(['site', 'api', 'database', 'temporal', 'bank', 'keys', 'passwords', 'threads', 'signIn', 'limits'] as const),
    ...(['registration', 'paymentLimits', 'credentials', 'yield', 'metrics', 'tracing'] as const),
  ],
  migrate: ['database', 'migration'],
  'sandbox-bank': ['bank', 'bankSigning', 'sandboxBank'],
  everything: SETTING_GROUPS,
} as const satisfies Record<string, readonly SettingGroup[]>;

const OF_EVERY_WORKER = ['database', 'temporal', 'worker', 'metrics', 'tracing'] as const;

const OF_QUEUES = {
  payments: ['bank', 'bankSigning', 'keys'],
  upkeep: ['site', 'keys'],
  batch: ['yield'],
  documents: ['keys', 'reader'],
} as const satisfies Record<TaskQueue, readonly SettingGroup[]>;

const OF_LOOPS = {
  relay: [],
  'bank-events': ['bank', 'bankSigning'],
  mail: ['site', 'keys', 'limits', 'mail'],
  upkeep: [],
} as const satisfies Record<BackgroundLoop, readonly SettingGroup[]>;

export function groupsOf(
  reader: SettingReader,
  work: { queues: readonly TaskQueue[]; loops: readonly BackgroundLoop[] },
): ReadonlySet<SettingGroup> {
  if (typeof reader !== 'string') return new Set(reader);
  if (reader !== 'worker') return new Set<SettingGroup>(GROUPS[reader]);
  const { queues, loops } = work;
  return new Set<SettingGroup>([
    ...OF_EVERY_WORKER,
    ...queues.flatMap((queue) => OF_QUEUES[queue]),
    ...loops.flatMap((loop) => OF_LOOPS[loop]),
  ]);
}
