import { vaultOperations } from '../activities/vault.ts';
import type { Services } from '../infra/services.ts';
import type { HandlersOf } from './http/operations.ts';

type VaultOperation =
  | 'storeVaultRecord'
  | 'getVaultRecord'
  | 'getMaskedVaultRecord'
  | 'batchRetrieveVaultRecords'
  | 'verifyVaultField'
  | 'eraseVaultRecord';

const NO_STORE = { 'Cache-Control': 'no-store' } as const;

export const vaultHandlers = (services: Services): HandlersOf<VaultOperation> => {
  const vault = vaultOperations(services);
  return {
    async storeVaultRecord({ body, principal, newOwner }) {
      const stored = await vault.storeVaultRecord({ ...body, principal, newOwner });
      return { status: 201, body: stored, headers: { Location: `/api/v1/vault/${stored.vault_ref}` } };
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
