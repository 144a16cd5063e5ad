import { vaultOperations } from '../activities/vault.ts';
import type { Services } from '../infra/services.ts';
import type { SealedRecord } from '../activities/vault/store.ts';
import type { Module } from './http/operations.ts';

export const vaultHandlers = (services: Services) => {
  const vault = vaultOperations(services);
  return {
    storeVaultRecord: {
      prepare: ({ body, principal }) => vault.prepareVaultRecord({ ...body, principal }),
      async begin({ body, principal, newOwner }, prepared: Promise<SealedRecord>) {
        const stored = await vault.storeVaultRecord({ ...body, principal, newOwner }, prepared);
        return { status: 201, body: stored, headers: { Location: `/api/v1/vault/${stored.vault_ref}` } };
      },
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
