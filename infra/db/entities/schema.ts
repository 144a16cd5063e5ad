import { defineEntity } from '@mikro-orm/core';
import { instant, text } from './columns.ts';

/** The text of each migration, function and trigger that was applied. The row with the latest `appliedAt` is in force. */
export const SchemaFile = defineEntity({
  name: 'SchemaFile',
  tableName: 'schema_files',
  properties: { name: text().primary(), checksum: text().primary(), appliedAt: instant() },
});
