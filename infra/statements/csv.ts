import { CsvError, parse } from 'csv-parse/sync';
import { isCalendarDate, type CalendarDate } from '../../domain/dates.ts';
import { penceIn, StatementError, type Entry, type Statement } from './statement.ts';

/** What banks call their columns. Of the dates, the first that is there counts. */
const HEADS = {
  date: ['booking date', 'posting date', 'posted date', 'transaction date', 'date', 'value date'],
  amount: ['amount', 'transaction amount', 'amount (gbp)', 'amount gbp', 'value'],
  debit: ['debit', 'debit amount', 'paid out', 'money out', 'withdrawals', 'withdrawal'],
  credit: ['credit', 'credit amount', 'paid in', 'money in', 'deposits', 'deposit'],
  side: ['credit debit indicator', 'credit/debit', 'debit/credit', 'dr/cr', 'cr/dr'],
  status: ['status', 'state', 'transaction status'],
  account: ['account number', 'account', 'iban'],
  id: ['transaction id', 'bank reference', 'transaction reference', 'entry reference'],
  text: [
    ...['reference', 'payment reference', 'customer reference', 'end to end id', 'end-to-end id', 'endtoendid'],
    ...[
      'description',
      'transaction description',
      'details',
      'narrative',
      'memo',
      'particulars',
      'additional information',
    ],
    ...['payee', 'name', 'counterparty', 'counter party', 'beneficiary', 'beneficiary account', 'counterparty account'],
  ],
} as const;

type Role = keyof typeof HEADS;
type Columns = Readonly<Record<Role, readonly number[]>>;

const BOOKED = /^(?:book(?:ed)?|posted|completed?|settled|cleared|processed|executed)?$/iu;
const NOT_BOOKED = /pending|declined|fail|reject|cancel|revert|revers|return|schedul/iu;

/** Above the heads, banks put the name of the account and such. */
const HEADS_WITHIN_ROWS = 20;

/** @throws StatementError if anything could mean two things. */
export function readCsv(text: string): Statement {
  const found = [',', ';', '\t'].map((mark) => headed(rowsOf(text, mark))).filter((table) => table !== undefined);
  const table = found.toSorted((a, b) => b.known - a.known)[0];
  if (table === undefined)
    throw new StatementError(
      'The file has no row with the heads of its columns. It needs a date, and an amount or debit and credit.',
    );
  const { columns, rows, first } = table;
  requireOneAmount(columns);
  const booked = rows
    .map((cells, index) => ({ cells, line: first + index }))
    .filter(({ cells, line }) => cells.some((cell) => cell !== '') && isBooked(textIn(cells, columns.status), line));
  for (const column of [columns.debit, columns.credit])
    requireOneSign(booked.map(({ cells }) => textIn(cells, column)));
  const entries = booked.map(({ cells, line }) => entryOf(cells, columns, line));
  requireSides(columns, entries);
  return { accounts: [...new Set(booked.map(({ cells }) => textIn(cells, columns.account)))].filter(Boolean), entries };
}

interface Headed {
  columns: Columns;
  rows: readonly string[][];
  /** The number of the first row after the heads. */
  first: number;
  known: number;
}

function headed(rows: readonly string[][]): Headed | undefined {
  for (const [index, heads] of rows.slice(0, HEADS_WITHIN_ROWS).entries()) {
    const columns = columnsIn(heads);
    const { date, amount, debit, credit } = columns;
    if (date.length === 0 || (amount.length === 0 && (debit.length === 0 || credit.length === 0))) continue;
    return { columns, rows: rows.slice(index + 1), first: index + 2, known: Object.values(columns).flat().length };
  }
  return undefined;
}

function columnsIn(heads: readonly string[]): Columns {
  const names = heads.map((head) =>
    head
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, ' '),
  );
  const of = (role: Role) =>
    HEADS[role].flatMap((name) => names.flatMap((head, index) => (head === name ? [index] : [])));
  const roles = Object.keys(HEADS) as Role[];
  return Object.fromEntries(roles.map((role) => [role, of(role)])) as unknown as Columns;
}

