import type { PiiType, PiiTypes } from '../../domain/vault/types.ts';
import { eraseRecord } from '../../infra/db/statements/vault.ts';
import { auditLine } from '../audit.ts';
import { eventOf, openContent, recordToOpen, type Access, type VaultServices } from './record.ts';
import { keepSealed, sealRecord, type PiiToStore, type SealedRecord } from './store.ts';

/** `actor` is the caller who asked for the data, by default `service`. */
export interface OwnAccess {
  purpose: string;
  actor?: string;
}

/** Returns the reference of the new record. */
export async function storePii<T extends PiiType>(
  services: VaultServices,
  given: PiiToStore<T> & OwnAccess,
): Promise<string> {
  return (await keepSealed(services, await sealPii(services, given))).vault_ref;
}

/** Do not call inside a transaction, because the key service can be slow. Store the result with `keepSealed`. */
export async function sealPii<T extends PiiType>(
  services: VaultServices,
  { pii_type, owner_id, data, ...access }: PiiToStore<T> & OwnAccess,
): Promise<SealedRecord> {
  const at = await services.clock.now();
  const content = { data: { ...data } as Record<string, string>, metadata: null };
  return sealRecord(services, { pii_type, owner_id, appId: null, content, at, access: accessFor(access) });
}

/**
 * Do not call inside a transaction, because a rollback would undo the audit event. @throws DomainError `pii-erased`.
 */
export async function retrievePii<T extends PiiType>(
  services: VaultServices,
  vaultRef: string,
  own: OwnAccess,
): Promise<PiiTypes[T]> {
  const access = accessFor(own);
  const record = await recordToOpen(services, vaultRef, 'vault.opened', access);
  return (await openContent(services, record, access)).data as PiiTypes[T];
}

function accessFor({ purpose, actor = 'service' }: OwnAccess): Access {
  return { actor, app: null, data: { purpose } };
}

/** Does nothing if the record is already erased. */
export async function erasePii(services: VaultServices, vaultRef: string, own: OwnAccess): Promise<void> {
  const event = auditLine(services, eventOf(vaultRef, 'vault.erased', accessFor(own)));
  const erased_at = await services.clock.now();
  await services.db.maybe(eraseRecord({ vault_ref: vaultRef, app_id: null, erased_at, ...event }));
}
