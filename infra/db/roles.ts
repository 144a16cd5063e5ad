import { sql } from 'kysely';
import pg from 'pg';
import type { Queries } from './connection.ts';
import { query } from './query.ts';
import { schemaThere, tableNames } from './queries/deployment.ts';

/** The service's role may not write to these tables. */
export const GUARDED_TABLES = [
  'ledger_accounts',
  'ledger_transfers',
  'ledger_entries',
  'vaults',
  'allocations',
  'accruals',
  'audit_events',
  'audit_heads',
  'deployment',
  'mikro_orm_migrations',
  'schema_files',
] as const;

const APPEND_ONLY_TABLES = [
  'calculations',
  'payment_events',
  'debt_plan_revisions',
  'debt_payments',
  'affordability_checks',
];

/** Of these rows, the service's role may change only these columns. */
const CHANGED_COLUMNS = {
  api_keys: ['expires_at', 'revoked_at', 'last_used_at', 'mac', 'mac_version'],
  calculations: ['mac', 'mac_version'],
} as const;

/** The functions through which the service writes to the guarded tables. */
const DEFINERS = ['audit_append', 'ledger_move', 'interest_post', 'vault_change'];

/** `db` must connect as the schema's owner. */
export async function grantToService(db: Queries, service: string): Promise<void> {
  const role = pg.escapeIdentifier(service);
  const database = pg.escapeIdentifier((await db.one(schemaThere())).database);
  const all = (await db.many(tableNames())).map(({ name }) => name);
  const listed = (chosen: (name: string) => boolean) => all.filter(chosen).map(pg.escapeIdentifier).join(', ');
  const isGuarded = (name: string) => (GUARDED_TABLES as readonly string[]).includes(name);
  const isAppendOnly = (name: string) => APPEND_ONLY_TABLES.includes(name);
  for (const [index, text] of [
    `revoke temporary on database ${database} from public`,
    `revoke create on schema public from public`,
    `grant connect on database ${database} to ${role}`,
    `grant usage on schema public to ${role}`,
    `revoke all on all tables in schema public from ${role}`,
    `revoke all on all sequences in schema public from ${role}`,
    `grant select on all tables in schema public to ${role}`,
    `grant insert on ${listed(isAppendOnly)} to ${role}`,
    `grant insert, update, delete on ${listed((name) => !isGuarded(name) && !isAppendOnly(name))} to ${role}`,
    ...Object.entries(CHANGED_COLUMNS).flatMap(([table, columns]) => [
      `revoke update on ${table} from ${role}`,
      `grant update (${columns.join(', ')}) on ${table} to ${role}`,
    ]),
    `grant usage on all sequences in schema public to ${role}`,
    ...DEFINERS.map((definer) => `grant execute on function ${definer} to ${role}`),
    // For tables that a later version creates, until that version grants rights itself.
    `alter default privileges in schema public grant select, insert, update, delete on tables to ${role}`,
    `alter default privileges in schema public grant usage on sequences to ${role}`,
  ].entries())
    await db.run(query(`roles.grant.${index}`, () => sql.raw(text))());
}
