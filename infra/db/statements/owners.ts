import { query } from '../sql.ts';

/** How an owner stands: whether it has a row, and the row's application. */
export const ownerApplication = query<{ app_id: string | null; bound_at: string }>(
  'owners.application',
  'select app_id, bound_at from owner_applications where owner_id = $1',
);

/** Owner, application, at. */
export const assignOwner = query(
  'owners.assign',
  `insert into owner_applications (owner_id, app_id, bound_at) values ($1, $2, $3)
   on conflict (owner_id) do update set app_id = excluded.app_id, bound_at = excluded.bound_at`,
);
