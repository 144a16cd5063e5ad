import { query } from '../sql.ts';

/** Provider, name, issuer, client, sealed secret, at, mail domains. Writes nothing where there is one with this issuer. */
export const insertProvider = query(
  'providers.insert',
  `insert into sign_in_providers (provider_id, name, issuer, client_id, client_secret_sealed, created_at, domains)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict (issuer) where removed_at is null do nothing`,
);

export interface ProviderSummaryRow {
  provider_id: string;
  name: string;
  issuer: string;
  client_id: string;
  /** Mail domains whose people it signs in; all where empty. */
  domains: string[];
  created_at: string;
  removed_at: string | null;
}

export const listProviders = query<ProviderSummaryRow>(
  'providers.list',
  `select provider_id, name, issuer, client_id, domains, created_at, removed_at from sign_in_providers
    order by created_at desc, provider_id desc`,
);

/** Takes its secret with it: provider, at. Writes nothing where it is removed or there is none. */
export const removeProvider = query(
  'providers.remove',
  `update sign_in_providers set removed_at = $2, client_secret_sealed = '' where provider_id = $1 and removed_at is null`,
);

export interface ProviderRow {
  provider_id: string;
  name: string;
  issuer: string;
  client_id: string;
  client_secret_sealed: string;
  domains: string[];
}

/** The provider, unless it was removed. */
export const providerById = query<ProviderRow>(
  'providers.byId',
  `select provider_id, name, issuer, client_id, client_secret_sealed, domains from sign_in_providers
    where provider_id = $1 and removed_at is null`,
);

/** The provider, which cannot be removed before the transaction ends. No row where it was. */
export const holdProvider = query<{ provider_id: string }>(
  'providers.hold',
  'select provider_id from sign_in_providers where provider_id = $1 and removed_at is null for share',
);

/** Also what began before it was kept what people signed in with: there it may have been this provider. */
const CAME_THROUGH = `(signed_in_with = $1 or signed_in_with is null
     and user_id in (select i.user_id from user_identities i where i.provider_id = $1))`;

/** Sessions that came through a provider: provider, at. */
export const endSessionsOfProvider = query(
  'providers.endSessions',
  `update sessions set ended_at = $2 where ended_at is null and ${CAME_THROUGH}`,
);

/** Codes of such sessions that nobody has redeemed yet: provider, at. Waits for whoever is redeeming one. */
export const endCodesOfProvider = query(
  'providers.endCodes',
  `update authorization_codes set expires_at = $2 where used_at is null and expires_at > $2
      and session_hash in (select session_hash from sessions where ${CAME_THROUGH})`,
);

/** Families of tokens that came through a provider: provider, at. */
export const endFamiliesOfProvider = query(
  'providers.endFamilies',
  `update token_families set ended_at = $2, ended_reason = 'provider-removed' where ended_at is null and ${CAME_THROUGH}`,
);

/** State's hash, provider, browser's hash, sealed, at, end. */
export const insertAttempt = query(
  'providers.insertAttempt',
  `insert into sign_in_attempts (state_hash, provider_id, browser_hash, sealed, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6)`,
);

/** Takes an attempt, once: state's hash, provider, browser's hash. Nobody but the browser that began it can. */
export const takeAttempt = query<{ sealed: string }>(
  'providers.takeAttempt',
  `delete from sign_in_attempts
    where state_hash = $1 and provider_id = $2 and browser_hash = $3 and expires_at > now() returning sealed`,
);

/** Whose a provider's subject is: provider, subject's index. */
export const userOfIdentity = query<{ user_id: string }>(
  'providers.userOfIdentity',
  'select user_id from user_identities where provider_id = $1 and subject_index = $2',
);

/** Provider, subject's index, user, at. Writes nothing where it is somebody's, having waited for whoever links it. */
export const insertIdentity = query(
  'providers.insertIdentity',
  `insert into user_identities (provider_id, subject_index, user_id, created_at) values ($1, $2, $3, $4)
   on conflict (provider_id, subject_index) do nothing`,
);
