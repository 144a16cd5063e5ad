import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, text } from './columns.ts';

/** Encrypted personal data. `sealed` is null after erasure. `keyVersion` is the master key's version. */
export const VaultRecord = defineEntity({
  name: 'VaultRecord',
  tableName: 'vault_records',
  properties: {
    vaultRef: text().primary(),
    piiType: text(),
    ownerId: text().index('vault_records_owner'),
    sealed: text().nullable(),
    keyVersion: p.integer(),
    createdAt: createdAt(),
    erasedAt: instant().nullable(),
    /**
     * The application whose key stored the record. Null for the service's own records, and for records of earlier
     * versions of the service.
     */
    appId: text().nullable(),
  },
  indexes: [{ name: 'vault_records_key_version', properties: ['keyVersion', 'vaultRef'] }],
});

/** A secret shared by all processes of the service, encrypted under the master keys. */
export const SealedSecret = defineEntity({
  name: 'SealedSecret',
  tableName: 'sealed_secrets',
  properties: {
    name: text().primary(),
    sealed: text(),
    createdAt: createdAt(),
  },
});
