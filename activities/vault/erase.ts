import type { Principal } from '../../domain/auth.ts';
import { DomainError } from '../../domain/errors.ts';
import { piiTypeOf } from '../../domain/vault/fields.ts';
import { eraseRecord } from '../../infra/db/queries/vault.ts';
import { auditLine } from '../audit.ts';
import { accessBy, eventOf, noRecord, type VaultServices } from './record.ts';

export async function eraseVaultRecord(
  { db, clock, newId }: VaultServices,
  { principal, vault_ref }: { principal: Principal; vault_ref: string },
): Promise<void> {
  const access = accessBy(principal);
  const event = auditLine({ newId }, eventOf(vault_ref, 'vault.erased', access));
  const record = { vault_ref, app_id: access.app, erased_at: await clock.now(db), ...event };
  const found = piiTypeOf(vault_ref) && (await db.maybe(eraseRecord(record)));
  if (!found) throw noRecord();
  if (found.erased) return;
  if (found.was_open && found.used_by !== null) {
    throw new DomainError(
      'pii-in-use',
      `The service needs this record for ${found.used_by}, so the record cannot be erased.`,
      { used_by: found.used_by },
    );
  }
  throw new DomainError('pii-erased', 'The personal data with this reference was already erased.');
}
