import type { IncomeEvidence } from '../../../domain/paycheck/evidence.ts';
import { lines, listOf, listParameters, listsOf, opening, query } from '../sql.ts';
import { moveFrom, movedValues, type Moved } from './ledger.ts';

/** The latest revision of a paycheck as `paycheck_booked` gives it, its lots as they are now. */
export interface BookedRow {
  gross_income: number;
  locked_buffer: number;
  safe_to_spend: number;
  obligations: (ObligationRow & { available: number })[];
}

export interface ObligationRow {
  type: string;
  category: string;
  amount: number;
  vault_id: string;
  allocation_id: string;
}

/** Type and label of a vault that may be there. */
type WantedVault = readonly [vaultType: string, label: string];

/** Locks owners and reads what calculations must know. A line: owner, at, pay date, document or null, the wanted vaults. */
export const openPaycheck = opening<{
  place: number;
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  received: number;
  vault_ids: (string | null)[];
  revision: number;
  booked: BookedRow | null;
  /** Of the newest revision; null before the first. */
  income_evidence: IncomeEvidence | null;
  document_used: boolean;
  has_earned: boolean;
}>('paycheck.open', 'select * from paychecks_open_evidenced($1, $2, $3, $4, $5, $6, $7, $8, $9)', (asked) => {
  const wanted = asked.map(([, , , , vaults]) => vaults as readonly WantedVault[]);
  let sum = 0;
  const upTo = wanted.map((vaults) => (sum += vaults.length));
  const by = wanted.flatMap((vaults, place) => vaults.map(() => place + 1));
  return [...listsOf(asked, [0, 1, 2, 3]), listOf(upTo), listOf(by), ...listsOf(wanted.flat(), [0, 1])];
});

/** The same without a lock or a trace, for a simulation: owner, pay date, document or null. */
export const peekPaycheck = query<{ buffer_rate: string | null; revision: number; document_used: boolean }>(
  'paycheck.peek',
  `select (select buffer_rate from owners where owner_id = $1),
          coalesce((select max(revision) from calculations where owner_id = $1 and pay_date = $2), 0) as revision,
          $3::text is not null and exists (
            select from calculations where owner_id = $1 and payslip_doc_id = $3 and income_evidence = 'payslip'
               and pay_date <> $2) as document_used`,
);

const CALCULATION_COLUMNS = {
  calculation_id: 'text',
  owner_id: 'text',
  pay_date: 'date',
  revision: 'int',
  gross_income: 'bigint',
  locked_for_bills: 'bigint',
  locked_buffer: 'bigint',
  safe_to_spend: 'bigint',
  buffer_rate: 'text',
  payslip_doc_id: 'text',
  income_evidence: 'text',
  calculated_by: 'text',
  calculated_at: 'timestamptz',
};
const NAMES = Object.keys(CALCULATION_COLUMNS) as (keyof typeof CALCULATION_COLUMNS)[];

/** What a calculation stores beside its movement: a row as the columns are named, and its obligations. */
export interface Booked {
  moved: Moved;
  calculation: Readonly<Record<keyof typeof CALCULATION_COLUMNS, unknown>>;
  obligations: readonly ObligationRow[];
}

/** Movements and the calculations that caused them, in one statement. A line: what is booked. */
export const bookPaycheck = lines(
  'paycheck.book',
  // The obligations of all of them are one value: as one of a list, each of their quotes would have to be escaped.
  `with calculation as (
     insert into calculations (${NAMES.join(', ')}, obligations)
     select ${NAMES.join(', ')}, $1::jsonb -> (place - 1)::int
       from unnest(${listParameters(Object.values(CALCULATION_COLUMNS), 2)}) with ordinality as made (${NAMES.join(', ')}, place)
      order by place)
   select ${moveFrom(2 + NAMES.length)} as balances`,
  (asked) => {
    const booked = asked.map(([one]) => one as Booked);
    return [
      JSON.stringify(booked.map(({ obligations }) => obligations)),
      ...listsOf(
        booked.map(({ calculation }) => calculation),
        NAMES,
      ),
      ...movedValues(booked.map(({ moved }) => moved)),
    ];
  },
);

/** Locks and reads what a key has asserted in a month, for all owners and for one: lineage, month, owner. */
export const openAssertedIncome = query<{ owner: number; month: number }>(
  'paycheck.openAssertedIncome',
  `with all_owners as (
     insert into asserted_income as a (lineage, month, owner_id, amount) values ($1, $2, '', 0)
     on conflict (lineage, month, owner_id) do update set amount = a.amount returning amount)
   select all_owners.amount as month, coalesce(of_one.amount, 0) as owner
     from all_owners left join asserted_income of_one on of_one.lineage = $1 and of_one.month = $2 and of_one.owner_id = $3`,
);

/** Lineage, month, owner, of that owner, of all owners. The month's sum is locked. */
export const setAssertedIncome = query(
  'paycheck.setAssertedIncome',
  `insert into asserted_income (lineage, month, owner_id, amount) values ($1, $2, $3, $4), ($1, $2, '', $5)
   on conflict (lineage, month, owner_id) do update set amount = excluded.amount`,
);

export interface CalculationRow {
  seq: number;
  calculation_id: string;
  owner_id: string;
  pay_date: string;
  revision: number;
  gross_income: number;
  locked_for_bills: number;
  locked_buffer: number;
  safe_to_spend: number;
  buffer_rate: string;
  payslip_doc_id: string | null;
  income_evidence: IncomeEvidence;
  calculated_at: string;
  obligations: ObligationRow[];
}

const CALCULATION = 'select c.* from calculations c';

export const calculationById = query<CalculationRow>('paycheck.byId', `${CALCULATION} where c.calculation_id = $1`);

export const latestCalculation = query<CalculationRow>(
  'paycheck.latest',
  `${CALCULATION} where c.owner_id = $1 order by c.seq desc limit 1`,
);

/** An owner's calculations below $2 with pay dates from $3 to $4 (null: no bound), newest first. */
export const calculationsOfOwner = query<CalculationRow>(
  'paycheck.ofOwner',
  `${CALCULATION} where c.owner_id = $1 and c.seq < $2
     and ($3::date is null or c.pay_date >= $3) and ($4::date is null or c.pay_date <= $4)
   order by c.seq desc limit $5`,
);
