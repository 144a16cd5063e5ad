import {
  continueAsNew,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScanPosition, TableToRewrap, VaultKeyActivities } from '../activities/vault-keys.ts';
import { STATUS } from './attributes.ts';

export interface RotationProgress {
  from_version: number;
  to_version: number;
  rewrapped: number;
  /** How many records were encrypted under older versions of the master key at the start. */
  of: number;
}

/**
 * `unreadable` records cannot be decrypted. `rewrapped` misses a page of records if a worker dies before it reports
 * them.
 */
export type RotationResult = Omit<RotationProgress, 'of'> & { unreadable: number };

/** Continue-as-new passes this state to the next run. */
interface Rotation extends RotationProgress {
  settled_ms: number;
  tables: readonly TableToRewrap[];
  /** The position in the current scan of the tables, and what the scan has found. */
  scan: { table: number; after: ScanPosition; found: number; unreadable: number };
}

/** Null until the new version exists and no process encrypts under the old version. */
export const rotationProgress = defineQuery<RotationProgress | null>('rotationProgress');

const PAGES_PER_RUN = 1_000;
const FRESH_SCAN = { table: 0, after: null, found: 0, unreadable: 0 } as const;

const keys = proxyActivities<VaultKeyActivities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** Scans all tables again until a scan finds nothing to rewrap. */
export async function rotateMasterKey(carriedOn?: Rotation): Promise<RotationResult> {
  let rotation = carriedOn;
  setHandler(rotationProgress, () => (rotation ? progressOf(rotation) : null));
  rotation ??= await makeNewVersion();
  let left = true;
  while (left) {
    await rewrapEverything(rotation);
    left = rotation.scan.found > 0;
    if (left) await sleepBeforeNextScan(rotation);
  }
  return end(rotation);
}

/** Reads the old version's number in a separate activity, so that a retry does not create a second new version. */
async function makeNewVersion(): Promise<Rotation> {
  upsertSearchAttributes([{ key: STATUS, value: 'processing' }]);
  const { version: from } = await keys.readMasterKey();
  const { version: to, settled_ms } = await keys.makeMasterKey.executeWithOptions(
    { summary: `Make the version after ${from}` },
    [{ from_version: from }],
  );
  setCurrentDetails(`Version ${to} of the master key is current. Waiting until every process uses it.`);
  await sleep(settled_ms, { summary: 'until every process knows the new version' });
  const tables = await keys.countUnderOlderKeys({ version: to });
  const of = tables.reduce((sum, { records }) => sum + records, 0);
  return { from_version: from, to_version: to, settled_ms, rewrapped: 0, of, tables, scan: { ...FRESH_SCAN } };
}

async function rewrapEverything(rotation: Rotation): Promise<void> {
  const { scan, tables, to_version: version } = rotation;
  for (let pages = 0; scan.table < tables.length; pages += 1) {
    if (pages === PAGES_PER_RUN || workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof rotateMasterKey>(rotation);
    }
    setCurrentDetails(`${progressIn(rotation)}.`);
    const { table } = tables[scan.table]!;
    const page = await keys.rewrapPage.executeWithOptions({ summary: progressIn(rotation) }, [
      { table, version, after: scan.after },
    ]);
    rotation.rewrapped += page.rewrapped;
    scan.found += page.found;
    scan.unreadable += page.unreadable;
    scan.after = page.next;
    if (page.next === null) scan.table += 1;
  }
}

/** Waits until records encrypted under the old version are committed, so that the next scan finds them. */
async function sleepBeforeNextScan(rotation: Rotation): Promise<void> {
  await sleep(rotation.settled_ms, { summary: 'until the next check' });
  Object.assign(rotation.scan, FRESH_SCAN);
}

function end(rotation: Rotation): RotationResult {
  const { from_version, to_version, rewrapped, scan } = rotation;
  const broken =
    scan.unreadable === 0
      ? 'Only responses stored for Idempotency-Keys can still be encrypted under an older version.'
      : `**${scan.unreadable} records cannot be decrypted** and are unchanged. The log of the worker names them.`;
  setCurrentDetails(`Version ${to_version} is current; ${rewrapped} records were encrypted again. ${broken}`);
  upsertSearchAttributes([{ key: STATUS, value: 'completed' }]);
  return { from_version, to_version, rewrapped, unreadable: scan.unreadable };
}

function progressOf({ from_version, to_version, rewrapped, of }: Rotation): RotationProgress {
  return { from_version, to_version, rewrapped, of };
}

function progressIn({ to_version, rewrapped, of }: Rotation): string {
  return `${rewrapped} of ${Math.max(of, rewrapped)} records are encrypted under version ${to_version}`;
}
