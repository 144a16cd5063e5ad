import { MOST_INT, requireOneOf, requireWhole } from '../domain/arguments.ts';
import { DomainError, invalidInput } from '../domain/errors.ts';
import {
  countEachAnswer,
  dropMacSecrets,
  lockMasterKeys,
  rotationWasRecorded,
  SEALED_TABLES,
  type PageWanted,
  type Rewrapped,
  type SealedTable,
  type SealedTableName,
} from '../infra/db/queries/vault-keys.ts';
import type { MacedTableName } from '../infra/db/queries/macs.ts';
import type { Keys } from '../infra/keys/index.ts';
import type { MasterKeyVersions } from '../infra/keys/service.ts';
import type { Services } from '../infra/services.ts';
import { audit } from './audit.ts';
import { actorOf, type Operated } from './auth/applications.ts';
import { TABLES_WITH_MACS } from './re-mac.ts';

/** Null at the beginning and the end of a scan. */
export type ScanPosition = { version: number; id: string } | null;

/** A table of sealed records, or the MACs of a table. */
export type RotatedTable = SealedTableName | MacedTableName;

/** `records` counts the records under older versions of the master key. */
export interface TableToRewrap {
  table: RotatedTable;
  records: number;
}

export interface RewrappedPage {
  /** Readable records under older versions of the master key. */
  found: number;
  rewrapped: number;
  /** Records that were altered, or whose version is gone. These records stay unchanged. */
  unreadable: number;
  next: ScanPosition;
}

const PAGE = 500;
/** How long after a rotation a running request can still commit records under the old version, in milliseconds. */
const UNDER_WAY_MS = 5_000;
/** How long after a rotation the old version must be kept, in milliseconds. No cache or transaction lasts that long. */
const RETIRE_AFTER_MS = 10 * 60_000;
const SUBJECT = 'master-key';
const SEALED = Object.keys(SEALED_TABLES) as SealedTableName[];
const MACED = Object.keys(TABLES_WITH_MACS) as MacedTableName[];
const TABLES: readonly RotatedTable[] = [...SEALED, ...MACED];

/** The steps of a master key rotation. Each step can run again after a crash. */
export const vaultKeyActivities = (services: Services) => ({
  async readMasterKey(): Promise<{ version: number }> {
    return { version: (await services.keys.masterKeys.versions()).current };
  },

  /**
   * If `from_version` is no longer current, this step has already run, and creates no version.
   * @returns in `settled_ms` after how many milliseconds no process encrypts under an older version.
   */
  async makeMasterKey({ from_version }: { from_version: number }): Promise<{ version: number; settled_ms: number }> {
    const { db, keys, config, newId } = services;
    requireVersion(from_version);
    const version = await keys.masterKeys.rotate(from_version);
    await keys.addMacSecret(version);
    // Reads the previous version from the key store instead of trusting the argument, so that the audit event is true.
    const before = (await keys.masterKeys.versions()).versions.map((known) => known.version);
    if (from_version !== Math.max(...before.filter((known) => known < version))) return settled(config, version);
    await db.transaction(async (tx) => {
      await tx.many(lockMasterKeys());
      if ((await tx.one(rotationWasRecorded(version))).recorded) return;
      await audit(tx, { newId }, event('rotated', { from_version, to_version: version }, {}));
    });
    return settled(config, version);
  },

  async countUnderOlderKeys({ version }: { version: number }): Promise<TableToRewrap[]> {
    requireVersion(version);
    return Promise.all(
      TABLES.map(async (table) => {
        const { countOlder } = isMaced(table) ? TABLES_WITH_MACS[table] : SEALED_TABLES[table];
        const { count } = await services.db.one(countOlder(version));
        return { table, records: count };
      }),
    );
  },

  /** Rewraps up to 500 records, or renews as many MACs, under the current version, which can be newer than `version`. */
  async rewrapPage(args: { table: RotatedTable; version: number; after: ScanPosition }): Promise<RewrappedPage> {
    const table = requireOneOf('/table', args.table, TABLES);
    requireVersion(args.version);
    const { version, id } = args.after ?? { version: 0, id: '' };
    requireWhole('/after/version', version, { least: 0, most: MOST_INT });
    const wanted = { olderThan: args.version, version, id, most: PAGE };
    return isMaced(table) ? renewMacs(services, table, wanted) : rewrapSealed(services, table, wanted);
  },
});

function isMaced(table: RotatedTable): table is MacedTableName {
  return (MACED as readonly RotatedTable[]).includes(table);
}

async function renewMacs(services: Services, table: MacedTableName, wanted: PageWanted): Promise<RewrappedPage> {
  const { rows, found, renewed, refused, last } = await TABLES_WITH_MACS[table].renew(services, wanted);
  return { found, rewrapped: renewed, unreadable: refused, next: rows < PAGE ? null : (last ?? null) };
}

async function rewrapSealed(services: Services, table: SealedTableName, wanted: PageWanted): Promise<RewrappedPage> {
  const { db, keys, log } = services;
  const { pageOlder, replace } = SEALED_TABLES[table];
  const rows = await db.many(pageOlder(wanted));
  const wrapped = await keys.rewrap(
    rows.map(({ sealed }) => sealed),
    wanted.olderThan,
  );
  const fresh = rows.flatMap((row, index) =>
    wrapped[index] ? [{ ...row, ...wrapped[index], stale: row.sealed }] : [],
  );
  const broken = rows.filter((_, index) => wrapped[index] === undefined);
  for (const row of broken) log.error({ table, id: row.id }, 'an encrypted record cannot be decrypted; skipped');
  const rewrapped = await replaceAll({ db }, replace, fresh);
  const last = rows.at(-1);
  const next = rows.length < PAGE || last === undefined ? null : { version: last.version, id: last.id };
  return { found: fresh.length, rewrapped, unreadable: broken.length, next };
}

