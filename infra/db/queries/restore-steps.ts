import { sql, type RawBuilder } from 'kysely';
import type { TakenAwayKind } from '../entities/restore.ts';
import { MoneyQuery } from '../locked-owner.ts';
import { insertion, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import type { LockedPayment, PaymentRow } from './payments.ts';

export type RestoreRow = Row<'restores'>;

const restores = () => tables.selectFrom('restores').select(columnsOf('restores'));

/** The restore that no operator has ended. */
export const openRestore = query('restore.open', () => restores().where('ended_at', 'is', null));

/** As `openRestore`. Nobody else begins or ends a restore until the transaction ends. */
export const lockRestore = query('restore.lock', () => restores().where('ended_at', 'is', null).forUpdate());

export const insertRestore = insertion('restore.insert', 'restores');

export const changeRestore = query(
  'restore.change',
  (restoreId: string, changed: Partial<Omit<RestoreRow, 'restore_id' | 'noticed_at'>>) =>
    tables.updateTable('restores').set(changed).where('restore_id', '=', restoreId),
);

/** Of the last backup that was restored. `ended_at` is null while an operator is at it. */
export const lastBegun = query('restore.lastBegun', () =>
  tables
    .selectFrom('restores')
    .select(['begun_at', 'ended_at'])
    .where('state', 'in', ['begun', 'finished'])
    .orderBy('begun_at', 'desc')
    .limit(1),
);

/** Ends what a person, an application or a link could still use. The order of the names is that of the locks. */
export const ACCESS = {
  links: sql`update password_resets set used_at = now() where used_at is null`,
  verifications: sql`update email_verifications set used_at = now() where used_at is null`,
  invitations: sql`update invitations set used_at = now() where used_at is null`,
  link_requests: sql`delete from identity_link_requests`,
  sign_ins_begun: sql`delete from sign_in_attempts`,
  house_links: sql`delete from bank_house_links`,
  mails: sql`delete from mail_messages`,
  sessions: sql`update sessions set ended_at = now() where ended_at is null`,
  codes: sql`update authorization_codes set used_at = now() where used_at is null`,
  sign_ins: sql`update token_families set ended_at = now(), ended_reason = 'restored' where ended_at is null`,
  grants: sql`delete from consents`,
} as const satisfies Record<string, RawBuilder<unknown>>;

export const endAccess = query('restore.endAccess', (what: keyof typeof ACCESS) => ACCESS[what]);

export const disableKeys = query('restore.disableKeys', () =>
  tables
    .updateTable('api_keys')
    .set({ disabled_at: sql<string>`now()` })
    .where('disabled_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)])),
);

/** Returns the keys that work again from now on. */
export const enableKeys = query('restore.enableKeys', ({ keyId, appId }: { keyId?: string; appId?: string }) =>
  tables
    .updateTable('api_keys')
    .set({ disabled_at: null })
    .where('disabled_at', 'is not', null)
    .where('revoked_at', 'is', null)
    .$if(keyId !== undefined, (found) => found.where('key_id', '=', keyId!))
    .$if(appId !== undefined, (found) => found.where('app_id', '=', appId!))
    .returning('key_id'),
);

export const pauseSplits = query('restore.pauseSplits', (at: Date, by: string) =>
  tables
    .updateTable('standing_splits')
    .set(({ eb }) => ({
      paused_at: at.toISOString(),
      updated_at: at.toISOString(),
      version: eb('version', '+', 1),
      set_by: by,
    }))
    .where('paused_at', 'is', null)
    .returning(['owner_id', 'version']),
);

/** In the order of their numbers, as no other transaction locks several. */
export const doubtPayments = query(
  'restore.doubtPayments',
  (restoreId: string) => sql`
    with open as materialized (
      select payment_id from payments where status in ('processing', 'pending') and doubted_by is null order by seq for update)
    update payments p set doubted_by = ${restoreId} from open where p.payment_id = open.payment_id`,
);

export const countDoubted = query('restore.countDoubted', () =>
  tables
    .selectFrom('payments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('doubted_by', 'is not', null),
);

export type DoubtedRow = Pick<
  PaymentRow,
  | 'payment_id'
  | 'owner_id'
  | 'amount'
  | 'status'
  | 'attempt'
  | 'execute_on'
  | 'initiated_at'
  | 'provider_id'
  | 'connection_id'
  | 'doubted_by'
  | 'reference'
> & { bank_id: string; bank_payment_id: string | null; number_hash: string | null; payee_sealed: string | null };

const withAttempt = sql`
  select p.payment_id, p.owner_id, p.amount, p.status, p.attempt, p.execute_on, p.initiated_at, p.provider_id, p.connection_id,
         p.doubted_by, p.reference, a.bank_id, a.bank_payment_id, c.paying_number_hash as number_hash, c.payee_sealed
    from payments p join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
    left join bank_connections c on c.connection_id = p.connection_id`;

export const doubtedPayments = query(
  'restore.doubtedPayments',
  () => sql<DoubtedRow>`${withAttempt} where p.doubted_by is not null order by p.seq`,
);

/** Payments that may have been booked since then, in doubt or not. Null for the house account. */
export const paymentsSince = query(
  'restore.paymentsSince',
  (ownerId: string | null, since: Date) => sql<DoubtedRow>`
    ${withAttempt}
     where case when ${ownerId}::text is null then p.connection_id is null
                else p.owner_id = ${ownerId} and p.connection_id is not null end
       and (p.doubted_by is not null or (p.status in ('completed', 'returned', 'failed') and p.updated_at >= ${since}))
     order by p.seq`,
);

/** It was not sent. The bank gets the same attempt again, as if for the first time. */
export const forgetSubmission = (payment: LockedPayment) => new MoneyQuery(payment.owner_id, forget(payment));

const forget = query('restore.forgetSubmission', ({ payment_id, attempt }: PaymentRow) =>
  tables
    .updateTable('payment_attempts')
    .set({ submission: 'none', first_sent_at: null })
    .where('payment_id', '=', payment_id)
    .where('attempt', '=', attempt)
    .where('submission', '=', 'in_doubt'),
);

/** Where what the list names can stand, if the database gave it back. Grants have all ended. */
const GIVEN_BACK: Readonly<
  Record<Exclude<TakenAwayKind, 'grant'>, readonly [table: string, id: string, given: string]>
> = {
  key: ['api_keys', 'key_id', 'revoked_at is null'],
  client: ['oauth_clients', 'client_id', 'removed_at is null'],
  password: ['users', 'user_id', 'password_hash is not null'],
  user: ['users', 'user_id', 'disabled_at is null'],
  payee: ['payees', 'provider_id', 'removed_at is null'],
  connection: ['bank_connections', 'connection_id', `status not in ('rejected', 'revoked', 'expired')`],
  pii: ['vault_records', 'vault_ref', 'erased_at is null'],
};

export type GivenBackKind = keyof typeof GIVEN_BACK;
export const GIVEN_BACK_KINDS = Object.keys(GIVEN_BACK) as GivenBackKind[];

/** Ids after this one, in their order. */
export const givenBack = query('restore.givenBack', (kind: GivenBackKind, after: string, most: number) => {
  const [table, id, given] = GIVEN_BACK[kind];
  return sql<{ id: string }>`
    select ${sql.ref(id)} as id from ${sql.table(table)} where ${sql.ref(id)} > ${after} and ${sql.raw(given)}
     order by ${sql.ref(id)} limit ${most}`;
});

/** They set a new one by the link to their address. */
export const forgetPasswords = query('restore.forgetPasswords', (userIds: readonly string[] | 'all') =>
  tables
    .updateTable('users')
    .set({ password_hash: null })
    .where('password_hash', 'is not', null)
    .$if(userIds !== 'all', (found) => found.where('user_id', 'in', userIds as readonly string[])),
);

export const doubtPayees = query('restore.doubtPayees', () =>
  tables
    .updateTable('payees')
    .set({ confirm_before_pay: true })
    .where('removed_at', 'is', null)
    .where('confirm_before_pay', '=', false)
    .where('vouched_by', 'is distinct from', 'sandbox'),
);

/** Every payee is confirmed whoever it belongs to. Returns no row if none must be. */
export const confirmPayeeOf = query('restore.confirmPayee', (providerId: string) =>
  tables
    .updateTable('payees')
    .set({ confirm_before_pay: false })
    .where('provider_id', '=', providerId)
    .where('confirm_before_pay', '=', true)
    .where('removed_at', 'is', null),
);
