import type { PiiType, PiiTypes } from '../../domain/vault/types.ts';
import { eraseRecord } from '../../infra/db/queries/vault.ts';
import type { Tx } from '../../infra/db/transaction.ts';
import type { Services } from '../../infra/services.ts';
import { auditLine } from '../audit.ts';
import { eventOf, openContent, recordToOpen, type Access, type VaultServices } from './record.ts';
import { sealRecord, type PiiToStore, type SealedRecord } from './store.ts';

/** `actor` is the caller who asked for the data, by default `service`. */
export interface OwnAccess {
  purpose: string;
  actor?: string;
}

/** Stores nothing: `keepSealed` stores the result. */
export async function sealPii<T extends PiiType>(
  services: VaultServices,
  { pii_type, owner_id, data, ...access }: PiiToStore<T> & OwnAccess,
): Promise<SealedRecord> {
  const at = await services.clock.now(services.db);
  const content = { data: { ...data } as Record<string, string>, metadata: null };
  return sealRecord(services, { pii_type, owner_id, appId: null, content, at, access: accessFor(access) });
}

/** The audit event stays, whatever becomes of the data. @throws DomainError `pii-erased`. */
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
export async function erasePii(tx: Tx, services: Pick<Services, 'clock' | 'newId'>, vaultRef: string, own: OwnAccess) {
  const event = auditLine(services, eventOf(vaultRef, 'vault.erased', accessFor(own)));
  const erased_at = await services.clock.now(tx);
  await tx.maybe(eraseRecord({ vault_ref: vaultRef, app_id: null, erased_at, ...event }));
}
