import { sql } from 'kysely';
import { query } from '../query.ts';
import type { UpgradeStep } from '../upgrade.ts';

export const dropPayeeNames: UpgradeStep = {
  name: 'drop-payee-names',
  async run(db) {
    const dropped = (await db.maybe(nameColumn())) !== undefined;
    await db.run(dropColumn());
    return { dropped };
  },
};

const nameColumn = query(
  'upgrade.payeeNameColumn',
  () => sql`
    select 1 as found from information_schema.columns
     where table_schema = current_schema() and table_name = 'providers' and column_name = 'name'`,
);
const dropColumn = query('upgrade.dropPayeeNames', () => sql`alter table providers drop column if exists name`);
