import type { Principal } from '../../domain/auth.ts';
import { DomainError, type ErrorCode } from '../../domain/errors.ts';
import { maskedData } from '../../domain/vault/fields.ts';
import { auditAll } from '../audit.ts';
import type { MaskedVaultRecord, VaultRecord, VaultRecordBatch } from '../../openapi/types.ts';
import { accessBy, eventOf, openContent, recordToOpen, typeOf, type VaultServices } from './record.ts';

interface Asked {
  principal: Principal;
  vault_ref: string;
}

export async function getVaultRecord(services: VaultServices, { principal, vault_ref }: Asked): Promise<VaultRecord> {
  const access = accessBy(principal);
  const record = await recordToOpen(services, vault_ref, 'vault.retrieved', access);
  const { owner_id, created_at } = record;
  const { data, metadata } = await openContent(services, record, access);
  return { vault_ref, pii_type: typeOf(record), data, owner_id, metadata, created_at } as unknown as VaultRecord;
}

export async function getMaskedVaultRecord(
  services: VaultServices,
  { principal, vault_ref }: Asked,
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
  const outcomes = await Promise.all(vault_refs.map((vault_ref) => outcomeOf(services, { principal, vault_ref })));
  const errors = outcomes.filter((outcome) => 'code' in outcome);
  const refusals = errors.map(({ vault_ref, code }) => {
    const access = accessBy(principal, { operation: 'batchRetrieveVaultRecords', code });
    return eventOf(vault_ref, 'vault.refused', access);
  });
  await auditAll(services, refusals);
  return { records: outcomes.filter((outcome) => 'data' in outcome), errors };
}

async function outcomeOf(
  services: VaultServices,
  { principal, vault_ref }: Asked,
): Promise<VaultRecord | { vault_ref: string; code: ErrorCode }> {
  try {
    return await getVaultRecord(services, { principal, vault_ref });
  } catch (error) {
    if (error instanceof DomainError) return { vault_ref, code: error.code };
    services.log.error({ vault_ref, name: error instanceof Error ? error.name : 'none' }, 'a record of a batch failed');
    return { vault_ref, code: 'internal-error' };
  }
}
