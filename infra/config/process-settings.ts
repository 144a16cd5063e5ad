import type { TaskQueue } from '../../workflows/ids.ts';
import { SETTING_GROUPS, type SettingGroup } from './groups/index.ts';
import type { BackgroundLoop } from './groups/process.ts';

export type { SettingGroup } from './groups/index.ts';

/** A process, or the groups that a command reads. `npm start` and the demo read `everything`. */
export type SettingReader = 'api' | 'worker' | 'migrate' | 'sandbox-bank' | 'everything' | readonly SettingGroup[];

const GROUPS: Readonly<Record<'api' | 'migrate' | 'sandbox-bank' | 'everything', readonly SettingGroup[]>> = {
  api: [
    ...(['site', 'api', 'database', 'temporal', 'bank', 'keys', 'passwords', 'threads', 'signIn', 'limits'] as const),
    ...(['registration', 'paymentLimits', 'credentials', 'yield', 'metrics', 'tracing'] as const),
  ],
  migrate: ['database', 'migration'],
  'sandbox-bank': ['bank', 'bankSigning', 'sandboxBank'],
  everything: SETTING_GROUPS,
};

const OF_EVERY_WORKER = ['database', 'temporal', 'worker', 'metrics', 'tracing'] as const;

const OF_QUEUES: Readonly<Record<TaskQueue, readonly SettingGroup[]>> = {
  payments: ['bank', 'bankSigning', 'keys'],
  upkeep: ['site', 'keys'],
  batch: ['yield'],
  documents: ['keys', 'reader'],
};

const OF_LOOPS: Readonly<Record<BackgroundLoop, readonly SettingGroup[]>> = {
  relay: [],
  'bank-events': ['bank', 'bankSigning'],
  mail: ['site', 'keys', 'limits', 'mail'],
  upkeep: [],
};

export function groupsOf(
  reader: SettingReader,
  work: { queues: readonly TaskQueue[]; loops: readonly BackgroundLoop[] },
): ReadonlySet<SettingGroup> {
  if (typeof reader !== 'string') return new Set(reader);
  if (reader !== 'worker') return new Set(GROUPS[reader]);
  const { queues, loops } = work;
  return new Set([
    ...OF_EVERY_WORKER,
    ...queues.flatMap((queue) => OF_QUEUES[queue]),
    ...loops.flatMap((loop) => OF_LOOPS[loop]),
  ]);
}
