import { sql } from 'kysely';
import type { ConnectionStatus } from '../../../domain/bank/connections.ts';
import type { WageStatus } from '../../../domain/bank/wages.ts';
import type { CalendarDate } from '../../../domain/dates.ts';
import { query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';

/** An account as one connection shows it. `gone`: the bank no longer shows the account there. */
export type ShownAccount = Omit<
  Row<'bank_accounts'>,
  'owner_id' | 'number_hash' | 'listed_number_hash' | 'iban_hash' | 'gone_at'
> & {
  connection_id: string;
  gone: boolean;
};

/** In the order in which the accounts became known. */
export const accountsOfConnections = query(
  'bankLists.accountsOfConnections',
  (connectionIds: readonly string[]) => sql<ShownAccount>`
    select l.connection_id, a.account_id, a.seq, a.kind, a.currency, a.details_sealed, a.key_sealed,
           a.balance, a.available, a.credit_line, a.as_of, a.read_through, a.created_at,
           l.gone_at is not null or a.gone_at is not null as gone
      from bank_account_links l join bank_accounts a on a.account_id = l.account_id
     where l.connection_id = any(${connectionIds}::text[])
     order by a.seq`,
);

/** Whether the person behind these tokens of `login` signed in during the last `minutes`, in real time. */
export const signedInLately = query('bankLists.signedInLately', (familyId: string, minutes: number) =>
  tables
    .selectFrom('token_families')
    .select('family_id')
    .where('family_id', '=', familyId)
    .where('client_id', 'is', null)
    .where('session_hash', 'is', null)
    .where('created_at', '>=', sql<string>`now() - make_interval(mins => ${minutes})`),
);

/** Rows of the list stand in the order of their day, then `seq`. */
export interface Position {
  booked_on: CalendarDate;
  seq: number;
}

interface TransactionsWanted {
  owner: string;
  account: string | undefined;
  from: CalendarDate | undefined;
  to: CalendarDate | undefined;
  before: Position | undefined;
  most: number;
}

/** With the sealed secret of the account, which opens the texts. */
export const transactionsOf = query(
  'bankLists.transactionsOf',
  ({ owner, account, from, to, before, most }: TransactionsWanted) =>
    tables
      .selectFrom('bank_transactions as t')
      .innerJoin('bank_accounts as a', 'a.account_id', 't.account_id')
      .leftJoin('bank_wages as w', (join) =>
        join.onRef('w.transaction_id', '=', 't.transaction_id').on('w.status', '<>', 'suggested'),
      )
      .leftJoin('reconciliations as r', 'r.transaction_id', 't.transaction_id')
      .leftJoin('reconciliations as b', 'b.returned_by', 't.transaction_id')
      .select([
        't.transaction_id',
        't.seq',
        't.account_id',
        't.amount',
        't.booked_on',
        't.texts_sealed',
        'a.key_sealed',
        'w.wage_id',
        sql<string | null>`coalesce(r.payment_id, b.payment_id)`.as('payment_id'),
      ])
      .where('t.owner_id', '=', owner)
      .$if(account !== undefined, (found) => found.where('t.account_id', '=', account!))
      .$if(from !== undefined, (found) => found.where('t.booked_on', '>=', from!))
      .$if(to !== undefined, (found) => found.where('t.booked_on', '<=', to!))
      .$if(before !== undefined, (found) =>
        found.where(sql<boolean>`(t.booked_on, t.seq) < (${before?.booked_on}::date, ${before?.seq}::bigint)`),
      )
      .orderBy('t.booked_on', 'desc')
      .orderBy('t.seq', 'desc')
      .limit(most),
);

/** Wages stand in the order of their day, then `seq`. */
interface WagePlace {
  received_on: CalendarDate;
  seq: number;
}

interface WagesWanted {
  owner: string;
  status: WageStatus | undefined;
  before: WagePlace | undefined;
  most: number;
}

export type ShownWage = Row<'bank_wages'> & { key_sealed: string | null };

const SHOWN = columnsOf('bank_wages').map((column) => `w.${column}` as const);

/** With the sealed secret of the account, which opens the payer's name. It is gone with the account. */
export const wageList = query('bankLists.wages', ({ owner, status, before, most }: WagesWanted) =>
  tables
    .selectFrom('bank_wages as w')
    .leftJoin('bank_accounts as a', 'a.account_id', 'w.account_id')
    .select(SHOWN)
    .select('a.key_sealed')
    .where('w.owner_id', '=', owner)
    .$if(status !== undefined, (found) => found.where('w.status', '=', status!))
    .$if(before !== undefined, (found) =>
      found.where(sql<boolean>`(w.received_on, w.seq) < (${before?.received_on}::date, ${before?.seq}::bigint)`),
    )
    .orderBy('w.received_on', 'desc')
    .orderBy('w.seq', 'desc')
    .limit(most),
);

/** Suggested wages that the connection's accounts received since a day, the latest first. */
export const suggestedOf = query(
  'bankLists.suggestedWages',
  ({ connectionId, days, most }: { connectionId: string; days: number; most: number }) => sql<ShownWage>`
    select ${sql.join(columnsOf('bank_wages').map((column) => sql.ref(`w.${column}`)))}, a.key_sealed
      from bank_account_links l join bank_accounts a on a.account_id = l.account_id
      join bank_wages w on w.account_id = l.account_id and w.owner_id = a.owner_id
     where l.connection_id = ${connectionId} and w.status = 'suggested' and w.received_on >= business_today() - ${days}::int
       and exists (select from bank_transactions t where t.transaction_id = w.transaction_id)
     order by w.received_on desc, w.seq desc limit ${most}`,
);

/**
 * - `bank_balance`: what counted accounts hold without credit. Of an account whose credit is not known, all of `available` could
 *   be credit, so `balance` counts. An account whose figures the bank does not say is left out.
 * - `connection_status`: of the newest connection that reads accounts, or null.
 */
interface BackingRow {
  ring_fenced: number;
  in_flight: number;
  bank_balance: number;
  as_of: string | null;
  connected: boolean;
  connection_status: ConnectionStatus | null;
}

/** All in one snapshot. */
export const backingOf = query(
  'bankLists.backingOf',
  (ownerId: string) => sql<BackingRow>`
    with reading as materialized (
      select connection_id, seq, connection_status(status, authorise_until, valid_until) as status
        from bank_connections where owner_id = ${ownerId} and kind = 'accounts'),
    counted as (
      select coalesce(a.available - a.credit_line, a.balance) as held, a.as_of
        from bank_accounts a
       where a.owner_id = ${ownerId} and a.kind in ('current', 'savings') and a.currency = 'GBP' and a.gone_at is null
         and exists (select from bank_account_links l join reading r on r.connection_id = l.connection_id
                      where l.account_id = a.account_id and l.gone_at is null and r.status = 'authorised'))
    select (select coalesce(sum(balance), 0)::bigint from ledger_accounts
             where owner_id = ${ownerId} and kind in ('vault', 'buffer')) as ring_fenced,
           owner_balance(${ownerId}, 'in_flight') as in_flight,
           (select coalesce(sum(held), 0)::bigint from counted) as bank_balance,
           (select min(as_of) from counted where held is not null) as as_of,
           exists (select from reading where status = 'authorised') as connected,
           (select status from reading order by seq desc limit 1) as connection_status`,
);
