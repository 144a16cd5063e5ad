import { GROUPS } from '../../infra/config/groups/index.ts';
import { common } from '../../infra/config/groups/process.ts';
import { groupsOf, type SettingReader } from '../../infra/config/process-settings.ts';
import { readerOf, settingsIn } from '../../infra/config/reading.ts';
import type { Environment } from '../../infra/config/settings.ts';

/** For a worker, the names depend on the queues and loops in `env`. */
export function settingsUsedBy(reader: SettingReader, env: Environment = {}): ReadonlySet<string> {
  const groups = groupsOf(reader, readerOf(env)(GROUPS.worker));
  const settings = [common, ...[...groups].map((group) => GROUPS[group])].flatMap((group) => settingsIn(group));
  return new Set(settings.map(({ variable }) => variable));
}
