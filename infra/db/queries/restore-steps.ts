import { sql, type RawBuilder } from 'kysely';
import type { CalendarDate } from '../../../domain/dates.ts';
import type { PaymentStatus } from '../../../domain/payments.ts';
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

interface NewDebit {
  debit_id: string;
  amount: number;
  booked_on: CalendarDate;
}

/** Leaves out those that are stored. */
export const insertDebits = query(
  'restore.insertDebits',
  (restoreId: string, debits: readonly NewDebit[]) => sql`
    insert into restore_debits (debit_id, restore_id, amount, booked_on)
    select d.debit_id, ${restoreId}, d.amount, d.booked_on
      from jsonb_to_recordset(${JSON.stringify(debits)}::jsonb) as d (debit_id text, amount bigint, booked_on date)
        on conflict (debit_id) do nothing`,
);

/** Those that no operator has explained, of this and earlier restores. */
export const openDebits = query('restore.openDebits', () =>
  tables
    .selectFrom('restore_debits')
    .select(['debit_id', 'amount', 'booked_on'])
    .where('explained_at', 'is', null)
    .orderBy('booked_on'),
);

export const explainDebit = query('restore.explainDebit', (debitId: string, by: { at: Date; actor: string }) =>
  tables
    .updateTable('restore_debits')
    .set({ explained_at: by.at.toISOString(), explained_by: by.actor })
    .where('debit_id', '=', debitId)
    .where('explained_at', 'is', null)
    .returning('restore_id'),
);

/** Of the last backup that was restored. `lost_until` is null while an operator is at it. */
export const lastBegun = query('restore.lastBegun', () =>
  tables
    .selectFrom('restores')
    .select(['begun_at', 'lost_until'])
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

/** `sent_on`: the first day on which the attempt can have been sent. */
export interface DoubtedRow {
  payment_id: string;
  owner_id: string;
  provider_id: string;
  amount: number;
  reference: string | null;
  status: PaymentStatus;
  attempt: number;
  connection_id: string | null;
  sent_on: CalendarDate;
  doubted_by: string | null;
  bank_id: string;
  bank_payment_id: string | null;
}

const DOUBTED = sql`
  select p.payment_id, p.owner_id, p.provider_id, p.amount, p.reference, p.status, p.attempt, p.connection_id,
         greatest(p.execute_on, (a.created_at at time zone 'Europe/London')::date) as sent_on, p.doubted_by, a.bank_id,
         a.bank_payment_id
    from payments p join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt`;

export const doubtedPayments = query(
  'restore.doubtedPayments',
  () => sql<DoubtedRow>`${DOUBTED} where p.doubted_by is not null order by p.seq`,
);

/** Payments of the house account that it may have booked since then, in doubt or not. */
export const paidByHouse = query(
  'restore.paidByHouse',
  (since: Date) => sql<DoubtedRow>`
    ${DOUBTED} where p.connection_id is null
       and (p.doubted_by is not null or (p.status in ('completed', 'returned', 'failed') and p.updated_at >= ${since}))
     order by p.seq`,
);

/** Those of the payments that the database knows. What failed might have been retried since the backup. */
export const knownPayments = query('restore.knownPayments', (paymentIds: readonly string[]) =>
  tables
    .selectFrom('payments')
    .select('payment_id')
    .where('status', '<>', 'failed')
    .where('payment_id', '=', sql<string>`any(${paymentIds}::text[])`),
);

/** The connections by which accounts of these owners are read. */
export const readingConnections = query(
  'restore.readingConnections',
  (ownerIds: readonly string[]) => sql<{ connection_id: string }>`
    select connection_id from bank_connections
     where owner_id = any(${ownerIds}::text[]) and kind = 'accounts'
       and connection_status(status, authorise_until, valid_until) = 'authorised' order by seq`,
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
const GIVEN_BACK = {
  key: ['api_keys', 'key_id', 'revoked_at is null'],
  client: ['oauth_clients', 'client_id', 'removed_at is null'],
  password: ['users', 'user_id', 'password_hash is not null'],
  user: ['users', 'user_id', 'disabled_at is null'],
  payee: ['payees', 'provider_id', 'removed_at is null'],
  connection: ['bank_connections', 'connection_id', `status not in ('rejected', 'revoked', 'expired')`],
  pii: ['vault_records', 'vault_ref', 'erased_at is null'],
  credential: ['credentials', 'credential_id', 'issued_at is not null and revoked_at is null'],
  document: ['documents', 'doc_id', 'erased_at is null'],
} as const satisfies Record<string, readonly [table: string, id: string, given: string]>;

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

/** Confirms the payee of any owner. Returns no row if it needs no confirmation. */
export const confirmPayeeOf = query('restore.confirmPayee', (providerId: string) =>
  tables
    .updateTable('payees')
    .set({ confirm_before_pay: false })
    .where('provider_id', '=', providerId)
    .where('confirm_before_pay', '=', true)
    .where('removed_at', 'is', null),
);
