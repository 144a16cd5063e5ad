import { sql } from 'kysely';
import { query } from '../query.ts';
import { tables } from '../tables.ts';

const disabledAt = (userId: string) => tables.selectFrom('users').select('disabled_at').where('user_id', '=', userId);

/** Returns no row for an owner without an account. */
export const accountState = query('accounts.state', disabledAt);

/** Nobody can disable the account before the commit. Waits for a transaction that is disabling it. */
export const holdAccount = query('accounts.hold', (userId: string) => disabledAt(userId).forShare());

/** Changes nothing if the account is already disabled, or already enabled if `at` is null. */
export const setDisabled = query('accounts.setDisabled', (userId: string, at: Date | null) =>
  tables
    .updateTable('users')
    .set({ disabled_at: at?.toISOString() ?? null })
    .where('user_id', '=', userId)
    .where('disabled_at', at === null ? 'is not' : 'is', null),
);

const accounts = () =>
  tables
    .selectFrom('users as u')
    .select(['u.user_id', 'u.created_at'])
    .select(sql<boolean>`u.email_verified_at is not null`.as('email_verified'))
    .select(sql<boolean>`u.password_hash is not null`.as('has_password'))
    .select('u.disabled_at');

export const listAccounts = query('accounts.list', ({ disabled, most }: { disabled: boolean; most: number }) =>
  accounts()
    .$if(disabled, (found) => found.where('u.disabled_at', 'is not', null))
    .orderBy('u.created_at', 'desc')
    .orderBy('u.user_id', 'desc')
    .limit(most),
);

/** Counts only sign-ins that have not ended. */
export const accountById = query('accounts.byId', (userId: string) =>
  accounts()
    .select([
      sql<number>`(select count(*) from sessions s
        where s.user_id = u.user_id and s.ended_at is null and s.expires_at > now())`.as('sessions'),
      sql<number>`(select count(*) from token_families f
        where f.user_id = u.user_id and f.ended_at is null and f.expires_at > now())`.as('sign_ins'),
      sql<string[]>`array(select distinct f.client_id from token_families f where f.user_id = u.user_id
        and f.client_id is not null and f.ended_at is null and f.expires_at > now() order by 1)`.as('clients'),
      sql<
        string[]
      >`array(select distinct i.provider_id from user_identities i where i.user_id = u.user_id order by 1)`.as(
        'providers',
      ),
      sql<number>`(select count(*) from payments p where p.owner_id = u.user_id and p.status = 'pending')`.as(
        'payments_pending',
      ),
    ])
    .where('u.user_id', '=', userId),
);
