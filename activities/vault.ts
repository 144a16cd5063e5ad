import type { Principal } from '../domain/auth.ts';
import type { PiiType } from '../domain/vault.ts';
import type { Services } from '../infra/services.ts';
import { eraseVaultRecord } from './vault/erase.ts';
import { retrieveAllPii, retrievePii, storePii, type OwnAccess } from './vault/own.ts';
import { batchRetrieveVaultRecords, getMaskedVaultRecord, getVaultRecord } from './vault/read.ts';
import type { VaultServices } from './vault/record.ts';
import { recordRefusal, type Refused } from './vault/refusal.ts';
import {
  prepareVaultRecord,
  storeVaultRecord,
  type PiiToStore,
  type SealedRecord,
  type VaultRequest,
} from './vault/store.ts';
import { verifyVaultField, type FieldQuestion } from './vault/verify.ts';

interface Asked {
  principal: Principal;
  vault_ref: string;
}

export const vaultActivities = (services: VaultServices) => ({
  storePii: <T extends PiiType>(given: PiiToStore<T> & OwnAccess) => storePii(services, given),
  retrievePii: <T extends PiiType>(vaultRef: string, access: OwnAccess) => retrievePii<T>(services, vaultRef, access),
  retrieveAllPii: <T extends PiiType>(vaultRefs: readonly string[], access: OwnAccess) =>
    retrieveAllPii<T>(services, vaultRefs, access),
});

export const vaultOperations = (services: Services) => ({
  prepareVaultRecord: (given: VaultRequest) => prepareVaultRecord(services, given),
  storeVaultRecord: (given: VaultRequest, prepared?: Promise<SealedRecord>) =>
    storeVaultRecord(services, given, prepared),
  getVaultRecord: (given: Asked) => getVaultRecord(services, given),
  getMaskedVaultRecord: (given: Asked) => getMaskedVaultRecord(services, given),
  batchRetrieveVaultRecords: (given: { principal: Principal; vault_refs: readonly string[] }) =>
    batchRetrieveVaultRecords(services, given),
  verifyVaultField: (given: FieldQuestion) => verifyVaultField(services, given),
  eraseVaultRecord: (given: Asked) => eraseVaultRecord(services, given),
  recordRefusal: (refused: Refused) => recordRefusal(services, refused),
});
