import { storeVaultRecord, vaultOperations } from '../activities/vault.ts';
import type { Services } from '../infra/services.ts';
import { json } from './http/reply/json.ts';
import type { Module } from './http/handlers.ts';

export const vaultHandlers = (services: Services) => {
  const vault = vaultOperations(services);
  return {
    async storeVaultRecord({ once, body, principal, newOwner }) {
      const request = { ...body, principal, newOwner };
      const sealed = await vault.prepareVaultRecord(request);
      return once(async (tx) => {
        const stored = await storeVaultRecord(tx, services, request, sealed);
        return { status: 201, body: stored, headers: { Location: `/api/v1/vault/${stored.vault_ref}` } };
      });
    },
    getVaultRecord: ({ params, principal }) => json(200, vault.getVaultRecord({ ...params, principal })),
    getMaskedVaultRecord: ({ params, principal }) => json(200, vault.getMaskedVaultRecord({ ...params, principal })),
    batchRetrieveVaultRecords: ({ body, principal }) =>
      json(200, vault.batchRetrieveVaultRecords({ ...body, principal })),
    verifyVaultField: ({ params, body, principal }) =>
      json(200, vault.verifyVaultField({ ...params, ...body, principal })),
    async eraseVaultRecord({ params, principal }) {
      await vault.eraseVaultRecord({ ...params, principal });
      return { status: 204 };
    },
  } satisfies Module;
};
