import { sql } from 'kysely';
import type { VaultsHeld } from '../../../domain/allocations.ts';
import type { VaultType } from '../../../domain/ledger.ts';
import type { IncomeEvidence } from '../../../domain/paycheck/evidence.ts';
import type { ObligationJson } from '../entities/paycheck.ts';
import { json, listsOf, relationOf } from '../lists.ts';
import { MoneyQuery, OwnerLock } from '../locked-owner.ts';
import { batchQuery, query } from '../query.ts';
import { columnsOf, tables, type Row } from '../tables.ts';
import type { AssertedRow } from './macs.ts';
import { moved, type Moved } from './ledger.ts';
import { counted } from './owner-days.ts';

/** `available` is what is left of the obligation's allocation. */
export interface BookedRow {
  /** Null unless the income is asserted. */
  asserted: AssertedRow | null;
  gross_income: number;
  locked_buffer: number;
  safe_to_spend: number;
  obligations: (ObligationJson & { available: number })[];
}

interface PaycheckToOpen {
  owner_id: string;
  at: Date;
  pay_date: string;
  /** Null unless the income is that of a document. */
  payslip_doc_id: string | null;
  /** Null unless the income is a wage. */
  wage_id: string | null;
  vaults: readonly { vault_type: string; label: string }[];
  /** The London date on which the owner's revisions count. */
  today: string;
}

export const openPaycheck = (requested: PaycheckToOpen) => new OwnerLock(openAll(requested), () => requested.owner_id);

const OPENED_TYPES = {
  owner_id: 'text',
  at: 'timestamptz',
  pay_date: 'date',
  payslip_doc_id: 'text',
  wage_id: 'text',
} as const;

const openAll = batchQuery(
  'paycheck.open',
  (requested: readonly PaycheckToOpen[], waits) => sql<{
    ordinal: number;
    buffer_rate: string | null;
    safe_to_spend: number;
    buffer: number;
    received: number;
    vault_ids: (string | null)[];
    number: number;
    revision: number;
    booked: BookedRow | null;
    /** The evidence in the newest revision. Null before the first revision. */
    income_evidence: IncomeEvidence | null;
    document_used: boolean;
    has_earned: boolean;
    /** Both 0 if all vaults exist. */
    vaults_held: VaultsHeld;
    revisions_today: number;
  }>`
    select o.*,
           case when o.vault_ids @> '[null]' then vaults_held((${listsOf(requested, { owner_id: 'text' })})[o.ordinal])
                else '{0,0}' end as vaults_held,
           revisions_of_day((${listsOf(requested, { owner_id: 'text' })})[o.ordinal], (${listsOf(
             requested.map(({ today: day }) => ({ day })),
             { day: 'date' },
           )})[o.ordinal])
             as revisions_today
      from paychecks_open(
      ${waits},
      ${listsOf(requested, OPENED_TYPES)},
      ${listsOf(vaultCounts(requested), { up_to: 'int' })},
      ${listsOf(
        requested.flatMap(({ vaults }) => vaults),
        { vault_type: 'text', label: 'text' },
      )}) o`,
  { lockOf: ({ owner_id }) => owner_id },
);

function vaultCounts(requested: readonly PaycheckToOpen[]): { up_to: number }[] {
  let sum = 0;
  return requested.map(({ vaults }) => ({ up_to: (sum += vaults.length) }));
}

export const peekPaycheck = query(
  'paycheck.peek',
  ({ owner_id, pay_date, payslip_doc_id, wage_id }: Omit<PaycheckToOpen, 'at' | 'vaults' | 'today'>) => sql<{
    buffer_rate: string | null;
    revision: number;
    document_used: boolean;
  }>`
    select (select buffer_rate from owners where owner_id = ${owner_id}),
           coalesce((select max(revision) from calculations
                      where owner_id = ${owner_id} and pay_date = ${pay_date}
                        and number = case when ${wage_id}::text is null then 1
                                          else paycheck_of_wage(${owner_id}, ${pay_date}) end), 0) as revision,
           ${payslip_doc_id}::text is not null and exists (
             select from calculations where owner_id = ${owner_id} and payslip_doc_id = ${payslip_doc_id}
                and income_evidence = 'payslip' and pay_date <> ${pay_date}) as document_used`,
);

const CALCULATION_TYPES = {
  calculation_id: 'text',
  owner_id: 'text',
  pay_date: 'date',
  number: 'int',
  revision: 'int',
  gross_income: 'bigint',
  locked_for_bills: 'bigint',
  locked_buffer: 'bigint',
  safe_to_spend: 'bigint',
  buffer_rate: 'text',
  payslip_doc_id: 'text',
  wage_id: 'text',
  income_evidence: 'text',
  calculated_by: 'text',
  calculated_at: 'timestamptz',
  mac: 'text',
  mac_version: 'int',
} as const;

export interface Booked {
  moved: Moved;
  calculation: Pick<Row<'calculations'>, keyof typeof CALCULATION_TYPES>;
  obligations: readonly ObligationJson[];
  /** The London date on which the revision counts. */
  day: string;
}

export const bookPaycheck = (booked: Booked) => new MoneyQuery(booked.moved.owner_id, bookAll(booked));

const bookAll = batchQuery('paycheck.book', (booked: readonly Booked[]) => {
  const names = sql.join(Object.keys(CALCULATION_TYPES).map((column) => sql.ref(column)));
  const calculations = booked.map(({ calculation }) => calculation);
  // Sends all obligations as one JSON value, because an array of texts would escape every quote.
  return sql`
    with calculation as (
      insert into calculations (${names}, obligations)
      select ${names}, ${json(booked.map(({ obligations }) => obligations))} -> (ordinal - 1)::int
        from unnest(${listsOf(calculations, CALCULATION_TYPES)}) with ordinality as made (${names}, ordinal)
       order by ordinal),
    counted as (${counted('revisions', revisionsIn(booked))})
    select ${moved(booked.map((one) => one.moved))} as balances`;
});

