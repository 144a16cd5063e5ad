import { sql } from 'kysely';
import { insertion, query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

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

/** Returns no row if the request has expired or its provider was removed. */
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
