import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

/** Returns no row if the owner was never bound. */
export const ownerApplication = query('owners.application', (ownerId: string) =>
  tables.selectFrom('owner_applications').select(['app_id', 'bound_at']).where('owner_id', '=', ownerId),
);

export const assignOwner = query('owners.assign', (assignment: Row<'owner_applications'>) =>
  tables
    .insertInto('owner_applications')
    .values(assignment)
    .onConflict((conflict) =>
      conflict
        .column('owner_id')
        .doUpdateSet(({ ref }) => ({ app_id: ref('excluded.app_id'), bound_at: ref('excluded.bound_at') })),
    ),
);
