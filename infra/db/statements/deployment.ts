import { sql } from 'kysely';
import { migrations } from '../migrations/index.ts';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export interface DeploymentRow extends Pick<Row<'deployment'>, 'environment'> {
  /** True once `upgrade finish` has separated the database roles. */
  roles_separated: boolean;
}

/** Returns no row if the environment is not recorded yet. */
export const deployment = query('deployment.read', () =>
  tables
    .selectFrom('deployment')
    .select(['environment', sql<boolean>`roles_separated_at is not null`.as('roles_separated')]),
);

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
      ) as rights (place, excess, held)
     where held order by place`,
);

/** `migrated`: the migrations table exists. `tells`: the deployment table exists. `asker`: the current role. */
export const schemaThere = query(
  'deployment.schemaThere',
  () => sql<{ migrated: boolean; tells: boolean; asker: string; database: string }>`
    select to_regclass('public.mikro_orm_migrations') is not null as migrated,
           to_regclass('public.deployment') is not null as tells, current_user::text as asker, current_database()::text as database`,
);

/** Fails if the migrations table does not exist. */
export const missingMigrations = query(
  'operations.missingMigrations',
  () => sql<{ missing: number }>`
    select count(*) as missing from unnest(${migrations.map(({ name }) => name)}::text[]) as needed (name)
     where not exists (select from mikro_orm_migrations m where m.name = needed.name)`,
);

export const recordDeployment = query('deployment.record', (environment: DeploymentRow['environment']) =>
  tables.insertInto('deployment').values({ deployment_id: 'this', environment, made_at: sql<string>`now()` }),
);

export const recordSeparation = query('deployment.recordSeparation', () =>
  tables
    .updateTable('deployment')
    .set({ roles_separated_at: sql<string>`now()` })
    .where('roles_separated_at', 'is', null),
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
