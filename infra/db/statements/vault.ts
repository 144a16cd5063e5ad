import { query } from '../sql.ts';

/** Reference, type, owner, sealed, key version, at. */
export const insertRecord = query(
  'vault.insertRecord',
  `insert into vault_records (vault_ref, pii_type, owner_id, sealed, key_version, created_at)
   values ($1, $2, $3, $4, $5, $6)`,
);

export interface VaultRecordRow {
  vault_ref: string;
  pii_type: string;
  owner_id: string;
  sealed: string | null;
  key_version: number;
  created_at: string;
}

/** `sealed` is null once the record was erased. */
export const recordByRef = query<VaultRecordRow>(
  'vault.recordByRef',
  'select vault_ref, pii_type, owner_id, sealed, key_version, created_at from vault_records where vault_ref = $1',
);
