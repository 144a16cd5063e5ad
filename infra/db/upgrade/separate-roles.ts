import { sql } from 'kysely';
import { ConfigError } from '../../config/settings.ts';
import { query } from '../query.ts';
import { deployment, recordSeparation } from '../statements/deployment.ts';
import type { UpgradeStep } from '../upgrade.ts';

/** The old guards relied on trigger depth, which a role could bypass with its own trigger. */
export const separateRoles: UpgradeStep = {
  name: 'separate-roles',
  async run(db, { migrationUrl }) {
    const found = await db.maybe(deployment());
    if (found?.environment === 'production' && migrationUrl === undefined) {
      throw new ConfigError(
        'DATABASE_MIGRATION_URL is not set. Make the role of the service, as DEPLOYING.md says under "Two roles of the database"; set DATABASE_MIGRATION_URL to the owner of the schema and DATABASE_URL to that role; run db:migrate, restart the API and the workers, and then run this command again.',
      );
    }
    const dropped = (await db.many(oldGuards())).map(({ name }) => name);
    for (const [place, text] of GUARDS.entries()) await db.run(query(`upgrade.guard.${place}`, () => sql.raw(text))());
    const separated = migrationUrl !== undefined && (await db.run(recordSeparation())) > 0;
    return { dropped, separated };
  },
};

const oldGuards = query(
  'upgrade.oldGuards',
  () => sql<{ name: string }>`
    select tgname::text as name from pg_trigger where tgname in ('ledger_balance_only_by_entry', 'audit_head_moves_on') order by tgname`,
);

const GUARDS = [
  'drop trigger if exists ledger_balance_only_by_entry on ledger_accounts',
  `create or replace trigger ledger_account_stays before update of account_id, owner_id, kind, vault_id on ledger_accounts
     for each statement execute function ledger_account_stays()`,
  'drop trigger if exists audit_head_moves_on on audit_heads',
  'drop function if exists audit_head_moves_on()',
  `create or replace trigger audit_head_steps before update on audit_heads
     for each row when (new.subject <> old.subject or new.subject_seq <> old.subject_seq + 1) execute function audit_head_stays()`,
  `create or replace trigger audit_head_starts before insert on audit_heads
     for each row when (new.subject_seq <> 1) execute function audit_head_stays()`,
  `create or replace trigger audit_heads_stay before delete or truncate on audit_heads
     for each statement execute function audit_head_stays()`,
];
