import { sql, type RawBuilder } from 'kysely';
import { query } from '../query.ts';
import { tables, type Row } from '../tables.ts';

/** Writes nothing where there is one with this issuer. */
export const insertProvider = query('providers.insert', (provider: Omit<Row<'sign_in_providers'>, 'removed_at'>) =>
  tables
    .insertInto('sign_in_providers')
    .values(provider)
    .onConflict((conflict) => conflict.column('issuer').where('removed_at', 'is', null).doNothing()),
);

export const listProviders = query('providers.list', () =>
  tables
    .selectFrom('sign_in_providers')
    .select(['provider_id', 'name', 'issuer', 'client_id', 'domains', 'created_at', 'removed_at'])
    .orderBy('created_at', 'desc')
    .orderBy('provider_id', 'desc'),
);

/** Takes its secret with it. Writes nothing where it is removed or there is none. */
export const removeProvider = query('providers.remove', (providerId: string, at: Date) =>
  tables
    .updateTable('sign_in_providers')
    .set({ removed_at: at.toISOString(), client_secret_sealed: '' })
    .where('provider_id', '=', providerId)
    .where('removed_at', 'is', null),
);

export type ProviderRow = Omit<Row<'sign_in_providers'>, 'created_at' | 'removed_at'>;

/** The provider, unless it was removed. */
export const providerById = query('providers.byId', (providerId: string) =>
  tables
    .selectFrom('sign_in_providers')
    .select(['provider_id', 'name', 'issuer', 'client_id', 'client_secret_sealed', 'domains'])
    .where('provider_id', '=', providerId)
    .where('removed_at', 'is', null),
);

/** The provider, which cannot be removed before the transaction ends. No row where it was. */
export const holdProvider = query('providers.hold', (providerId: string) =>
  tables
    .selectFrom('sign_in_providers')
    .select('provider_id')
    .where('provider_id', '=', providerId)
    .where('removed_at', 'is', null)
    .forShare(),
);

/** Also what began before it was kept what people signed in with: there it may have been this provider. */
const cameThrough = (providerId: string): RawBuilder<boolean> => sql`
  (signed_in_with = ${providerId} or signed_in_with is null
    and user_id in (select i.user_id from user_identities i where i.provider_id = ${providerId}))`;

/** Sessions that came through a provider. */
export const endSessionsOfProvider = query('providers.endSessions', (providerId: string, at: Date) =>
  tables
    .updateTable('sessions')
    .set({ ended_at: at.toISOString() })
    .where('ended_at', 'is', null)
    .where(cameThrough(providerId)),
);

/** Codes of such sessions that nobody has redeemed yet. Waits for whoever is redeeming one. */
export const endCodesOfProvider = query('providers.endCodes', (providerId: string, at: Date) =>
  tables
    .updateTable('authorization_codes')
    .set({ expires_at: at.toISOString() })
    .where('used_at', 'is', null)
    .where('expires_at', '>', at.toISOString())
    .where('session_hash', 'in', tables.selectFrom('sessions').select('session_hash').where(cameThrough(providerId))),
);

/** Families of tokens that came through a provider. */
export const endFamiliesOfProvider = query('providers.endFamilies', (providerId: string, at: Date) =>
  tables
    .updateTable('token_families')
    .set({ ended_at: at.toISOString(), ended_reason: 'provider-removed' })
    .where('ended_at', 'is', null)
    .where(cameThrough(providerId)),
);

export const insertAttempt = query('providers.insertAttempt', (attempt: Row<'sign_in_attempts'>) =>
  tables.insertInto('sign_in_attempts').values(attempt),
);

/** Takes an attempt, once. Nobody but the browser that began it can. */
export const takeAttempt = query(
  'providers.takeAttempt',
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

/** Whose a provider's subject is. */
export const userOfIdentity = query('providers.userOfIdentity', (providerId: string, subjectIndex: string) =>
  tables
    .selectFrom('user_identities')
    .select('user_id')
    .where('provider_id', '=', providerId)
    .where('subject_index', '=', subjectIndex),
);

/** Writes nothing where it is somebody's, having waited for whoever links it. */
export const insertIdentity = query('providers.insertIdentity', (identity: Row<'user_identities'>) =>
  tables
    .insertInto('user_identities')
    .values(identity)
    .onConflict((conflict) => conflict.columns(['provider_id', 'subject_index']).doNothing()),
);