function requireVersion(version: number): void {
  requireWhole('/version', version, { least: 1, most: MOST_INT });
}

function settled({ keys }: Services['config'], version: number) {
  return { version, settled_ms: keys.reloadMs + UNDER_WAY_MS };
}

type Fresh = Rewrapped & { keyVersion: number };

/** Skips records erased or changed after they were read. */
async function replaceAll({ db }: Pick<Services, 'db'>, replace: SealedTable['replace'], fresh: readonly Fresh[]) {
  let replaced = 0;
  for (const [version, rows] of Map.groupBy(fresh, ({ keyVersion }) => keyVersion)) {
    replaced += await db.transaction((tx) => tx.run(replace(version, rows)));
  }
  return replaced;
}

export type VaultKeyActivities = ReturnType<typeof vaultKeyActivities>;

type Needs = Pick<Services, 'db' | 'newId'> & Operated & { keys: Pick<Keys, 'masterKeys'> };

/** `missing`: data is encrypted under this version, but the key store does not have this version. */
export async function listMasterKeys(needs: Needs) {
  const { current, versions } = await needs.keys.masterKeys.versions();
  const counts = await countEach(needs);
  const made = new Map(versions.map(({ version, created_at }) => [version, created_at]));
  const named = Object.values(counts).flatMap((count) => [...count.keys()]);
  const items = [...new Set([...made.keys(), ...named])]
    .sort((a, b) => b - a)
    .map((version) => {
      const status = version === current ? 'current' : made.has(version) ? 'older' : 'missing';
      const under = Object.entries(counts).map(([table, count]) => [table, count.get(version) ?? 0] as const);
      return { version, status, created_at: made.get(version) ?? null, sealed: Object.fromEntries(under) };
    });
  return { service: needs.keys.masterKeys.kind, items };
}

/**
 * Also retires all earlier versions. Refused while live data is encrypted under one of these versions.
 * Also refused until ten minutes after the version stopped being current. By then, everything encrypted under the
 * version is committed and counted.
 */
export async function retireMasterKey(needs: Needs, { version }: { version: number }) {
  const { db, keys } = needs;
  refuseTooEarly(version, await keys.masterKeys.versions());
  const counts = await countEach(needs);
  const left = Object.entries(counts)
    .map(([table, count]) => ({ table, records: underOrBefore(count, version) }))
    .filter(({ records }) => records > 0);
  if (left.length > 0) {
    const what = left.map(({ table, records }) => `${records} in ${table}`).join(', ');
    throw invalidInput(
      '/version',
      `Version ${version} of the master key is still needed: ${what}. To encrypt the records under a new version, run the command "master-key rotate". Responses stored for Idempotency-Keys expire after 24 hours.`,
    );
  }
  await db.transaction(async (tx) => {
    await tx.many(lockMasterKeys());
    await tx.run(dropMacSecrets(version));
    await audit(tx, needs, event('retired', { version }, needs));
  });
  // After the commit, so that no version disappears without an audit event. After a crash here, run the command again.
  await keys.masterKeys.retire(version);
  return { version, status: 'retired' };
}

function refuseTooEarly(version: number, { current, versions }: MasterKeyVersions): void {
  if (!versions.some((known) => known.version === version)) {
    throw new DomainError(
      'not-found',
      `There is no version ${version} of the master key. The command "master-key list" shows all versions.`,
    );
  }
  if (version >= current) {
    throw invalidInput(
      '/version',
      `Version ${version} of the master key is the current version. First make a new version with the command "master-key rotate".`,
    );
  }
  const successor = versions.find((known) => known.version > version)!;
  const from = new Date(Date.parse(successor.created_at) + RETIRE_AFTER_MS);
  if (from.getTime() > Date.now()) {
    throw invalidInput(
      '/version',
      `Version ${version} of the master key was current until recently. You can retire it after ${from.toISOString()}.`,
    );
  }
}

type Counts = Record<string, ReadonlyMap<number, number>>;

async function countEach({ db }: Needs): Promise<Counts> {
  const statements = [
    ...Object.entries(SEALED_TABLES).map(([table, { countEach: counted }]) => [table, counted()] as const),
    ...Object.entries(TABLES_WITH_MACS).map(([table, { countEach: counted }]) => [table, counted()] as const),
    ['idempotent_answers', countEachAnswer()] as const,
  ];
  const counts: Counts = {};
  // Runs the queries one after another, because the command line has only one connection.
  for (const [table, statement] of statements) {
    const rows = await db.many(statement);
    counts[table] = new Map(rows.map(({ version, count }) => [version, count]));
  }
  return counts;
}

function underOrBefore(count: ReadonlyMap<number, number>, version: number): number {
  return [...count].reduce((sum, [under, records]) => (under <= version ? sum + records : sum), 0);
}

function event(what: 'rotated' | 'retired', data: Readonly<Record<string, number>>, by: Operated) {
  return { subject: SUBJECT, kind: `master-key.${what}`, actor: actorOf(by), data } as const;
}
