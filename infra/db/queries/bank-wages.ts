import { sql } from 'kysely';
import { relationOf } from '../lists.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

export type WageRow = Row<'bank_wages'>;
export type PayerRow = Row<'bank_payers'>;

/** Serialises what is recognised, named and listed of an owner's wages. Taken before any row of them is locked. */
export const lockWagesOf = query(
  'bankWages.lockOwner',
  (ownerId: string) => sql`select pg_advisory_xact_lock(hashtextextended(${ownerId}, 4716))::text as locked`,
);

export const wageById = query('bankWages.byId', (wageId: string) =>
  tables.selectFrom('bank_wages').select(columnsOf('bank_wages')).where('wage_id', '=', wageId),
);

/** As `wageById`. Nobody else changes the wage until the transaction ends. */
export const lockWage = query('bankWages.lock', (wageId: string) =>
  tables.selectFrom('bank_wages').select(columnsOf('bank_wages')).where('wage_id', '=', wageId).forUpdate(),
);

/** The paycheck that was calculated from the wage. */
export const wageCalculated = query('bankWages.calculated', (wageId: string, calculationId: string) =>
  tables
    .updateTable('bank_wages')
    .set({ calculation_id: calculationId })
    .where('wage_id', '=', wageId)
    .where('calculation_id', 'is', null),
);

const CREDIT = sql.raw(
  't.transaction_id, t.seq, t.account_id, t.owner_id, t.amount, t.booked_on, t.payer_hash, t.counterparty_hash, t.debtor_hash, t.created_at',
);

export type CreditRow = Pick<
  Row<'bank_transactions'>,
  | 'transaction_id'
  | 'seq'
  | 'account_id'
  | 'owner_id'
  | 'amount'
  | 'booked_on'
  | 'payer_hash'
  | 'counterparty_hash'
  | 'debtor_hash'
  | 'created_at'
>;

interface Bounds {
  ownerId: string;
  days: number;
  most: number;
}

/** The newest credits and debits of the owner's accounts, at most so many of each. */
export const movementsOf = query(
  'bankWages.movements',
  ({ ownerId, days, most }: Bounds) => sql<CreditRow>`
    (select ${CREDIT} from bank_transactions t
      where t.owner_id = ${ownerId} and t.amount > 0 and t.booked_on >= business_today() - ${days}::int
      order by t.booked_on desc, t.seq desc limit ${most})
    union all
    (select ${CREDIT} from bank_transactions t
      where t.owner_id = ${ownerId} and t.amount < 0 and t.booked_on >= business_today() - ${days}::int
      order by t.booked_on desc, t.seq desc limit ${most})`,
);

export type SealedCredit = CreditRow &
  Pick<Row<'bank_transactions'>, 'texts_sealed'> &
  Pick<Row<'bank_accounts'>, 'key_sealed'>;

const WITH_TEXTS = sql`select ${CREDIT}, t.texts_sealed, a.key_sealed
  from bank_transactions t join bank_accounts a on a.account_id = t.account_id`;

/** Credits that are no wage so far, with what opens their texts. */
export const otherCredits = query(
  'bankWages.otherCredits',
  ({ ownerId, days, most }: Bounds) => sql<SealedCredit>`
    ${WITH_TEXTS}
     where t.owner_id = ${ownerId} and t.amount > 0 and t.booked_on >= business_today() - ${days}::int
       and not exists (select from bank_wages w where w.transaction_id = t.transaction_id)
     order by t.booked_on desc, t.seq desc limit ${most}`,
);

/** Of any amount. */
export const sealedTransaction = query(
  'bankWages.sealedTransaction',
  (transactionId: string) => sql<SealedCredit>`${WITH_TEXTS} where t.transaction_id = ${transactionId}`,
);

/** `orphan`: its transaction is no longer kept. `debtor_hash` is the transaction's. */
export type KnownWageRow = WageRow & { orphan: boolean; debtor_hash: string | null };

const WAGES = sql`select ${sql.join(columnsOf('bank_wages').map((column) => sql.ref(`w.${column}`)))},
    t.transaction_id is null as orphan, t.debtor_hash
  from bank_wages w left join bank_transactions t on t.transaction_id = w.transaction_id`;

export const wagesOf = query(
  'bankWages.ofOwner',
  ({ ownerId, days }: Omit<Bounds, 'most'>) => sql<KnownWageRow>`
    ${WAGES} where w.owner_id = ${ownerId} and w.received_on >= business_today() - ${days}::int order by w.received_on, w.seq`,
);

/** The wages of the same day and amount as a credit. */
export const wagesLike = query(
  'bankWages.like',
  ({ owner_id, booked_on, amount }: CreditRow) => sql<KnownWageRow>`
    ${WAGES} where w.owner_id = ${owner_id} and w.received_on = ${booked_on}::date and w.amount = ${amount} order by w.seq`,
);

