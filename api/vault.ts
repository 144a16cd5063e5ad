import { vaultOperations } from '../activities/vault.ts';
import type { Services } from '../infra/services.ts';
import type { Module } from './http/operations.ts';

export const vaultHandlers = (services: Services) => {
  const vault = vaultOperations(services);
  return {
    async storeVaultRecord({ body, principal, newOwner }) {
      const stored = await vault.storeVaultRecord({ ...body, principal, newOwner });
      return { status: 201, body: stored, headers: { Location: `/api/v1/vault/${stored.vault_ref}` } };
    },
    async getVaultRecord({ params, principal }) {
      return { status: 200, body: await vault.getVaultRecord({ ...params, principal }) };
    },
    async getMaskedVaultRecord({ params, principal }) {
      return { status: 200, body: await vault.getMaskedVaultRecord({ ...params, principal }) };
    },
    async batchRetrieveVaultRecords({ body, principal }) {
      return { status: 200, body: await vault.batchRetrieveVaultRecords({ ...body, principal }) };
    },
    async verifyVaultField({ params, body, principal }) {
      return { status: 200, body: await vault.verifyVaultField({ ...params, ...body, principal }) };
    },
    async eraseVaultRecord({ params, principal }) {
      await vault.eraseVaultRecord({ ...params, principal });
      return { status: 204 };
    },
  } satisfies Module;
};
