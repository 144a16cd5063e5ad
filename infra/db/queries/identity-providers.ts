import { sql } from 'kysely';
import { insertion, query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

/** Inserts nothing if an identity provider with the same issuer exists and is not removed. */
export const insertIdentityProvider = query(
  'identityProviders.insert',
  (identityProvider: Omit<Row<'identity_providers'>, 'removed_at'>) =>
    tables
      .insertInto('identity_providers')
      .values(identityProvider)
      .onConflict((conflict) => conflict.column('issuer').where('removed_at', 'is', null).doNothing()),
);

export const listIdentityProviders = query('identityProviders.list', () =>
  tables
    .selectFrom('identity_providers')
    .select(['provider_id', 'name', 'issuer', 'client_id', 'domains', 'created_at', 'removed_at'])
    .orderBy('created_at', 'desc')
    .orderBy('provider_id', 'desc'),
);

/** Deletes the client secret too. */
export const removeIdentityProvider = query('identityProviders.remove', (identityProviderId: string, at: Date) =>
  tables
    .updateTable('identity_providers')
    .set({ removed_at: at.toISOString(), client_secret_sealed: '' })
    .where('provider_id', '=', identityProviderId)
    .where('removed_at', 'is', null),
);

export type IdentityProviderRow = Omit<Row<'identity_providers'>, 'created_at' | 'removed_at'>;

export const identityProviderById = query('identityProviders.byId', (identityProviderId: string) =>
  tables
    .selectFrom('identity_providers')
    .select(['provider_id', 'name', 'issuer', 'client_id', 'client_secret_sealed', 'domains'])
    .where('provider_id', '=', identityProviderId)
    .where('removed_at', 'is', null),
);

/** Locks the identity provider against removal. Returns no row for a removed one. */
export const holdIdentityProvider = query('identityProviders.hold', (identityProviderId: string) =>
  tables
    .selectFrom('identity_providers')
    .select('provider_id')
    .where('provider_id', '=', identityProviderId)
    .where('removed_at', 'is', null)
    .forShare(),
);

export const insertAttempt = insertion('identityProviders.insertAttempt', 'sign_in_attempts');

/** Deletes the attempt, so that the attempt works once, and only in the browser that started it. */
export const takeAttempt = query(
  'identityProviders.takeAttempt',
  ({
    state_hash,
    provider_id,
    browser_hash,
  }: Pick<Row<'sign_in_attempts'>, 'state_hash' | 'provider_id' | 'browser_hash'>) =>
    tables
      .deleteFrom('sign_in_attempts')
      .where('state_hash', '=', state_hash)
      .where('provider_id', '=', provider_id)
      .where('browser_hash', '=', browser_hash)
      .where('expires_at', '>', sql<string>`now()`)
      .returning('sealed'),
);

export const userOfIdentity = query(
  'identityProviders.userOfIdentity',
  (identityProviderId: string, subjectIndex: string) =>
    tables
      .selectFrom('user_identities')
      .select('user_id')
      .where('provider_id', '=', identityProviderId)
      .where('subject_index', '=', subjectIndex),
);

/** Does nothing if the identity is already linked. Waits for a concurrent transaction that links the same identity. */
export const insertIdentity = query('identityProviders.insertIdentity', (identity: Row<'user_identities'>) =>
  tables
    .insertInto('user_identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['provider_id', 'subject_index']).doNothing()),
);

const REQUEST = ['request_hash', 'provider_id', 'subject_index', 'user_id', 'continue_with'] as const;

export type LinkRequestRow = Pick<Row<'identity_link_requests'>, (typeof REQUEST)[number]>;

export const insertLinkRequest = insertion('identityLinkRequests.insert', 'identity_link_requests');

/** Finds the request only for the browser that made the request. */
export const linkRequest = query('identityLinkRequests.byHash', (requestHash: string, browserHash: string) =>
  tables
    .selectFrom('identity_link_requests')
    .select(REQUEST)
    .where('request_hash', '=', requestHash)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', sql<string>`now()`),
);

/** Finds the request only for the browser that made the request. `proved`: the email address is confirmed. */
export const mailedLinkRequest = query('identityLinkRequests.mailed', (mailTokenHash: string, browserHash: string) =>
  tables
    .selectFrom('identity_link_requests as r')
    .innerJoin('users as u', 'u.user_id', 'r.user_id')
    .select(['r.request_hash', 'r.provider_id', 'r.subject_index', 'r.user_id', 'r.continue_with'])
    .select(sql<boolean>`u.email_verified_at is not null`.as('proved'))
    .where('r.mail_token_hash', '=', mailTokenHash)
    .where('r.browser_hash', '=', browserHash)
    .where('r.expires_at', '>', sql<string>`now()`),
);

/** Returns no row if the request has expired or its identity provider was removed. */
export const setMailToken = query('identityLinkRequests.setMailToken', (requestHash: string, mail_token_hash: string) =>
  tables
    .updateTable('identity_link_requests as r')
    .from('identity_providers as p')
    .set({ mail_token_hash })
    .where('r.request_hash', '=', requestHash)
    .where('r.expires_at', '>', sql<string>`now()`)
    .whereRef('p.provider_id', '=', 'r.provider_id')
    .where('p.removed_at', 'is', null)
    .returning('p.name as provider_name'),
);

/** Deletes the request, so that the request works only once. */
export const takeLinkRequest = query('identityLinkRequests.take', (requestHash: string) =>
  tables
    .deleteFrom('identity_link_requests')
    .where('request_hash', '=', requestHash)
    .where('expires_at', '>', sql<string>`now()`),
);