/** Debits of as much as the credit, within so many days of it. */
export const debitsLike = query(
  'bankWages.debitsLike',
  ({ owner_id, booked_on, amount }: CreditRow, days: number) => sql<CreditRow>`
    select ${CREDIT} from bank_transactions t
     where t.owner_id = ${owner_id} and t.amount = -${amount}::bigint
       and t.booked_on between ${booked_on}::date - ${days}::int and ${booked_on}::date + ${days}::int`,
);

/** What was confirmed last of a payer. */
export const lastConfirmed = query('bankWages.lastConfirmed', (ownerId: string, payerHash: string) =>
  tables
    .selectFrom('bank_wages')
    .select('amount')
    .where('owner_id', '=', ownerId)
    .where('payer_hash', '=', payerHash)
    .where('status', '=', 'confirmed')
    .orderBy('received_on', 'desc')
    .orderBy('seq', 'desc')
    .limit(1),
);

export const payersOf = query('bankWages.payers', (ownerId: string) =>
  tables.selectFrom('bank_payers').select(columnsOf('bank_payers')).where('owner_id', '=', ownerId),
);

export const ownNumbersOf = query('bankWages.ownNumbers', (ownerId: string) =>
  tables.selectFrom('own_account_numbers').select('number_hash').where('owner_id', '=', ownerId),
);

/** What payslips of these days say was paid. */
export const payslipsOf = query('bankWages.payslips', ({ ownerId, days }: Omit<Bounds, 'most'>) =>
  tables
    .selectFrom('documents')
    .select(['net_pay', 'pay_date'])
    .where('owner_id', '=', ownerId)
    .where('net_pay', 'is not', null)
    .where('pay_date', '>=', sql<string>`business_today() - ${days}::int`),
);

/** `named_at` is real time, because it is compared with the time at which transactions were stored. */
export const namePayer = query('bankWages.namePayer', (payer: Omit<PayerRow, 'named_at'>) =>
  tables
    .insertInto('bank_payers')
    .values({ ...payer, named_at: sql<string>`now()` })
    .onConflict((conflict) => conflict.columns(['owner_id', 'payer_hash']).doNothing()),
);

export type NewWage = Omit<WageRow, 'seq' | 'own_sign_in' | 'calculation_id'>;

const NEW_TYPES = {
  wage_id: 'text',
  owner_id: 'text',
  account_id: 'text',
  transaction_id: 'text',
  amount: 'bigint',
  received_on: 'date',
  payer_hash: 'text',
  counterparty_hash: 'text',
  payer_sealed: 'text',
  matched_by: 'text',
  status: 'text',
  confirmed_at: 'timestamptz',
  created_at: 'timestamptz',
} as const;

const NEW_COLUMNS = sql.join(Object.keys(NEW_TYPES).map((name) => sql.ref(name)));

/** In the given order. A credit becomes one wage only. */
export const insertWages = query(
  'bankWages.insert',
  (wages: readonly NewWage[]) => sql`
    insert into bank_wages (${NEW_COLUMNS})
    select ${NEW_COLUMNS} from ${relationOf('given', wages, NEW_TYPES)} order by ordinal
    on conflict (transaction_id) do nothing`,
);

export const deleteWages = query('bankWages.delete', (wageIds: readonly string[]) =>
  tables.deleteFrom('bank_wages').where('wage_id', 'in', wageIds),
);

export const reverseWages = query('bankWages.reverse', (wageIds: readonly string[]) =>
  tables.updateTable('bank_wages').set({ status: 'reversed' }).where('wage_id', 'in', wageIds),
);

export type Relinked = Pick<WageRow, 'wage_id' | 'account_id' | 'transaction_id' | 'payer_sealed' | 'payer_hash'>;

const RELINKED_TYPES = {
  wage_id: 'text',
  account_id: 'text',
  transaction_id: 'text',
  payer_sealed: 'text',
  payer_hash: 'text',
} as const;

/** The bank has reported the credits of these wages again. */
export const relinkWages = query(
  'bankWages.relink',
  (rows: readonly Relinked[]) => sql`
    update bank_wages w
       set account_id = given.account_id, transaction_id = given.transaction_id, payer_sealed = given.payer_sealed,
           payer_hash = coalesce(w.payer_hash, given.payer_hash)
      from ${relationOf('given', rows, RELINKED_TYPES)} where w.wage_id = given.wage_id`,
);

type Named = Pick<WageRow, 'own_sign_in' | 'confirmed_at' | 'payer_hash' | 'payer_sealed'>;

/** The person has named the wage. */
export const wageNamed = query(
  'bankWages.named',
  (wageId: string, { own_sign_in, confirmed_at, payer_hash, payer_sealed }: Named) =>
    tables
      .updateTable('bank_wages')
      .set({ own_sign_in, confirmed_at, payer_hash, payer_sealed, matched_by: 'person', status: 'confirmed' })
      .where('wage_id', '=', wageId),
);
