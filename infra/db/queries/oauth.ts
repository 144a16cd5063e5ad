import { sql } from 'kysely';
import { relationOf } from '../lists.ts';
import { batchQuery, query, type Numbered } from '../query.ts';
import { tables, type Row } from '../tables.ts';

/** `secret_hash` is null for a public client. */
export type ClientRow = Pick<Row<'oauth_clients'>, 'client_id' | 'secret_hash'>;

export const clientById = batchQuery(
  'oauth.clientById',
  (clients: readonly { client_id: string }[]) => sql<Numbered & ClientRow>`
    select requested.ordinal, c.client_id, c.secret_hash
      from ${relationOf('requested', clients, { client_id: 'text' })} join oauth_clients c on c.client_id = requested.client_id
     where c.removed_at is null`,
);

export const knownOrigin = batchQuery(
  'oauth.knownOrigin',
  (requested: readonly { origin: string }[]) => sql<Numbered & { known: boolean }>`
    select requested.ordinal, exists (select from oauth_clients c where requested.origin = any(c.origins) and c.removed_at is null) as known
      from ${relationOf('requested', requested, { origin: 'text' })}`,
);

export const originOfFamily = batchQuery(
  'oauth.originOfFamily',
  (requested: readonly { family_id: string; origin: string }[]) => sql<Numbered & { known: boolean }>`
    select requested.ordinal, requested.origin = any(c.origins) as known
      from ${relationOf('requested', requested, { family_id: 'text', origin: 'text' })}
      join token_families f on f.family_id = requested.family_id
      join oauth_clients c on c.client_id = f.client_id and c.removed_at is null`,
);

export type CodeRow = Omit<Row<'authorization_codes'>, 'code_hash' | 'created_at'> & {
  is_public: boolean;
  session_ended: boolean;
};

/** Locks the code, so that a second use waits and sees the first use. */
export const lockCode = query('oauth.lockCode', (codeHash: string) =>
  tables
    .selectFrom('authorization_codes as a')
    .innerJoin('oauth_clients as c', 'c.client_id', 'a.client_id')
    .leftJoin('sessions as s', 's.session_hash', 'a.session_hash')
    .select(['a.client_id', 'a.user_id', 'a.redirect_uri', 'a.scopes', 'a.code_challenge', 'a.session_hash'])
    .select(['a.expires_at', 'a.used_at', 'a.family_id'])
    .select(sql<boolean>`c.secret_hash is null`.as('is_public'))
    .select(sql<boolean>`s.ended_at is not null`.as('session_ended'))
    .where('a.code_hash', '=', codeHash)
    .forUpdate('a'),
);

export const useCode = query('oauth.useCode', (codeHash: string, at: Date) =>
  tables.updateTable('authorization_codes').set({ used_at: at.toISOString() }).where('code_hash', '=', codeHash),
);

/** Records the token family to revoke if the code is used twice. */
export const setCodeFamily = query('oauth.setCodeFamily', (codeHash: string, family_id: string) =>
  tables.updateTable('authorization_codes').set({ family_id }).where('code_hash', '=', codeHash),
);

type LiveToken = Pick<Row<'token_families'>, 'user_id' | 'client_id' | 'scopes'> &
  Pick<Row<'access_tokens'>, 'created_at' | 'expires_at'> & { token_type: 'bearer' | 'refresh_token' };

/** Finds a valid access token, or a valid refresh token that was not rotated yet. */
export const liveToken = batchQuery(
  'oauth.liveToken',
  (tokens: readonly { token_hash: string }[]) => sql<Numbered & LiveToken>`
    with requested as (select * from ${relationOf('requested', tokens, { token_hash: 'text' })})
    select requested.ordinal, 'bearer' as token_type, f.user_id, f.client_id, coalesce(t.scopes, f.scopes) as scopes,
           t.created_at, t.expires_at
      from requested join access_tokens t on t.token_hash = requested.token_hash
      join token_families f on f.family_id = t.family_id
     where t.expires_at > now() and f.ended_at is null
    union all
    select requested.ordinal, 'refresh_token', f.user_id, f.client_id, f.scopes, r.created_at, r.expires_at
      from requested join refresh_tokens r on r.token_hash = requested.token_hash
      join token_families f on f.family_id = r.family_id
     where r.rotated_at is null and r.expires_at > now() and f.ended_at is null`,
);

export const deleteAccessToken = query('oauth.deleteAccessToken', (tokenHash: string, clientId: string) =>
  tables
    .deleteFrom('access_tokens as t')
    .using('token_families as f')
    .where('t.token_hash', '=', tokenHash)
    .whereRef('f.family_id', '=', 't.family_id')
    .where('f.client_id', '=', clientId)
    .returning(['f.family_id', 'f.user_id']),
);

/** Also takes a rotated refresh token. Returns no row if the family is already revoked. */
export const endFamilyOfRefresh = query('oauth.endFamilyOfRefresh', (tokenHash: string, clientId: string, at: Date) =>
  tables
    .updateTable('token_families as f')
    .from('refresh_tokens as r')
    .set({ ended_at: at.toISOString(), ended_reason: 'revoked' })
    .where('r.token_hash', '=', tokenHash)
    .whereRef('f.family_id', '=', 'r.family_id')
    .where('f.client_id', '=', clientId)
    .where('f.ended_at', 'is', null)
    .returning(['f.family_id', 'f.user_id']),
);

/** Names every column, because a client without a secret is public. */
export const insertClient = query('clients.insert', (client: Omit<Row<'oauth_clients'>, 'removed_at'>) =>
  tables.insertInto('oauth_clients').values(client),
);

/** Includes removed clients. Without `appId`, lists the clients of all applications. */
export const listClients = query('clients.list', (appId: string | undefined) =>
  tables
    .selectFrom('oauth_clients')
    .select(['client_id', 'app_id', 'name', 'redirect_uris', 'scopes', 'origins'])
    .select(sql<boolean>`secret_hash is null`.as('public'))
    .select(['created_at', 'removed_at'])
    .$if(appId !== undefined, (found) => found.where('app_id', '=', appId!))
    .orderBy('created_at', 'desc')
    .orderBy('client_id', 'desc'),
);

/** Invalidates the secret too. Changes no row if the client was already removed. */
export const removeClient = query('clients.remove', (clientId: string, at: Date, nobodysHash: string) =>
  tables
    .updateTable('oauth_clients')
    .set({
      removed_at: at.toISOString(),
      secret_hash: sql<string | null>`case when secret_hash is not null then ${nobodysHash} end`,
    })
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null),
);

export const deleteConsentsOfClient = query('clients.deleteConsents', (clientId: string) =>
  tables.deleteFrom('consents').where('client_id', '=', clientId),
);
