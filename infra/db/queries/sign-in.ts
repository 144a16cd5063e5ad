import { sql } from 'kysely';
import { insertion, query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export const insertSession = insertion('signIn.insertSession', 'sessions');

const liveSession = (sessionHash: string) =>
  tables
    .selectFrom('sessions')
    .select(['user_id', 'created_at'])
    .where('session_hash', '=', sessionHash)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`);

export const sessionByHash = query('signIn.sessionByHash', liveSession);

export const lockSession = query('signIn.lockSession', (sessionHash: string) => liveSession(sessionHash).forShare());

/** The rows in which one column has this value. */
type OfClient = { client_id: string };
type OfUser = { user_id: string };
type OfSession = { session_hash: string };
type OfIdentityProvider = { signed_in_with: string };

const endingSessions = (of: OfUser | OfSession | OfIdentityProvider, at: Date) =>
  tables
    .updateTable('sessions')
    .set({ ended_at: at.toISOString() })
    .where('ended_at', 'is', null)
    .where(({ and }) => and(of));

export const endSessions = query('signIn.endSessions', endingSessions);

/** Ends the user's sessions, except the session of the token family. */
export const endSessionsOfUser = query(
  'signIn.endSessionsOfUser',
  (userId: string, { at, familyId }: { at: Date; familyId: string | null }) =>
    endingSessions({ user_id: userId }, at).$if(familyId !== null, (ended) =>
      ended.where(
        'session_hash',
        'is distinct from',
        tables.selectFrom('token_families').select('session_hash').where('family_id', '=', familyId!),
      ),
    ),
);

const endingFamilies = (
  of: { family_id: string } | OfClient | OfUser | OfSession | OfIdentityProvider,
  at: Date,
  ended_reason: string,
) =>
  tables
    .updateTable('token_families')
    .set({ ended_at: at.toISOString(), ended_reason })
    .where('ended_at', 'is', null)
    .where(({ and }) => and(of));

export const endFamilies = query('signIn.endFamilies', endingFamilies);

/** Revokes the user's token families, except `familyId`. Returns the revoked families. */
export const endFamiliesOfUser = query(
  'signIn.endFamiliesOfUser',
  (userId: string, { at, ended_reason, familyId }: { at: Date; ended_reason: string; familyId: string | null }) =>
    endingFamilies({ user_id: userId }, at, ended_reason)
      .$if(familyId !== null, (ended) => ended.where('family_id', '!=', familyId!))
      .returning('family_id'),
);

const endingCodes = (at: Date) =>
  tables
    .updateTable('authorization_codes')
    .set({ expires_at: at.toISOString() })
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString());

/** Expires unused codes, and waits for codes that are being redeemed. */
export const endCodes = query('signIn.endCodes', (of: OfClient | OfUser | OfSession, at: Date) =>
  endingCodes(at).where(({ and }) => and(of)),
);

export const endCodesOfIdentityProvider = query(
  'signIn.endCodesOfIdentityProvider',
  (identityProviderId: string, at: Date) =>
    endingCodes(at).where(({ eb, selectFrom }) =>
      eb(
        'session_hash',
        'in',
        selectFrom('sessions').select('session_hash').where('signed_in_with', '=', identityProviderId),
      ),
    ),
);

export const clientById = query('signIn.clientById', (clientId: string) =>
  tables
    .selectFrom('oauth_clients')
    .select(['client_id', 'name', 'redirect_uris', 'scopes'])
    .select(sql<boolean>`secret_hash is null`.as('is_public'))
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null),
);

/** Locks the client against removal. Returns no row for a removed client. */
export const holdClient = query('signIn.holdClient', (clientId: string) =>
  tables
    .selectFrom('oauth_clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null)
    .forShare(),
);

export const listIdentityProviderLinks = query('signIn.listIdentityProviderLinks', () =>
  tables
    .selectFrom('identity_providers')
    .select(['provider_id', 'name'])
    .where('removed_at', 'is', null)
    .orderBy('name')
    .orderBy('provider_id'),
);

export const upsertConsent = query('signIn.upsertConsent', (consent: Row<'consents'>) =>
  tables
    .insertInto('consents')
    .values(consent)
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'client_id'])
        .doUpdateSet(({ ref }) => ({ scopes: ref('excluded.scopes'), granted_at: ref('excluded.granted_at') })),
    ),
);

export const insertCode = insertion('signIn.insertCode', 'authorization_codes');

/** `proved`: the email address is confirmed. */
export const resetByToken = query('signIn.resetByToken', (tokenHash: string) =>
  tables
    .selectFrom('password_resets as r')
    .innerJoin('users as u', 'u.user_id', 'r.user_id')
    .select('r.user_id')
    .select(sql<boolean>`u.email_verified_at is not null`.as('proved'))
    .where('r.token_hash', '=', tokenHash)
    .where('r.used_at', 'is', null)
    .where('r.expires_at', '>', sql<string>`now()`),
);

export const insertReset = insertion('signIn.insertReset', 'password_resets');

export const setPassword = query('signIn.setPassword', (userId: string, password_hash: string) =>
  tables.updateTable('users').set({ password_hash }).where('user_id', '=', userId),
);

/** Updates nothing if the stored hash is not `before`. */
export const replacePassword = query(
  'signIn.replacePassword',
  (userId: string, { password_hash, before }: { password_hash: string; before: string }) =>
    tables
      .updateTable('users')
      .set({ password_hash })
      .where('user_id', '=', userId)
      .where('password_hash', '=', before),
);

export const knownOrigins = query(
  'signIn.knownOrigins',
  (userId: string, origins: readonly string[]) => sql<{ origin: string }>`
    select origin from sign_in_origins where user_id = ${userId} and origin = any(${origins}::text[]) limit 1`,
);

export const rememberOrigins = query(
  'signIn.rememberOrigins',
  (userId: string, origins: readonly string[], at: Date) => sql`
    insert into sign_in_origins (user_id, origin, seen_at)
    select ${userId}, origin, ${at} from unnest(${origins}::text[]) as origin
    on conflict (user_id, origin) do update set seen_at = greatest(sign_in_origins.seen_at, excluded.seen_at)`,
);

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
