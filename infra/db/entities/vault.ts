import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, text } from './columns.ts';

/** `sealed` is null after erasure. `keyVersion` is the version of the master key. */
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
    /** The application whose key stored the record. Null for the service's own records. */
    appId: text().nullable(),
  },
  indexes: [{ name: 'vault_records_key_version', properties: ['keyVersion', 'vaultRef'] }],
});

export const SealedSecret = defineEntity({
  name: 'SealedSecret',
  tableName: 'sealed_secrets',
  properties: {
    name: text().primary(),
    sealed: text(),
    createdAt: createdAt(),
  },
});
