import { query } from '../sql.ts';

export interface LinkRequestRow {
  request_hash: string;
  provider_id: string;
  subject_index: string;
  user_id: string;
  continue_with: string;
}

const REQUEST = `select request_hash, provider_id, subject_index, user_id, continue_with from provider_link_requests`;

/** Request's hash, provider, subject's index, user, browser's hash, where to go on, at, end. */
export const insertLinkRequest = query(
  'linkRequests.insert',
  `insert into provider_link_requests
     (request_hash, provider_id, subject_index, user_id, browser_hash, continue_with, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** Of that browser alone: request's hash, browser's hash. */
export const linkRequest = query<LinkRequestRow>(
  'linkRequests.byHash',
  `${REQUEST} where request_hash = $1 and browser_hash = $2 and expires_at > now()`,
);

/** The same by the token that a letter told, and whether somebody proved the account's address already. */
export const mailedLinkRequest = query<LinkRequestRow & { proved: boolean }>(
  'linkRequests.mailed',
  `select request_hash, provider_id, subject_index, user_id, continue_with, u.email_verified_at is not null as proved
     from provider_link_requests join users u using (user_id) where mail_token_hash = $1 and browser_hash = $2 and expires_at > now()`,
);

/** A letter tells this token: request's hash, token's hash. No row where the request is over or its provider was removed. */
export const setMailToken = query<{ provider_name: string }>(
  'linkRequests.setMailToken',
  `update provider_link_requests r set mail_token_hash = $2 from sign_in_providers p
    where r.request_hash = $1 and r.expires_at > now() and p.provider_id = r.provider_id and p.removed_at is null
   returning p.name as provider_name`,
);

/** Takes a request, once. Writes nothing where it was taken already, or is too old. */
export const takeLinkRequest = query(
  'linkRequests.take',
  'delete from provider_link_requests where request_hash = $1 and expires_at > now()',
);
