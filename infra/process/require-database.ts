import type { Config } from '../config/index.ts';
import { GUARDED_TABLES } from '../db/roles.ts';
import type { Queries } from '../db/connection.ts';
import { deployment, excessRights, type DeploymentRow } from '../db/queries/deployment.ts';
import { requireSchema, whenThere } from '../db/schema-version.ts';
import { unusable } from '../db/unusable.ts';
import { ConfigError } from '../config/settings.ts';

interface Needs {
  db: Pick<Queries, 'one' | 'many' | 'maybe'>;
  config: Pick<Config, 'environment'> & { database: { url: string } };
}

const NOT_ALLOWED = '42501';

/** Waits while the database is unavailable. @throws ConfigError if this process must not use the database. */
export async function requireDatabase(needs: Needs): Promise<void> {
  try {
    await requireSchema(needs);
    await whenThere(() => requireKind(needs));
    if (needs.config.environment === 'production') await requireService(needs);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_ALLOWED) throw new ConfigError(WITHOUT_RIGHTS);
    const sentence = unusable(error, needs.config.database.url);
    throw sentence === undefined ? error : new ConfigError(sentence);
  }
}

/** @throws ConfigError if the database is for another environment, or records no environment. */
export async function requireKind({
  db,
  config: { environment },
}: {
  db: Needs['db'];
  config: Pick<Config, 'environment'>;
}): Promise<DeploymentRow> {
  const row = await db.maybe(deployment());
  if (row === undefined) throw new ConfigError(UNSAID);
  if (row.environment !== environment) throw new ConfigError(otherKind(row.environment, environment));
  return row;
}

export function otherKind(made: Config['environment'], asked: Config['environment']): string {
  return `RINGFENCE_ENV is "${asked}", but the database was made for "${made}", which cannot be changed. Set DATABASE_URL (and DATABASE_MIGRATION_URL) to a database of "${asked}", or RINGFENCE_ENV to "${made}".`;
}

export const UNSAID =
  'The database does not record whether it is for a sandbox or for production. Set RINGFENCE_ENV to "sandbox" or "production", and run the migrations (npm run db:migrate, or the image with the command "migrate"); this cannot be changed later.';

const WITHOUT_RIGHTS =
  'The role of DATABASE_URL lacks rights on the tables. Run the migrations (npm run db:migrate, or the image with the command "migrate") with DATABASE_MIGRATION_URL set to the owner of the schema and DATABASE_URL as it is here. The migrations grant the rights.';

async function requireService({ db }: Needs): Promise<void> {
  const excess = await whenThere(() => db.many(excessRights(GUARDED_TABLES)));
  if (excess.length === 0) return;
  throw new ConfigError(
    `The role of DATABASE_URL ${excess.map((right) => right.excess).join(', ')}; in production, the service needs a role without these rights. ` +
      'Set DATABASE_URL to the role of the service, and, only for migrations, set DATABASE_MIGRATION_URL to the owner of the schema. See docs/operate/deploying.md, "Two roles of the database".',
  );
}
