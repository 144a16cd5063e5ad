import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

export const insertClient = query('clients.insert', (client: Omit<Row<'oauth_clients'>, 'removed_at'>) =>
  tables.insertInto('oauth_clients').values(client),
);

/** Of the application, or all, those removed as well; never the hash of a secret. */
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

/**
 * Takes its secret with it: in its place is the hash of one that nobody has, or none as before. Writes nothing where it is removed or
 * there is none. Waits for whoever holds it.
 */
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

/** Codes of a client that nobody has redeemed yet. Waits for whoever is redeeming one. */
export const endCodesOfClient = query('clients.endCodes', (clientId: string, at: Date) =>
  tables
    .updateTable('authorization_codes')
    .set({ expires_at: at.toISOString() })
    .where('client_id', '=', clientId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString()),
);

/** Families of tokens that a client was granted. */
export const endFamiliesOfClient = query('clients.endFamilies', (clientId: string, at: Date) =>
  tables
    .updateTable('token_families')
    .set({ ended_at: at.toISOString(), ended_reason: 'client-removed' })
    .where('client_id', '=', clientId)
    .where('ended_at', 'is', null),
);

/** What people allow a client now; that they did stays in the audit log. */
export const deleteConsentsOfClient = query('clients.deleteConsents', (clientId: string) =>
  tables.deleteFrom('consents').where('client_id', '=', clientId),
);
