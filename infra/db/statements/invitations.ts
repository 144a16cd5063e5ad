import { sql } from 'kysely';
import { usingLink } from '../ending.ts';
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
export const useInvitation = query('invitations.use', (tokenHash: string, at: Date) =>
  usingLink('invitations', tokenHash, at).returning('invitation_id'),
);
