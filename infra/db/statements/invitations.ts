import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export const insertInvitation = query('invitations.insert', (invitation: Omit<Row<'invitations'>, 'used_at'>) =>
  tables.insertInto('invitations').values(invitation),
);

export const liveInvitation = query('invitations.live', (tokenHash: string) =>
  tables
    .selectFrom('invitations')
    .select('invitation_id')
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`),
);

/** Returns no row for a used or expired invitation. */
export const useInvitation = query('invitations.use', (tokenHash: string) =>
  tables
    .updateTable('invitations')
    .set({ used_at: sql<string>`now()` })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`)
    .returning('invitation_id'),
);