function revisionsIn(booked: readonly Booked[]) {
  const days = booked.map(({ day, calculation: { owner_id } }) => ({ owner_id, day }));
  return sql`
    select r.owner_id, max(r.day), count(*)::int
      from ${relationOf('r', days, { owner_id: 'text', day: 'date' })} group by r.owner_id order by r.owner_id`;
}

/** `number` tells the paychecks of one day apart. */
export interface PaycheckKey {
  owner_id: string;
  pay_date: string;
  number: number;
}

const revisionsOf = ({ owner_id, pay_date, number }: PaycheckKey) =>
  sql`c.owner_id = ${owner_id} and c.pay_date = ${pay_date} and c.number = ${number}`;

/** `lineage` identifies the API key across rotations. `month` is the first day of the month. */
interface Assertion {
  lineage: string;
  month: string;
  owner_id: string;
}

/** Locks the key's total for the month. Returns the income asserted so far, for the owner and for all owners. */
export const openAssertedIncome = query(
  'paycheck.openAssertedIncome',
  ({ lineage, month, owner_id }: Assertion) => sql<{ owner: number; month: number }>`
    with all_owners as (
      insert into asserted_income as a (lineage, month, owner_id, amount) values (${lineage}, ${month}, '', 0)
      on conflict (lineage, month, owner_id) do update set amount = a.amount returning amount)
    select all_owners.amount as month, coalesce(of_one.amount, 0) as owner
      from all_owners left join asserted_income of_one
        on of_one.lineage = ${lineage} and of_one.month = ${month} and of_one.owner_id = ${owner_id}`,
);

/** What the key has added to the paycheck's asserted income since the month began. Negative if it took more away. */
export const assertedInPaycheck = query(
  'paycheck.assertedInPaycheck',
  ({ lineage, month }: Assertion, paycheck: PaycheckKey) => sql<{ amount: number }>`
    with revised as (
      select revision, calculated_by, calculated_at,
             case when income_evidence = 'asserted' then gross_income else 0 end as asserted
        from calculations c where ${revisionsOf(paycheck)}),
    changed as (
      select calculated_by, calculated_at, asserted - lag(asserted, 1, 0::bigint) over (order by revision) as amount
        from revised)
    select coalesce(sum(amount), 0)::bigint as amount from changed
     where calculated_by = ${lineage} and (calculated_at at time zone 'Europe/London')::date >= ${month}::date`,
);

export const setAssertedIncome = query(
  'paycheck.setAssertedIncome',
  ({ lineage, month, owner_id }: Assertion, ofOwner: number, ofAll: number) =>
    tables
      .insertInto('asserted_income')
      .values([
        { lineage, month, owner_id, amount: ofOwner },
        { lineage, month, owner_id: '', amount: ofAll },
      ])
      .onConflict((conflict) =>
        conflict
          .columns(['lineage', 'month', 'owner_id'])
          .doUpdateSet(({ ref }) => ({ amount: ref('excluded.amount') })),
      ),
);

export type CalculationRow = Row<'calculations'>;

const calculations = () => tables.selectFrom('calculations').select(columnsOf('calculations'));

export const calculationById = query('paycheck.byId', (calculationId: string) =>
  calculations().where('calculation_id', '=', calculationId),
);

/** The London day of the paycheck's first revision. */
export const firstCalculatedOn = query(
  'paycheck.firstCalculatedOn',
  (paycheck: PaycheckKey) => sql<{ day: string }>`
    select (c.calculated_at at time zone 'Europe/London')::date as day from calculations c
     where ${revisionsOf(paycheck)} and c.revision = 1`,
);

/**
 * On which London days the paycheck's own allocations held money at the end of the day: from `from_day` up to, but not
 * including, `to_day`. A null `to_day` means that they still hold money.
 */
export const allocationDays = query(
  'paycheck.allocationDays',
  (paycheck: PaycheckKey, types: readonly VaultType[]) => sql<{
    vault_type: VaultType;
    from_day: string;
    to_day: string | null;
  }>`
    select distinct v.vault_type, held.from_day, held.to_day
      from (select distinct o.booked ->> 'allocation_id' as allocation_id
              from calculations c, jsonb_array_elements(c.obligations) as o (booked)
             where ${revisionsOf(paycheck)}) funded
      join allocations l on l.allocation_id = funded.allocation_id
      join vaults v on v.vault_id = l.vault_id and v.vault_type = any(${types}::text[])
     cross join lateral (
       select (l.created_at at time zone 'Europe/London')::date as from_day,
              (l.emptied_at at time zone 'Europe/London')::date as to_day) held
     where held.to_day is null or held.from_day < held.to_day`,
);

export const latestCalculation = query('paycheck.latest', (ownerId: string) =>
  calculations().where('owner_id', '=', ownerId).orderBy('seq', 'desc').limit(1),
);

/** `from` and `to` are inclusive. */
interface CalculationsWanted {
  owner_id: string;
  before: number;
  from: string | undefined;
  to: string | undefined;
  most: number;
}

export const calculationsOfOwner = query(
  'paycheck.ofOwner',
  ({ owner_id, before, from, to, most }: CalculationsWanted) =>
    calculations()
      .where('owner_id', '=', owner_id)
      .where('seq', '<', before)
      .$if(from !== undefined, (found) => found.where('pay_date', '>=', from!))
      .$if(to !== undefined, (found) => found.where('pay_date', '<=', to!))
      .orderBy('seq', 'desc')
      .limit(most),
);
