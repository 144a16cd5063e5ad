import { recordRates } from '../../activities/yield/rates.ts';
import { withDatabase } from './database.ts';
import type { Config } from '../../infra/config/index.ts';
import type { Database } from '../../infra/db/database.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { migrate, MIGRATION_LOCK, ownerUrlOf, type MigratedDatabase } from '../../infra/db/migrate.ts';
import { PROGRAM } from '../../infra/db/schema-program.ts';
import { ChangedSchemaError, readSchema } from '../../infra/db/schema-version.ts';
import {
  deployment,
  lockPreparation,
  recordDeployment,
  roleThere,
  schemaThere,
  tablesThere,
} from '../../infra/db/queries/deployment.ts';
import { otherKind, UNSAID } from '../../infra/process/require-database.ts';
import type { RateRow } from '../../infra/db/queries/yield.ts';
import { ConfigError } from '../../infra/config/settings.ts';

/**
 * `environment` is undefined if RINGFENCE_ENV is not set.
 * @returns changed interest rates, and a warning if the service would run with the role that owns the schema, which
 * production refuses.
 */
export async function prepareDatabase(
  { database, yield: { annualRates } }: { database: MigratedDatabase } & Pick<Config, 'yield'>,
  environment: Config['environment'] | undefined,
): Promise<{ rates: RateRow[]; warning?: string }> {
  return withDatabase({ url: ownerUrlOf(database) }, async (db) => {
    await requireOwn(db, ownerUrlOf(database));
    const { recorded: isRecorded, role } = await db.one(schemaThere());
    const recorded = isRecorded ? await db.maybe(deployment()) : undefined;
    requireDecided(database, recorded?.environment, environment);
    const service = await serviceOf(db, database, role);
    await migrate({ database, service });
    const rates = await db.transaction(async (tx) => {
      await tx.maybe(lockPreparation(MIGRATION_LOCK));
      await settle(tx, environment);
      return recordRates(tx, annualRates);
    });
    return { rates, ...(service === undefined && { warning: ONE_ROLE }) };
  });
}

/** Reads the tables first, because another process may be applying the first migrations. */
async function requireOwn(db: Database, url: string): Promise<void> {
  const tables = await db.many(tablesThere());
  const { changed, missingMigrations } = await readSchema({ db });
  if (changed.length > 0) throw new ChangedSchemaError(changed);
  if (tables.length === 0 || missingMigrations < PROGRAM.migrations.length) return;
  const { host, pathname } = new URL(url);
  const some = tables.slice(0, 3).map(({ name }) => name);
  const more = tables.length > some.length ? ` and ${tables.length - some.length} more` : '';
  throw new ConfigError(
    `The database ${pathname.slice(1)} at ${host} belongs to another program: it has tables (${some.join(', ')}${more}), but no mark of Ringfence. ` +
      'Set DATABASE_URL, and DATABASE_MIGRATION_URL if you use it, to an empty database.',
  );
}

function requireDecided(
  { migrationUrl }: MigratedDatabase,
  recorded: Config['environment'] | undefined,
  environment: Config['environment'] | undefined,
): void {
  const decided = environment ?? recorded;
  if (decided === undefined) throw new ConfigError(UNSAID);
  if (recorded !== undefined && recorded !== decided) throw new ConfigError(otherKind(recorded, decided));
  if (decided === 'production' && migrationUrl === undefined) throw new ConfigError(`${ONE_ROLE} ${MAKE_TWO}`);
}

async function serviceOf(db: Database, { url, migrationUrl }: MigratedDatabase, owner: string) {
  if (migrationUrl === undefined) return undefined;
  const service = decodeURIComponent(new URL(url).username);
  if (service === '' || service === owner) {
    throw new ConfigError(
      `DATABASE_URL names ${service === '' ? 'no role' : `the role "${service}", as DATABASE_MIGRATION_URL does`}; the service needs a role of its own. ${MAKE_TWO}`,
    );
  }
  if ((await db.maybe(roleThere(service))) !== undefined) return service;
  throw new ConfigError(`DATABASE_URL names the role "${service}", which the database does not have. ${MAKE_TWO}`);
}

/** Another migrator may have recorded an environment meanwhile. */
async function settle(tx: Tx, environment: Config['environment'] | undefined): Promise<void> {
  const recorded = (await tx.maybe(deployment()))?.environment;
  if (recorded !== undefined && recorded !== (environment ?? recorded))
    throw new ConfigError(otherKind(recorded, environment ?? recorded));
  if (recorded === undefined && environment !== undefined) await tx.run(recordDeployment(environment));
}

const ONE_ROLE =
  'DATABASE_MIGRATION_URL is not set, so the role of DATABASE_URL owns the schema. With this role, the service could change the ledger and the audit log directly, not only through their functions.';
const MAKE_TWO = 'For how to make the role, see docs/operate/deploying.md, "Two roles of the database".';
