import { sql } from 'kysely';
import { insertion, query } from '../query.ts';
import { tables } from '../tables.ts';

export const insertInvitation = insertion('invitations.insert', 'invitations');

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
