import { defineEntity, p } from '@mikro-orm/core';
import { createdAt, instant, text } from './columns.ts';

/** Personal data, sealed. `sealed` is a JWE bound to reference, type and owner; null once erased. */
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
  },
});
