import type { Principal } from '../../domain/auth.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { maskedData, piiTypeOf } from '../../domain/vault/fields.ts';
import { recordsByRefs, type VaultRecordRow } from '../../infra/db/queries/vault.ts';
import { auditAll } from '../audit.ts';
import type { MaskedVaultRecord, VaultRecord, VaultRecordBatch } from '../../openapi/types.ts';
import {
  accessBy,
  eventOf,
  recordToOpen,
  openContent,
  requireOpen,
  typeOf,
  type Access,
  type Content,
  type OpenRecord,
  type VaultServices,
} from './record.ts';

interface RecordRequest {
  principal: Principal;
  vault_ref: string;
}

export async function getVaultRecord(
  services: VaultServices,
  { principal, vault_ref }: RecordRequest,
): Promise<VaultRecord> {
  const access = accessBy(principal);
  const record = await recordToOpen(services, vault_ref, 'vault.retrieved', access);
  return viewOf(record, await openContent(services, record, access));
}

export async function getMaskedVaultRecord(
  services: VaultServices,
  { principal, vault_ref }: RecordRequest,
): Promise<MaskedVaultRecord> {
  const access = accessBy(principal);
  const record = await recordToOpen(services, vault_ref, 'vault.masked', access);
  const { data } = await openContent(services, record, access);
  return { vault_ref, pii_type: typeOf(record), masked: maskedData(typeOf(record), data) };
}

export async function batchRetrieveVaultRecords(
  services: VaultServices,
  { principal, vault_refs }: { principal: Principal; vault_refs: readonly string[] },
): Promise<VaultRecordBatch> {
  const access = accessBy(principal);
  const refs = vault_refs.filter((ref) => piiTypeOf(ref) !== undefined);
  const rows = new Map((await services.db.many(recordsByRefs(refs, access.app))).map((row) => [row.vault_ref, row]));
  const outcomes = await Promise.all(vault_refs.map((ref) => outcomeOf(services, ref, rows.get(ref), access)));
  await auditAll(
    services.db,
    services,
    outcomes.map(({ vault_ref, code }) => {
      if (code === undefined) return eventOf(vault_ref, 'vault.retrieved', access);
      const data = { ...access.data, operation: 'batchRetrieveVaultRecords', code };
      return eventOf(vault_ref, 'vault.refused', { ...access, data });
    }),
  );
  return {
    records: outcomes.flatMap(({ view }) => (view === undefined ? [] : [view])),
    errors: outcomes.flatMap(({ vault_ref, code }) => (code === undefined ? [] : [{ vault_ref, code }])),
  };
}

async function outcomeOf(services: VaultServices, vault_ref: string, row: VaultRecordRow | undefined, access: Access) {
  try {
    const record = requireOpen(row);
    return { vault_ref, view: viewOf(record, await openContent(services, record, access)) };
  } catch (error) {
    if (error instanceof DomainError) return { vault_ref, code: error.code };
    services.log.error({ vault_ref, name: error instanceof Error ? error.name : 'none' }, 'a record of a batch failed');
    return { vault_ref, code: 'internal-error' satisfies ErrorCode };
  }
}

function viewOf(record: OpenRecord, { data, metadata }: Content): VaultRecord {
  const { vault_ref, owner_id, created_at } = record;
  return { vault_ref, pii_type: typeOf(record), data, owner_id, metadata, created_at } as unknown as VaultRecord;
}
