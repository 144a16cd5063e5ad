import type { CalendarDate } from '../../domain/dates.ts';
import type { Frequency, Kind, Line, Pay } from './figures.ts';

export type Words = Readonly<Record<Kind, string>>;

const USUAL: Words = {
  basic: 'Salary',
  hours: 'Basic Pay',
  overtime: 'Overtime',
  bonus: 'Bonus',
  commission: 'Commission',
  holiday: 'Holiday Pay',
  sick: 'SSP',
  shift: 'Shift Allowance',
  car: 'Car Allowance',
  weighting: 'London Weighting',
  arrears: 'Arrears',
  sacrifice: 'Cycle to Work',
  tax: 'PAYE Tax',
  ni: 'National Insurance',
  pension: 'Pension',
  avc: 'AVC',
  'student-loan': 'Student Loan',
  'postgraduate-loan': 'Postgraduate Loan',
  union: 'Union Subs',
  charity: 'Charity',
  ticket: 'Season Ticket Loan',
  advance: 'Advance',
  attachment: 'Attachment of Earnings',
  healthcare: 'Healthcare',
};

export function words(own: Partial<Words>): Words {
  return { ...USUAL, ...own };
}

interface MoneyStyle {
  comma?: boolean;
  pound?: boolean;
  negative?: 'minus' | 'brackets' | 'trailing' | 'CR';
  zero?: string;
}

export function money(
  pence: number,
  { comma = true, pound = false, negative = 'minus', zero }: MoneyStyle = {},
): string {
  if (pence === 0 && zero !== undefined) return zero;
  const digits = (Math.abs(pence) / 100).toFixed(2);
  const text = (pound ? '£' : '') + (comma ? digits.replace(/\B(?=(\d{3})+\.)/g, ',') : digits);
  if (pence >= 0) return text;
  return { minus: `-${text}`, brackets: `(${text})`, trailing: `${text}-`, CR: `${text}CR` }[negative];
}

/** For boxes with a line between pounds and pence. */
export function poundsAndPence(pence: number): [string, string] {
  const [pounds, part] = (pence / 100).toFixed(2).split('.');
  return [pounds!, part!];
}

export function units(line: Line): string {
  return line.units === undefined ? '' : line.units.toFixed(2);
}

export function rate(line: Line, places = 4): string {
  return line.rate === undefined ? '' : (line.rate / 100).toFixed(places);
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']; // prettier-ignore

export type DateStyle = '31/10/2026' | '31.10.2026' | '31-Oct-2026' | '31-OCT-26' | '31-Oct-26' | '31 October 2026' | '31 Oct 2026' | '31-10-26' | '31/10/26'; // prettier-ignore

export function date(day: CalendarDate, style: DateStyle): string {
  const [y, m, d] = day.split('-') as [string, string, string];
  const month = MONTHS[Number(m) - 1]!;
  switch (style) {
    case '31/10/2026':
      return `${d}/${m}/${y}`;
    case '31/10/26':
      return `${d}/${m}/${y.slice(2)}`;
    case '31.10.2026':
      return `${d}.${m}.${y}`;
    case '31-10-26':
      return `${d}-${m}-${y.slice(2)}`;
    case '31-Oct-2026':
      return `${d}-${month.slice(0, 3)}-${y}`;
    case '31-Oct-26':
      return `${d}-${month.slice(0, 3)}-${y.slice(2)}`;
    case '31-OCT-26':
      return `${d}-${month.slice(0, 3).toUpperCase()}-${y.slice(2)}`;
    case '31 October 2026':
      return `${Number(d)} ${month} ${y}`;
    case '31 Oct 2026':
      return `${Number(d)} ${month.slice(0, 3)} ${y}`;
  }
}

/** Such as "October 2026". */
export function monthOf(day: CalendarDate): string {
  return `${MONTHS[Number(day.slice(5, 7)) - 1]!} ${day.slice(0, 4)}`;
}

export function periodWord(pay: Pay): 'Month' | 'Week' {
  return pay.frequency === 'monthly' ? 'Month' : 'Week';
}

export function frequencyWord(frequency: Frequency): string {
  return { monthly: 'Monthly', weekly: 'Weekly', fortnightly: 'Fortnightly', '4-weekly': '4 Weekly' }[frequency];
}

/** Such as "Mr G Llewellyn". */
export function shortName({ employee }: Pay): string {
  return `${employee.title} ${employee.first[0]!} ${employee.last}`;
}

/** Such as "Mr Gareth Llewellyn". */
export function longName({ employee }: Pay): string {
  return `${employee.title} ${employee.first} ${employee.last}`;
}
