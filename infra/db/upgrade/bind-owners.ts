import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables } from '../tables.ts';
import type { UpgradeStep } from '../upgrade.ts';

const MOST_LISTED = 1_000;

/**
 * Binds an owner to the only application that wrote for the owner. If none wrote, binds the owner to the deployment's
 * only application. Other owners get no application until an operator runs `owner assign`.
 */
export const bindOwners: UpgradeStep = {
  name: 'bind-owners',
  async run(db) {
    const bound = await db.many(bind());
    const { count } = await db.one(countUnassigned());
    const unassigned = await db.many(listUnassigned(MOST_LISTED));
    return {
      bound: bound.filter(({ app_id }) => app_id !== null).length,
      without_application: count,
      owners: unassigned.map(({ owner_id }) => owner_id),
    };
  },
};

// Some owner ids of vault records are ids of applications or payees.
const bind = query(
  'upgrade.bindOwners',
  () => sql<{ app_id: string | null }>`
    insert into owner_applications (owner_id, app_id)
    select o.owner_id, owner_application_of_before(o.owner_id)
      from (select owner_id from owners
            union select owner_id from vault_records
            union select owner_id from documents
            union select owner_id from debt_plans) o
     where not starts_with(o.owner_id, 'usr_')
       and not exists (select from owner_applications a where a.owner_id = o.owner_id)
       and not exists (select from applications a where a.app_id = o.owner_id)
       and not exists (select from providers p where p.provider_id = o.owner_id)
    on conflict do nothing
    returning app_id`,
);

const countUnassigned = query('upgrade.countUnassigned', () =>
  tables
    .selectFrom('owner_applications')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('app_id', 'is', null),
);

const listUnassigned = query('upgrade.listUnassigned', (most: number) =>
  tables
    .selectFrom('owner_applications')
    .select('owner_id')
    .where('app_id', 'is', null)
    .orderBy('owner_id')
    .limit(most),
);
