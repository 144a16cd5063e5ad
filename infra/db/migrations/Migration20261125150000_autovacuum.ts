import { Migration } from '@mikro-orm/migrations';

/** Tables that grow with every paycheck, payment, sign-in or access. */
const GROWING = [
  'access_tokens',
  'allocations',
  'api_keys',
  'asserted_income',
  'audit_events',
  'audit_heads',
  'calculations',
  'idempotency_records',
  'ledger_accounts',
  'ledger_entries',
  'ledger_transfers',
  'outbox_messages',
  'owner_applications',
  'owners',
  'payment_attempts',
  'payment_events',
  'payments',
  'providers',
  'rate_limits',
  'refresh_tokens',
  'sessions',
  'token_families',
  'users',
  'vault_records',
  'vaults',
];

/**
 * A cached plan made for a few rows would scan a large table. Analysing the table replaces the plan, so growing tables
 * are analysed often.
 */
export class Migration20261125150000_autovacuum extends Migration {
  override up(): void {
    for (const table of GROWING) {
      this.addSql(`
        alter table ${table} set (
          autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05,
          autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.1)`);
    }
    // These functions scan whole tables, and the planner's default settings suit them.
    for (const name of ['ledger_causes', 'ledger_faults', 'interest_faults'])
      this.addSql(`alter function ${name}() reset all`);
  }
}
