import { randomUUIDv7 } from 'node:crypto';
import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import { dataFaults, storedData } from '../../domain/vault/fields.ts';
import { vaultRefOf, type PiiMetadata, type PiiType, type PiiTypes } from '../../domain/vault/types.ts';
import { insertRecord } from '../../infra/db/queries/vault.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import type { StoredVaultRecord } from '../../openapi/types.ts';
import { auditLine } from '../audit.ts';
import { accessBy, eventOf, sealContext, type Access, type Content, type VaultServices } from './record.ts';

export interface PiiToStore<T extends PiiType> {
  pii_type: T;
  owner_id: string;
  data: PiiTypes[T];
}

type RecordToStore = { [T in PiiType]: PiiToStore<T> }[PiiType] & { metadata?: PiiMetadata };

export type VaultRequest = RecordToStore & { principal: Principal; newOwner?: NewOwner | undefined };

export async function prepareVaultRecord(
  services: VaultServices,
  { principal, metadata, newOwner: _newOwner, ...given }: VaultRequest,
): Promise<SealedRecord> {
  const at = await services.clock.now(services.db);
  const data = storedData({ ...given.data });
  const faults = dataFaults(given.pii_type, data, londonDateOf(at));
  if (faults.length > 0)
    throw new DomainError('invalid-request', 'Some of the data is wrong. See the list of errors.', { errors: faults });
  const content = { data, metadata: metadata ?? null };
  const appId = principal.kind === 'api_key' ? principal.appId : null;
  return sealRecord(services, { ...given, appId, content, at, access: accessBy(principal) });
}

/** Takes services only because every operation with an Idempotency-Key does. */
export async function storeVaultRecord(
  tx: Tx,
  _services: object,
  { newOwner }: VaultRequest,
  prepared: SealedRecord,
): Promise<StoredVaultRecord> {
  return keepSealed(tx, prepared, newOwner);
}

interface RecordToKeep {
  pii_type: PiiType;
  owner_id: string;
  /** The application that stores the record, or null for the service itself. */
  appId: string | null;
  content: Content;
  at: Date;
  access: Access;
}

export type SealedRecord = Awaited<ReturnType<typeof sealRecord>>;

export async function sealRecord(
  services: VaultServices,
  { pii_type, owner_id, appId, content, at, access }: RecordToKeep,
) {
  const vault_ref = vaultRefOf(pii_type, randomUUIDv7());
  const created_at = at.toISOString();
  const context = sealContext({ vault_ref, pii_type, owner_id, created_at, app_id: appId });
  const { sealed, keyVersion } = await services.keys.seal(JSON.stringify(content), context);
  const event = auditLine(services, eventOf(vault_ref, 'vault.stored', access));
  const insert = insertRecord({
    ...{ vault_ref, pii_type, owner_id, app_id: appId, sealed, key_version: keyVersion, created_at },
    ...event,
  });
  return { stored: { vault_ref, created_at } satisfies StoredVaultRecord, insert };
}

export async function keepSealed(
  tx: Tx,
  { stored, insert }: SealedRecord,
  newOwner?: NewOwner,
): Promise<StoredVaultRecord> {
  await bindOwner(tx, newOwner);
  void tx.run(insert);
  return stored;
}
