import { randomUUIDv7 } from 'node:crypto';
import type { Principal } from '../../domain/auth.ts';
import { londonDateOf } from '../../domain/dates.ts';
import { DomainError } from '../../domain/errors.ts';
import {
  dataFaults,
  storedData,
  vaultRefOf,
  type PiiMetadata,
  type PiiType,
  type PiiTypes,
} from '../../domain/vault.ts';
import { insertRecord } from '../../infra/db/statements/vault.ts';
import { bindOwner, type NewOwner } from '../reach.ts';
import type { StoredVaultRecord } from '../../openapi/types.ts';
import { auditLine } from '../audit.ts';
import { accessBy, eventOf, sealContent, type Access, type Content, type VaultServices } from './record.ts';

export interface PiiToStore<T extends PiiType> {
  pii_type: T;
  owner_id: string;
  data: PiiTypes[T];
}

type RecordToStore = { [T in PiiType]: PiiToStore<T> }[PiiType] & { metadata?: PiiMetadata };

export async function storeVaultRecord(
  services: VaultServices,
  {
    principal,
    metadata,
    newOwner,
    ...given
  }: RecordToStore & { principal: Principal; newOwner?: NewOwner | undefined },
): Promise<StoredVaultRecord> {
  const at = await services.clock.now();
  const data = storedData({ ...given.data });
  const faults = dataFaults(given.pii_type, data, londonDateOf(at));
  if (faults.length > 0)
    throw new DomainError('invalid-request', 'Some of the data is wrong. See the list of errors.', {
      errors: faults,
    });
  const content = { data, metadata: metadata ?? null };
  const appId = principal.kind === 'api_key' ? principal.appId : null;
  return keep(services, { ...given, appId, content, at, access: accessBy(principal), newOwner });
}

interface RecordToKeep {
  pii_type: PiiType;
  owner_id: string;
  /** The application that stores the record, or null for the service itself. */
  appId: string | null;
  content: Content;
  at: Date;
  access: Access;
  newOwner?: NewOwner | undefined;
}

export async function keep(
  services: VaultServices,
  { pii_type, owner_id, appId, content, at, access, newOwner }: RecordToKeep,
): Promise<StoredVaultRecord> {
  const vault_ref = vaultRefOf(pii_type, randomUUIDv7());
  const created_at = at.toISOString();
  const { sealed, keyVersion } = await sealContent(services, { vault_ref, pii_type, owner_id, created_at }, content);
  const event = auditLine(services, eventOf(vault_ref, 'vault.stored', access));
  const record = insertRecord({
    ...{ vault_ref, pii_type, owner_id, app_id: appId, sealed, key_version: keyVersion, created_at },
    ...event,
  });
  if (newOwner === undefined) await services.db.send(record);
  else
    await services.db.transaction(async () => {
      await bindOwner(services, newOwner);
      await services.db.send(record);
    });
  return { vault_ref, created_at };
}
