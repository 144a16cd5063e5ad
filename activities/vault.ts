import type { Services } from '../infra/services.ts';
import { bind } from './bind.ts';
import { eraseVaultRecord } from './vault/erase.ts';
import { batchRetrieveVaultRecords, getMaskedVaultRecord, getVaultRecord } from './vault/read.ts';
import { recordRefusal } from './vault/refusal.ts';
import { prepareVaultRecord } from './vault/store.ts';
import { verifyVaultField } from './vault/verify.ts';

export { storeVaultRecord, type SealedRecord } from './vault/store.ts';

const reads = { getVaultRecord, getMaskedVaultRecord, batchRetrieveVaultRecords, verifyVaultField };

const writes = { prepareVaultRecord, eraseVaultRecord, recordRefusal };

export const vaultOperations = (services: Services) => bind(services, { ...reads, ...writes });