function requireOneAmount({ amount, debit, credit }: Columns): void {
  const isOne = amount.length === 1 && debit.length + credit.length === 0;
  if (isOne || (amount.length === 0 && debit.length === 1 && credit.length === 1)) return;
  throw new StatementError(
    'The file has several columns that could be the amount. Leave one amount, or one debit and one credit.',
  );
}

function isBooked(status: string, line: number): boolean {
  if (NOT_BOOKED.test(status)) return false;
  if (BOOKED.test(status)) return true;
  throw new StatementError(`Line ${line} does not say clearly whether it is booked.`);
}

/** Some banks write debits with a minus. In one column with debits without it, it means money that came back. */
function requireOneSign(texts: readonly string[]): void {
  const amounts = texts.map((text) => penceIn(text) ?? 0);
  if (amounts.some((amount) => amount < 0) && amounts.some((amount) => amount > 0))
    throw new StatementError('The column of the debits, or of the credits, has amounts with and without a minus.');
}

/** If no amount is negative, nobody can tell what left the account. */
function requireSides({ amount, side }: Columns, entries: readonly Entry[]): void {
  if (amount.length === 0 || side.length > 0 || entries.some((entry) => entry.amount < 0)) return;
  throw new StatementError('No amount is negative, so nobody can tell which money left the account.');
}

function entryOf(cells: readonly string[], columns: Columns, line: number): Entry {
  const id = textIn(cells, columns.id);
  return {
    amount: amountIn(cells, columns, line),
    bookedOn: dateIn(cells[columns.date[0]!] ?? '', line),
    texts: [...columns.text, ...columns.id].map((column) => cells[column] ?? '').filter((text) => text !== ''),
    bankReference: id === '' ? null : id,
  };
}

function textIn(cells: readonly string[], [column]: readonly number[]): string {
  return column === undefined ? '' : (cells[column] ?? '');
}

function amountIn(cells: readonly string[], { amount, debit, credit, side }: Columns, line: number): number {
  const read = (columns: readonly number[]) => {
    const text = textIn(cells, columns);
    const pence = text === '' ? 0 : penceIn(text);
    if (pence === undefined) throw new StatementError(`Line ${line} has an amount that cannot be read.`);
    return pence;
  };
  if (amount.length === 0) {
    const [out, into] = [Math.abs(read(debit)), Math.abs(read(credit))];
    if (out !== 0 && into !== 0) throw new StatementError(`Line ${line} has both a debit and a credit.`);
    return into - out;
  }
  const pence = read(amount);
  if (side.length === 0) return pence;
  const said = /^(?:(?<out>d|dr|debit|dbit)|c|cr|credit|crdt)$/iu.exec(textIn(cells, side));
  if (!said || pence < 0) throw new StatementError(`Line ${line} does not say clearly whether it is a debit.`);
  return said.groups?.out === undefined ? pence : -pence;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** As ISO 8601 or as people in the United Kingdom write it. */
function dateIn(text: string, line: number): CalendarDate {
  const iso = /^(\d{4}-\d\d-\d\d)(?:[T ].*)?$/u.exec(text)?.[1];
  const [, day, month, year] = /^(\d{1,2})[-/. ](\d{1,2}|[a-z]{3,9})[-/. ](\d{4}|\d\d)(?: .*)?$/iu.exec(text) ?? [];
  const named = MONTHS.indexOf((month ?? '').slice(0, 3).toLowerCase()) + 1;
  const parts = [(year ?? '').padStart(4, '20'), String(named || month).padStart(2, '0'), (day ?? '').padStart(2, '0')];
  const date = iso ?? parts.join('-');
  if (isCalendarDate(date)) return date;
  throw new StatementError(`Line ${line} has a date that is neither YYYY-MM-DD nor day, month and year in this order.`);
}

/** @throws StatementError */
function rowsOf(text: string, mark: string): string[][] {
  // Quotation marks in the middle of a text stay as they are: the mark between columns may be another one.
  const options = { delimiter: mark, bom: true, trim: true, relax_column_count: true, relax_quotes: true } as const;
  try {
    return parse(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Not in the library's words, which quote the file.
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED';
    throw new StatementError(
      isOpen ? 'The file ends within quotation marks.' : 'The file’s rows cannot be told apart.',
    );
  }
}
