import type { PiiType, PiiTypes } from '../../domain/vault.ts';
import { recordsByRefs } from '../../infra/db/statements/vault.ts';
import { auditAll } from '../audit.ts';
import { eventOf, openContent, requireOpen, type Access, type VaultServices } from './record.ts';
import { keep, type PiiToStore } from './store.ts';

/** Why the service itself gets at personal data, and for whom: the user who asked, or `service`. */
export interface OwnAccess {
  purpose: string;
  actor?: string;
}

/** Seals personal data of the service's own, in the transaction that is open. @returns its reference. */
export async function storePii<T extends PiiType>(
  services: VaultServices,
  { pii_type, owner_id, data, ...access }: PiiToStore<T> & OwnAccess,
): Promise<string> {
  const at = await services.clock.now();
  const content = { data: { ...data } as Record<string, string>, metadata: null };
  const { vault_ref } = await keep(services, { pii_type, owner_id, content, at, access: accessFor(access) });
  return vault_ref;
}

/**
 * Opens a record that the service itself keeps, afresh each time, and puts that on record. To be called outside transactions.
 * @throws DomainError `not-found`, `pii-erased` or `pii-damaged`.
 */
export async function retrievePii<T extends PiiType>(
  services: VaultServices,
  vaultRef: string,
  access: OwnAccess,
): Promise<PiiTypes[T]> {
  return (await retrieveAllPii<T>(services, [vaultRef], access)).get(vaultRef)!;
}

/** The same for several records, with one statement each for reading and for telling. */
export async function retrieveAllPii<T extends PiiType>(
  services: VaultServices,
  vaultRefs: readonly string[],
  own: OwnAccess,
): Promise<Map<string, PiiTypes[T]>> {
  const wanted = [...new Set(vaultRefs)];
  const access = accessFor(own);
  const found = new Map((await services.db.many(recordsByRefs, [wanted])).map((row) => [row.vault_ref, row]));
  const opened = await Promise.all(
    wanted.map(async (ref) => {
      const { data } = await openContent(services, requireOpen(found.get(ref)), access);
      return [ref, data as PiiTypes[T]] as const;
    }),
  );
  await auditAll(
    services,
    wanted.map((ref) => eventOf(ref, 'vault.opened', access)),
  );
  return new Map(opened);
}

function accessFor({ purpose, actor = 'service' }: OwnAccess): Access {
  return { actor, data: { purpose } };
}
