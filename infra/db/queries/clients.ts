import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

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
