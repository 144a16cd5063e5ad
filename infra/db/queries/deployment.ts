import { sql } from 'kysely';
import type { Checksum } from '../schema-program.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export type DeploymentRow = Pick<Row<'deployment'>, 'environment'>;

/** Returns no row if the environment is not recorded yet. */
export const deployment = query('deployment.read', () => tables.selectFrom('deployment').select('environment'));

export const excessRights = query(
  'deployment.excessRights',
  (guardedTables: readonly string[]) => sql<{ excess: string }>`
    select excess
      from (values
        (1, 'is a superuser', (select rolsuper from pg_roles where rolname = current_user)),
        (2, 'owns tables', exists (
              select from pg_class where relnamespace = 'public'::regnamespace and pg_has_role(current_user, relowner, 'MEMBER'))),
        (3, 'may create in the schema', has_schema_privilege(current_user, 'public', 'CREATE')),
        (4, 'may create schemas', has_database_privilege(current_user, current_database(), 'CREATE')),
        (5, 'may make temporary tables', has_database_privilege(current_user, current_database(), 'TEMPORARY')),
        (6, 'may write the tables of ledger or audit log', exists (
              select from unnest(${guardedTables}::text[]) as guarded (name)
               where has_table_privilege(current_user, name, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER'))),
        (7, 'may switch triggers off', has_parameter_privilege(current_user, 'session_replication_role', 'SET'))
      ) as rights (ordinal, excess, held)
     where held order by ordinal`,
);

/**
 * `migrated`: the migrations table exists. `recorded`: the deployment table exists. `own`: Ringfence made the tables.
 * `role`: the current role.
 */
export const schemaThere = query(
  'deployment.schemaThere',
  () => sql<{ migrated: boolean; recorded: boolean; own: boolean; role: string; database: string }>`
    select to_regclass('public.mikro_orm_migrations') is not null as migrated,
           to_regclass('public.deployment') is not null as recorded,
           to_regclass('public.ledger_accounts') is not null as own, current_user::text as role, current_database()::text as database`,
);

const namesOf = (checksums: readonly Checksum[]) => checksums.map(({ name }) => name);
const valuesOf = (checksums: readonly Checksum[]) => checksums.map(({ checksum }) => checksum);

/** Compares the program's checksums with those that were applied at any time. Fails if a table of these does not exist. */
export const schemaState = query(
  'deployment.schemaState',
  (migrations: readonly Checksum[], files: readonly Checksum[]) => sql<{
    missing_migrations: number;
    missing_files: number;
    changed: string[];
  }>`
    with migration as (
      select needed.name, exists (select from mikro_orm_migrations m where m.name = needed.name) as applied,
             exists (select from schema_files f where f.name = needed.name and f.checksum = needed.checksum) as same
        from unnest(${namesOf(migrations)}::text[], ${valuesOf(migrations)}::text[]) as needed (name, checksum))
    select (select count(*) from migration where not applied) as missing_migrations,
           (select count(*) from unnest(${namesOf(files)}::text[], ${valuesOf(files)}::text[]) as needed (name, checksum)
             where not exists (
               select from schema_files f where f.name = needed.name and f.checksum = needed.checksum)) as missing_files,
           array(select name from migration where applied and not same order by name) as changed`,
);

/** Fails if the migrations table does not exist. */
export const appliedMigrations = query(
  'deployment.appliedMigrations',
  () => sql<{ names: string[] }>`select array(select name::text from mikro_orm_migrations order by id) as names`,
);

/** The latest checksum of each file. */
export const filesInForce = query('deployment.filesInForce', () =>
  tables
    .selectFrom('schema_files')
    .distinctOn('name')
    .select(['name', 'checksum'])
    .orderBy('name')
    .orderBy('applied_at', 'desc'),
);

/** A file that changes back is the latest again. */
export const recordFile = query('deployment.recordFile', (name: string, checksum: string) =>
  tables
    .insertInto('schema_files')
    .values({ name, checksum, applied_at: sql<string>`clock_timestamp()` })
    .onConflict((conflict) =>
      conflict.columns(['name', 'checksum']).doUpdateSet({ applied_at: sql<string>`clock_timestamp()` }),
    ),
);

/** Fails if a function's text is invalid. Checks nothing unless `check_function_bodies` is on. */
export const checkFunctions = query(
  'deployment.checkFunctions',
  () => sql`
    select case l.lanname when 'plpgsql' then plpgsql_validator(p.oid)::text
                          when 'sql' then fmgr_sql_validator(p.oid)::text end as checked
      from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
);

export const recordDeployment = query('deployment.record', (environment: DeploymentRow['environment']) =>
  tables.insertInto('deployment').values({ deployment_id: 'this', environment, made_at: sql<string>`now()` }),
);

/** `stack_id` is null if no stack is recorded, or if the column does not exist yet. */
export const stackOfDatabase = query(
  'deployment.stack',
  () => sql<{ stack_id: string | null }>`select to_jsonb(deployment) ->> 'stack_id' as stack_id from deployment`,
);

/** Updates nothing if a stack is already recorded. */
export const recordStack = query('deployment.recordStack', (stackId: string) =>
  tables.updateTable('deployment').set({ stack_id: stackId }).where('stack_id', 'is', null),
);

export const roleThere = query(
  'deployment.roleThere',
  (role: string) => sql`select 1 as found from pg_roles where rolname = ${role}`,
);

export const tableNames = query(
  'deployment.tables',
  () => sql<{ name: string }>`
    select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`,
);

/** Of any program. Omits the list of migrations, and the tables of PostgreSQL's extensions. */
export const tablesThere = query(
  'deployment.tablesThere',
  () => sql<{ name: string }>`
    select relname::text as name from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f', 'm') and relname <> 'mikro_orm_migrations'
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by relname`,
);

export const lockPreparation = query(
  'prepare.lock',
  (lock: number) => sql`select pg_advisory_xact_lock(${lock}::bigint)::text as held`,
);
