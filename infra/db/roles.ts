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
  'yield_rates',
  'audit_events',
  'audit_heads',
  'deployment',
  'taken_away',
  'witness',
  'mikro_orm_migrations',
  'schema_files',
] as const;

/** Rows stay as they were inserted. */
export const APPEND_ONLY_TABLES = [
  'affordability_checks',
  'debt_payments',
  'debt_plan_revisions',
  'own_account_numbers',
  'payment_events',
  'reconciliation_runs',
] as const;

/** Rows change, but none is deleted: a deleted one could be inserted again as somebody else's. */
export const KEPT_TABLES = [
  'api_keys',
  'applications',
  'asserted_income',
  'bank_connections',
  'bank_consents',
  'bank_payers',
  'calculations',
  'credential_keys',
  'credential_status_lists',
  'credentials',
  'debt_plans',
  'documents',
  'identity_providers',
  'oauth_clients',
  'owner_applications',
  'owner_days',
  'owners',
  'payday_bills',
  'paydays',
  'payees',
  'payment_attempts',
  'payment_outcomes',
  'payments',
  'reconciliations',
  'restore_debits',
  'restores',
  'users',
  'vault_records',
] as const;

/** Rows are deleted in the end, but never change. */
export const UNCHANGED_TABLES = ['access_tokens', 'document_originals', 'user_identities'] as const;

/** Of these rows, the service's role may change only these columns. */
const CHANGED_COLUMNS = {
  api_keys: ['expires_at', 'revoked_at', 'last_used_at', 'disabled_at', 'mac', 'mac_version'],
  calculations: ['mac', 'mac_version'],
} as const;

/** The functions through which the service writes to the guarded tables. */
const DEFINERS = [
  ...['audit_append', 'ledger_move', 'interest_post', 'vault_change'],
  ...['taken_away_copied', 'witness_raise'],
];

interface Rights {
  rights: readonly string[];
  /** The columns that it may change, if it may not change all. */
  changes: readonly string[];
}

/** What the service's role may do with a table. */
export function rightsOn(table: string): Rights {
  const isIn = (tables: readonly string[]) => tables.includes(table);
  const changes: readonly string[] = Object.entries(CHANGED_COLUMNS).find(([name]) => name === table)?.[1] ?? [];
  const rights = ['SELECT'];
  if (!isIn(GUARDED_TABLES)) rights.push('INSERT');
  if (
    ![...GUARDED_TABLES, ...APPEND_ONLY_TABLES, ...UNCHANGED_TABLES].some((name) => name === table) &&
    changes.length === 0
  )
    rights.push('UPDATE');
  if (!isIn([...GUARDED_TABLES, ...APPEND_ONLY_TABLES, ...KEPT_TABLES])) rights.push('DELETE');
  return { rights, changes };
}

/** `db` must connect as the schema's owner. */
export async function grantToService(db: Queries, service: string): Promise<void> {
  const role = pg.escapeIdentifier(service);
  const database = pg.escapeIdentifier((await db.one(schemaThere())).database);
  const all = (await db.many(tableNames())).map(({ name }) => name);
  const listed = (chosen: (name: string) => boolean) => all.filter(chosen).map(pg.escapeIdentifier).join(', ');
  const tablesIn = (chosen: readonly string[]) => listed((name) => chosen.includes(name));
  const restricted: readonly string[] = [...GUARDED_TABLES, ...APPEND_ONLY_TABLES, ...KEPT_TABLES, ...UNCHANGED_TABLES];
  for (const [index, text] of [
    `revoke temporary on database ${database} from public`,
    `revoke create on schema public from public`,
    `grant connect on database ${database} to ${role}`,
    `grant usage on schema public to ${role}`,
    `revoke all on all tables in schema public from ${role}`,
    `revoke all on all sequences in schema public from ${role}`,
    `grant select on all tables in schema public to ${role}`,
    `grant insert on ${tablesIn(APPEND_ONLY_TABLES)} to ${role}`,
    `grant insert, update on ${tablesIn(KEPT_TABLES)} to ${role}`,
    `grant insert, delete on ${tablesIn(UNCHANGED_TABLES)} to ${role}`,
    `grant insert, update, delete on ${listed((name) => !restricted.includes(name))} to ${role}`,
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
