import { v7 as uuidv7 } from 'uuid';
import { DomainError } from '../domain/errors.ts';
import { insertRecord, recordByRef } from '../infra/db/statements/vault.ts';
import type { Services } from '../infra/services.ts';

/** What each type of personal data that the service itself keeps consists of. */
export interface PiiTypes {
  user_email: { email: string };
  payee_bank: { account_holder_name: string; sort_code: string; account_number: string };
}
export type PiiType = keyof PiiTypes;

/** Personal data of one owner on its way into the vault. */
export interface PiiToStore<T extends PiiType> {
  pii_type: T;
  owner_id: string;
  data: PiiTypes[T];
}

/** Personal data is kept here and nowhere else; everybody else holds a reference. */
export const vaultActivities = (services: Pick<Services, 'db' | 'keys' | 'clock'>) => ({
  /** Seals personal data, in the transaction that is open. @returns its reference, `vault:{pii_type}:{uuid}`. */
  async storePii<T extends PiiType>({ pii_type, owner_id, data }: PiiToStore<T>): Promise<string> {
    const { db, keys, clock } = services;
    const vaultRef = `vault:${pii_type}:${uuidv7()}`;
    const { sealed, keyVersion } = await keys.seal(JSON.stringify(data), sealContext(vaultRef, pii_type, owner_id));
    await db.run(insertRecord, [vaultRef, pii_type, owner_id, sealed, keyVersion, await clock.now()]);
    return vaultRef;
  },

  /**
   * Opens a record, afresh each time.
   * @throws DomainError `not-found` or `pii-erased`; SealBrokenError where the row was tampered with.
   */
  async retrievePii<T extends PiiType>(vaultRef: string): Promise<PiiTypes[T]> {
    const record = await services.db.maybe(recordByRef, [vaultRef]);
    if (!record) throw new DomainError('not-found', 'There is no vault record with this reference.');
    if (record.sealed === null) throw new DomainError('pii-erased', 'The personal data of this reference was erased.');
    const context = sealContext(record.vault_ref, record.pii_type, record.owner_id);
    return JSON.parse(await services.keys.open(record.sealed, context)) as PiiTypes[T];
  },
});

/** What a record is bound to: moved to another reference, type or owner, it does not open. */
function sealContext(vaultRef: string, piiType: string, ownerId: string): Record<string, string> {
  return { use: 'vault', vault_ref: vaultRef, pii_type: piiType, owner_id: ownerId };
}
