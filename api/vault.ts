import { vaultOperations } from '../activities/vault.ts';
import type { Services } from '../infra/services.ts';
import type { SealedRecord } from '../activities/vault/store.ts';
import type { HandlersOf, LongHandler } from './http/operations.ts';

type VaultOperation =
  'getVaultRecord' | 'getMaskedVaultRecord' | 'batchRetrieveVaultRecords' | 'verifyVaultField' | 'eraseVaultRecord';

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

type VaultHandlers = HandlersOf<VaultOperation> & { storeVaultRecord: LongHandler<'storeVaultRecord', SealedRecord> };

export const vaultHandlers = (services: Services): VaultHandlers => {
  const vault = vaultOperations(services);
  return {
    storeVaultRecord: {
      prepare: ({ body, principal }) => vault.prepareVaultRecord({ ...body, principal }),
      async begin({ body, principal, newOwner }, prepared) {
        const stored = await vault.storeVaultRecord({ ...body, principal, newOwner }, prepared);
        return { status: 201, body: stored, headers: { Location: `/api/v1/vault/${stored.vault_ref}` } };
      },
    },
    async getVaultRecord({ params, principal }) {
      return { status: 200, body: await vault.getVaultRecord({ ...params, principal }), headers: NO_STORE };
    },
    async getMaskedVaultRecord({ params, principal }) {
      return { status: 200, body: await vault.getMaskedVaultRecord({ ...params, principal }), headers: NO_STORE };
    },
    async batchRetrieveVaultRecords({ body, principal }) {
      return { status: 200, body: await vault.batchRetrieveVaultRecords({ ...body, principal }), headers: NO_STORE };
    },
    async verifyVaultField({ params, body, principal }) {
      return { status: 200, body: await vault.verifyVaultField({ ...params, ...body, principal }), headers: NO_STORE };
    },
    async eraseVaultRecord({ params, principal }) {
      await vault.eraseVaultRecord({ ...params, principal });
      return { status: 204 };
    },
  };
};
