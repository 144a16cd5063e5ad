import { query } from '../sql.ts';

export interface DeploymentRow {
  environment: 'sandbox' | 'production';
  /** Whether `upgrade finish` has left the service's role the only one that may serve. */
  roles_separated: boolean;
}

/** What the database was made for; no row where nobody has said so yet. */
export const deployment = query<DeploymentRow>(
  'deployment.read',
  'select environment, roles_separated_at is not null as roles_separated from deployment',
);

/** What the connection's role may that the service must not, in words; none where it is as it should be. Names of guarded tables. */
export const excessRights = query<{ excess: string }>(
  'deployment.excessRights',
  `select excess
     from (values
       (1, 'is a superuser', (select rolsuper from pg_roles where rolname = current_user)),
       (2, 'owns tables', exists (
             select from pg_class where relnamespace = 'public'::regnamespace and pg_has_role(current_user, relowner, 'MEMBER'))),
       (3, 'may create in the schema', has_schema_privilege(current_user, 'public', 'CREATE')),
       (4, 'may create schemas', has_database_privilege(current_user, current_database(), 'CREATE')),
       (5, 'may make temporary tables', has_database_privilege(current_user, current_database(), 'TEMPORARY')),
       (6, 'may write the tables of ledger or audit log', exists (
             select from unnest($1::text[]) as guarded (name)
              where has_table_privilege(current_user, name, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER'))),
       (7, 'may switch triggers off', has_parameter_privilege(current_user, 'session_replication_role', 'SET'))
     ) as rights (place, excess, held)
    where held order by place`,
);

/** Whether there is a schema of ours, whether it tells of the deployment, and who asks. */
export const schemaThere = query<{ migrated: boolean; tells: boolean; asker: string; database: string }>(
  'deployment.schemaThere',
  `select to_regclass('public.mikro_orm_migrations') is not null as migrated,
          to_regclass('public.deployment') is not null as tells, current_user::text as asker, current_database()::text as database`,
);

export const recordDeployment = query(
  'deployment.record',
  `insert into deployment (deployment_id, environment, made_at) values ('this', $1, now())`,
);

export const recordSeparation = query(
  'deployment.recordSeparation',
  'update deployment set roles_separated_at = now() where roles_separated_at is null',
);

export const roleThere = query('deployment.roleThere', 'select 1 as found from pg_roles where rolname = $1');

export const tables = query<{ name: string }>(
  'deployment.tables',
  `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`,
);
