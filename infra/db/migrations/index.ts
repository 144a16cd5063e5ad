import type { Migration } from '@mikro-orm/migrations';
import { Migration20261121000000_tables } from './Migration20261121000000_tables.ts';
import { Migration20261121000001_guards } from './Migration20261121000001_guards.ts';
import { Migration20261121000002_openings } from './Migration20261121000002_openings.ts';
import { Migration20261121000003_payments } from './Migration20261121000003_payments.ts';
import { Migration20261121000004_access } from './Migration20261121000004_access.ts';
import { Migration20261121000005_engines } from './Migration20261121000005_engines.ts';
import { Migration20261121000006_legacy } from './Migration20261121000006_legacy.ts';
import { Migration20261121000007_credential } from './Migration20261121000007_credential.ts';
import { Migration20261121000010_watching } from './Migration20261121000010_watching.ts';
import { Migration20261124090000_owner_applications } from './Migration20261124090000_owner_applications.ts';
import { Migration20261124110000_income_evidence } from './Migration20261124110000_income_evidence.ts';
import { Migration20261124120000_payee_names } from './Migration20261124120000_payee_names.ts';
import { Migration20261124120100_vouched_payees } from './Migration20261124120100_vouched_payees.ts';
import { Migration20261124120200_credential_counts } from './Migration20261124120200_credential_counts.ts';
import { Migration20261124120300_vouched_payees_checked } from './Migration20261124120300_vouched_payees_checked.ts';
import { Migration20261124140000_owner_reach } from './Migration20261124140000_owner_reach.ts';
import { Migration20261124150000_audit_reach } from './Migration20261124150000_audit_reach.ts';
import { Migration20261124160000_requests_per_minute } from './Migration20261124160000_requests_per_minute.ts';
import { Migration20261124160100_sign_in_places } from './Migration20261124160100_sign_in_places.ts';
import { Migration20261124170000_address_proofs } from './Migration20261124170000_address_proofs.ts';
import { Migration20261124170100_provider_sign_ins } from './Migration20261124170100_provider_sign_ins.ts';
import { Migration20261124170200_removed_payees } from './Migration20261124170200_removed_payees.ts';
import { Migration20261125020000_deployment } from './Migration20261125020000_deployment.ts';
import { Migration20261125020100_definers } from './Migration20261125020100_definers.ts';
import { Migration20261125020200_ledger_causes } from './Migration20261125020200_ledger_causes.ts';
import { Migration20261125090000_document_turns } from './Migration20261125090000_document_turns.ts';
import { Migration20261125090100_document_turns_found } from './Migration20261125090100_document_turns_found.ts';
import { Migration20261125150000_autovacuum } from './Migration20261125150000_autovacuum.ts';
import { Migration20261125160000_client_origins } from './Migration20261125160000_client_origins.ts';
import { Migration20261125170000_stack_id } from './Migration20261125170000_stack_id.ts';
import { Migration20261125170000_failed_payments } from './Migration20261125170000_failed_payments.ts';
import { Migration20261125170100_removed_clients } from './Migration20261125170100_removed_clients.ts';
import { Migration20261125170200_key_names } from './Migration20261125170200_key_names.ts';
import { Migration20261125174500_invitations } from './Migration20261125174500_invitations.ts';
import { Migration20261126100000_audit_subjects } from './Migration20261126100000_audit_subjects.ts';
import { Migration20261126100000_vault_limits } from './Migration20261126100000_vault_limits.ts';
import { Migration20261126120000_document_queues } from './Migration20261126120000_document_queues.ts';
import { Migration20261126120100_document_queues_found } from './Migration20261126120100_document_queues_found.ts';
import { Migration20261126200000_openings_by_owner } from './Migration20261126200000_openings_by_owner.ts';
import { Migration20261127030000_paycheck_openings_by_owner } from './Migration20261127030000_paycheck_openings_by_owner.ts';

/** A migration. `removes` names the columns and tables that it drops, because no running version uses them. */
export type MigrationClass = (new (...parts: ConstructorParameters<typeof Migration>) => Migration) & {
  readonly removes?: readonly string[];
};

export const migrations: readonly MigrationClass[] = [
  Migration20261121000000_tables,
  Migration20261121000001_guards,
  Migration20261121000002_openings,
  Migration20261121000003_payments,
  Migration20261121000004_access,
  Migration20261121000005_engines,
  Migration20261121000006_legacy,
  Migration20261121000007_credential,
  Migration20261121000010_watching,
  Migration20261124090000_owner_applications,
  Migration20261124110000_income_evidence,
  Migration20261124120000_payee_names,
  Migration20261124120100_vouched_payees,
  Migration20261124120200_credential_counts,
  Migration20261124120300_vouched_payees_checked,
  Migration20261124140000_owner_reach,
  Migration20261124150000_audit_reach,
  Migration20261124160000_requests_per_minute,
  Migration20261124160100_sign_in_places,
  Migration20261124170000_address_proofs,
  Migration20261124170100_provider_sign_ins,
  Migration20261124170200_removed_payees,
  Migration20261125020000_deployment,
  Migration20261125020100_definers,
  Migration20261125020200_ledger_causes,
  Migration20261125090000_document_turns,
  Migration20261125090100_document_turns_found,
  Migration20261125150000_autovacuum,
  Migration20261125160000_client_origins,
  Migration20261125170000_stack_id,
  Migration20261125170000_failed_payments,
  Migration20261125170100_removed_clients,
  Migration20261125170200_key_names,
  Migration20261125174500_invitations,
  Migration20261126100000_audit_subjects,
  Migration20261126100000_vault_limits,
  Migration20261126120000_document_queues,
  Migration20261126120100_document_queues_found,
  Migration20261126200000_openings_by_owner,
  Migration20261127030000_paycheck_openings_by_owner,
];

/** The schema of the first release. Each later migration must work while the previous version still runs. */
export const BASELINE = Migration20261121000010_watching;
