import { sql } from 'kysely';
import { query } from '../query.ts';

/* Reads catalogues, which the service's role may do. What belongs to an extension of PostgreSQL is left out. */

export interface FunctionRow {
  name: string;
  args: string;
  result: string;
  language: string;
  settings: string[];
  kind: string;
  volatility: string;
  strict: boolean;
  definer: boolean;
  leakproof: boolean;
  body: string;
}

export const functionsThere = query(
  'verify.functions',
  () => sql<FunctionRow>`
    select p.proname::text as name, pg_get_function_arguments(p.oid) as args,
           coalesce(pg_get_function_result(p.oid), '') as result,
           (select l.lanname::text from pg_language l where l.oid = p.prolang) as language,
           coalesce(p.proconfig, '{}') as settings, p.prokind::text as kind, p.provolatile::text as volatility,
           p.proisstrict as strict, p.prosecdef as definer, p.proleakproof as leakproof, p.prosrc as body
      from pg_proc p
     where p.pronamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
);

/** With triggers of foreign keys, which have no definition here. `enabled` is false if a trigger does not always fire. */
export const triggersThere = query(
  'verify.triggers',
  () => sql<{ definition: string | null; relation: string; enabled: boolean }>`
    select case when not t.tgisinternal then pg_get_triggerdef(t.oid) end as definition, c.relname::text as relation,
           t.tgenabled = 'O' as enabled
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where c.relnamespace = 'public'::regnamespace`,
);

/**
 * Constraints, and what else must be unique. `not null` is left out, as only newer versions of PostgreSQL have it here.
 */
export const constraintsThere = query(
  'verify.constraints',
  () => sql<{ name: string; definition: string }>`
    select coalesce(nullif(conrelid, 0)::regclass::text || '.', '') || conname as name, pg_get_constraintdef(oid) as definition
      from pg_constraint where connamespace = 'public'::regnamespace and contype not in ('n', 't')
    union all
    select i.indrelid::regclass::text || '.' || c.relname || ' (index)', pg_get_indexdef(i.indexrelid) || case when i.indisvalid then '' else ' INVALID' end
      from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indisunique and c.relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))
     order by name`,
);

/** Rights on tables or columns of everybody but the schema's owner. `service` is true for the current role. */
export const rightsThere = query(
  'verify.rights',
  () => sql<{ relation: string; part: string | null; grantee: string; service: boolean; held: string[] }>`
    with acl as (
      select oid, relowner, relname, null::name as part, relacl as acl from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      union all
      select c.oid, c.relowner, c.relname, a.attname, a.attacl from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and a.attacl is not null)
    select acl.relname::text as relation, acl.part::text as part, coalesce(r.rolname::text, 'public') as grantee,
           coalesce(r.rolname = current_user, false) as service,
           array_agg(a.privilege_type::text order by a.privilege_type) as held
      from acl cross join aclexplode(acl.acl) a left join pg_roles r on r.oid = a.grantee
     where a.grantee <> acl.relowner
     group by 1, 2, 3, 4`,
);

/** What nobody made by `db:migrate`, and what makes a function or trigger do other than its text says. */
export const strangeThings = query(
  'verify.strange',
  () => sql<{ what: string; id: string }>`
    with owner as (select relowner as oid from pg_class where oid = 'public.ledger_accounts'::regclass)
    select 'rule on a table' as what, c.relname::text as id
      from pg_rewrite w join pg_class c on c.oid = w.ev_class
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    union all
    select 'trigger on events of the database', evtname::text from pg_event_trigger
    union all
    select 'policy on a table', c.relname::text from pg_policy p join pg_class c on c.oid = p.polrelid
    union all
    select 'table of another owner', c.relname::text from pg_class c, owner
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relowner <> owner.oid
    union all
    select 'function of another owner', p.proname::text from pg_proc p, owner
     where p.pronamespace = 'public'::regnamespace and p.proowner <> owner.oid
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select 'function of its owner that others may call', p.proname::text
      from pg_proc p cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      left join pg_roles r on r.oid = a.grantee
     where p.pronamespace = 'public'::regnamespace and p.prosecdef and a.grantee <> p.proowner
       and r.rolname is distinct from current_user
    union all
    select 'schema that comes before the service''s', nspname::text from pg_namespace where nspname = current_user
    union all
    select 'setting of a role or database', coalesce(r.rolname::text, 'database')
      from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole cross join unnest(s.setconfig) as c (setting)
     where c.setting ilike 'search_path=%' or c.setting ilike 'session_replication_role=%'`,
);
