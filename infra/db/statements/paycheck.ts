import { lines, listParameters, listsOf, opening, query } from '../sql.ts';
import { MOVED_VALUES, moveFrom, movedValues, type Moved } from './ledger.ts';

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

/** Locks owners and reads what calculations must know. A line: owner, at, pay date, `[type, label]` of the wanted vaults as JSON. */
export const openPaycheck = opening<{
  place: number;
  buffer_rate: string | null;
  safe_to_spend: number;
  buffer: number;
  received: number;
  vault_ids: (string | null)[];
  revision: number;
  booked: BookedRow | null;
}>('paycheck.open', 'select * from paychecks_open($1, $2, $3, $4, $5)');

/** The same without a lock or a trace, for a simulation: owner, pay date. */
export const peekPaycheck = query<{ buffer_rate: string | null; revision: number }>(
  'paycheck.peek',
  `select (select buffer_rate from owners where owner_id = $1),
          coalesce((select max(revision) from calculations where owner_id = $1 and pay_date = $2), 0) as revision`,
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
  calculated_at: 'timestamptz',
};
const OBLIGATION_COLUMNS = {
  calculation_id: 'text',
  position: 'int',
  type: 'text',
  category: 'text',
  amount: 'bigint',
  vault_id: 'text',
  allocation_id: 'text',
};

/** What a calculation stores beside its movement: rows as the columns are named. */
export interface Booked {
  moved: Moved;
  calculation: Readonly<Record<keyof typeof CALCULATION_COLUMNS, unknown>>;
  obligations: readonly Readonly<Record<keyof typeof OBLIGATION_COLUMNS, unknown>>[];
}

const FIRST_OF_OBLIGATIONS = MOVED_VALUES + 1 + Object.keys(CALCULATION_COLUMNS).length;

/** Movements and the calculations that caused them, in one statement. A line: what is booked. */
export const bookPaycheck = lines(
  'paycheck.book',
  `with calculation as (${insertOf('calculations', CALCULATION_COLUMNS, MOVED_VALUES + 1)}),
        obligation as (${insertOf('calculation_obligations', OBLIGATION_COLUMNS, FIRST_OF_OBLIGATIONS)})
   select ${moveFrom(1)} as balances`,
  (asked) => {
    const booked = asked.map(([one]) => one as Booked);
    return [
      ...movedValues(booked.map(({ moved }) => moved)),
      ...listsOf(
        booked.map(({ calculation }) => calculation),
        namesOf(CALCULATION_COLUMNS),
      ),
      ...listsOf(
        booked.flatMap(({ obligations }) => obligations),
        namesOf(OBLIGATION_COLUMNS),
      ),
    ];
  },
);

/** Inserts rows that are given as a list for each column, the first of which is the statement's value of that number. */
function insertOf(table: string, columns: Readonly<Record<string, string>>, first: number): string {
  const names = namesOf(columns).join(', ');
  const lists = listParameters(Object.values(columns), first);
  return `insert into ${table} (${names}) select ${names} from unnest(${lists}) as made (${names})`;
}

function namesOf<Column extends string>(columns: Readonly<Record<Column, string>>): Column[] {
  return Object.keys(columns) as Column[];
}

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
  calculated_at: string;
  obligations: ObligationRow[];
}

const CALCULATION = `select c.*, coalesce((
      select jsonb_agg(jsonb_build_object('type', o.type, 'category', o.category, 'amount', o.amount,
                                          'vault_id', o.vault_id, 'allocation_id', o.allocation_id) order by o.position)
        from calculation_obligations o where o.calculation_id = c.calculation_id), '[]') as obligations
    from calculations c`;

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
