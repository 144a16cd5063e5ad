import { sql } from 'kysely';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import { MACED_PAYEE, type MacedPayee } from './macs.ts';
import { OWN_ACCOUNT } from './own-accounts.ts';

export type PayeeRow = Row<'payees'>;
export type ShownPayee = PayeeRow & { own_account: boolean };

const payees = () => tables.selectFrom('payees').select(columnsOf('payees'));
const shownPayees = () => payees().select(OWN_ACCOUNT.as('own_account'));

export const payeeById = query('payments.payeeById', (providerId: string) =>
  shownPayees().where('provider_id', '=', providerId),
);

/** Keeps the payee as it is until the transaction ends. Several transactions can do so at once. */
export const payeeToPay = query('payments.payeeToPay', (providerId: string) =>
  payees().where('provider_id', '=', providerId).forKeyShare(),
);

/** Waits for `payeeToPay`, and keeps others from it. */
export const lockPayee = query('payments.lockPayee', (providerId: string) =>
  payees().where('provider_id', '=', providerId).forUpdate(),
);

/** Whose details the record has. Returns no row if the payee has been removed. */
export const payeeOfRecord = query('payments.payeeOfRecord', (vaultRef: string) =>
  tables.selectFrom('payees').select('provider_id').where('bank_ref', '=', vaultRef).where('removed_at', 'is', null),
);

/** How many payments to the payee are open, and how many of these the bank may have without a clear response. */
export const paymentsTo = query(
  'payments.paymentsTo',
  (providerId: string) => sql<{ open: number; unclear: number }>`
    select count(*) as open, count(*) filter (where a.submission = 'in_doubt') as unclear
      from payments p join payment_attempts a on a.payment_id = p.payment_id and a.attempt = p.attempt
     where p.provider_id = ${providerId} and p.status in ('processing', 'pending')`,
);

export const changePayee = query(
  'payments.changePayee',
  (providerId: string, changed: Partial<Pick<PayeeRow, 'removed_at' | 'confirm_before_pay'>> | ChangedPayee) =>
    tables.updateTable('payees').set(changed).where('provider_id', '=', providerId),
);

/** What the MAC covers changes only together with it. */
type ChangedPayee = Pick<PayeeRow, 'mac' | 'mac_version'> &
  Partial<Pick<PayeeRow, 'bank_ref' | 'own_account_of' | 'vouched_by'>>;

/** Each payee that the owner ever ordered a payment to. */
export const payeesPaidBy = query(
  'payments.payeesPaidBy',
  (ownerId: string) => sql<MacedPayee>`
    select ${MACED_PAYEE} from (select distinct provider_id from payments where owner_id = ${ownerId}) p
      join payees r on r.provider_id = p.provider_id`,
);

export const payeesOf = query(
  'payments.payeesOf',
  ({ holder, before, most }: { holder: string; before: number; most: number }) =>
    shownPayees()
      .where(({ eb, or }) => or([eb('held_by', 'is', null), eb('held_by', '=', holder)]))
      .where('removed_at', 'is', null)
      .where('seq', '<', before)
      .orderBy('seq', 'desc')
      .limit(most),
);

/** Newest first, including removed payees unless `unconfirmed`. */
export const allPayees = query('payments.allPayees', ({ unconfirmed, most }: { unconfirmed: boolean; most: number }) =>
  tables
    .selectFrom('payees')
    .select(['provider_id', 'held_by', 'category', 'vouched_by', 'created_at', 'removed_at'])
    .$if(unconfirmed, (found) => found.where('vouched_by', 'is', null).where('removed_at', 'is', null))
    .orderBy('seq', 'desc')
    .limit(most),
);

/** Names every column, because a payee without a holder is everybody's. */
export const insertPayee = query(
  'payments.insertPayee',
  (payee: Omit<PayeeRow, 'seq' | 'removed_at' | 'confirm_before_pay'>) =>
    tables
      .insertInto('payees')
      .values(payee)
      .onConflict((conflict) => conflict.column('provider_id').doNothing()),
);

export const removePayeesOf = query('payments.removePayeesOf', (holder: string, at: Date) =>
  tables
    .updateTable('payees')
    .set({ removed_at: at.toISOString() })
    .where('held_by', '=', holder)
    .where('removed_at', 'is', null),
);
